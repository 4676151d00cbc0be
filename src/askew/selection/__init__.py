"""AutoTree's selection of a method and a size by cross-validation.

candidates         the ways to grow a tree that are tried
cross_validation   candidates x folds; each tree gives every smaller size; the best few are refined and judged again
one_se_rule        which of them is chosen
leaderboard        what was tried, and how it did
select             all of it, and the fit of the chosen one on all rows
"""
