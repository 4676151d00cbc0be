"""AutoTree's selection of a method and a size by cross-validation.

candidates         the ways to grow a tree that are tried
cross_validation   candidates x folds; each tree gives every smaller size; the best are refined, and evaluated again
one_se_rule        the losses that are compared, and the rule by which one is chosen
leaderboard        what was tried, and how it did
select             `select_tree`: all of it, and the fit of the chosen one on all rows
"""
