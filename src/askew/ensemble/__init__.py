"""Many trees on one table: forests and boosting.

distinct_rows   the distinct rows of the table, ordered by a hash of their values
forest          growth of a forest's trees
boosting        stages of boosting
losses          the losses that boosting minimises
bins            the values of each feature in at most 255 bins
"""
