"""Many trees on one table: what forests and boosting are made of.

distinct_rows   the table without repeated rows, in an order that the data alone decide
forest          growth of a forest's trees
boosting        stages of boosting
losses          the losses that boosting minimises
bins            the values of each feature in at most 255 bins
importance      the importance of features for a tree of hyperplanes
"""
