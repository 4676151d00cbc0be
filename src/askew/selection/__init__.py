"""The choice of a recipe and a size by cross-validation: what `AutoTreeClassifier` and `AutoTreeRegressor` do.

candidate.py   the ways to grow a tree that are tried
judge.py       the loss of a tree on rows that were held out
race.py        candidates x folds; each tree gives every smaller size; the best few are refined
rule.py        which of them is chosen
evidence.py    the leaderboard
columns.py     trees that see some of the columns only
probabilities.py  how the frequencies of a leaf become probabilities
best_tree.py   all of it as a search that grows a tree
"""
