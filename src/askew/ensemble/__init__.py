"""Many trees on one table: what forests and boosting are made of.

askew.ensemble.distinct_rows  the table without repeated rows, in an order that the data alone decide
askew.ensemble.forest         growth of a forest's trees
askew.ensemble.boosting       stages of boosting
askew.ensemble.losses         what boosting minimises
askew.ensemble.bins           the values of each feature in at most 255 bins
askew.ensemble.importance     the importance of features for a tree
"""
