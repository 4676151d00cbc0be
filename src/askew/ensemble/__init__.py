"""Many trees on one table: what forests and boosting are made of.

askew.ensemble.rows         the table without repeated rows, in an order that the data alone decide
askew.ensemble.forest       growth of a forest's trees
askew.ensemble.importance   the importance of features over many trees
"""
