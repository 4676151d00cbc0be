"""Every axis-parallel cut of some rows, scored one by one; and a tree grown by plain recursion."""

from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np

from reference.criterion import SCORES


@dataclass(frozen=True)
class Cut:
    """Rows with ``x[feature] <= threshold`` are `left` (row numbers)."""

    feature: int
    threshold: float
    score: object
    left: frozenset


def describe(name, y, weight, n_classes):
    """What a criterion sees of one side."""
    if name == "absolute_error":
        return list(zip(y.tolist(), weight.tolist(), strict=True))
    if n_classes:
        return [float(weight[y == c].sum()) for c in range(n_classes)]
    return [float(weight.sum()), float((weight * y).sum()), float((weight * y * y).sum())]


def all_cuts(table, rows, name, min_samples_leaf=1, score=None):
    """Every cut between two neighbouring values of a feature, in the order of features and values."""
    score = score or SCORES[name]
    cuts = []
    for feature in range(table.n_features):
        column = table.X[rows, feature]
        values = np.unique(column)
        for low, high in pairwise(values.tolist()):
            left = column <= low
            if min(table.multiplicity[rows[left]].sum(), table.multiplicity[rows[~left]].sum()) < min_samples_leaf:
                continue
            sides = [
                describe(name, table.y[side], table.weight[side], table.n_classes) for side in (rows[left], rows[~left])
            ]
            threshold = low * 0.5 + high * 0.5
            threshold = threshold if low <= threshold < high else low
            cuts.append(Cut(feature, float(threshold), score(*sides), frozenset(rows[left].tolist())))
    return [cut for cut in cuts if cut.score < inf]


def best_cut(table, rows, name, min_samples_leaf=1, score=None):
    """The first of the best cuts; None if there is no cut."""
    cuts = all_cuts(table, rows, name, min_samples_leaf, score)
    return min(cuts, key=lambda cut: cut.score, default=None)


def grow(table, rows, name, min_samples_leaf=1, max_depth=inf, score=None, depth=0):
    """A tree as nested tuples: (rows,) for a leaf, else (rows, feature, threshold, left, right)."""
    here = tuple(rows.tolist())
    if depth >= max_depth or np.unique(table.y[rows]).size == 1:
        return (here,)
    cut = best_cut(table, rows, name, min_samples_leaf, score)
    if cut is None:
        return (here,)
    goes_left = np.isin(rows, list(cut.left))
    below = [
        grow(table, side, name, min_samples_leaf, max_depth, score, depth + 1)
        for side in (rows[goes_left], rows[~goes_left])
    ]
    return (here, cut.feature, cut.threshold, *below)


def read(tree, table, node=0, rows=None):
    """A `Tree` in the form of `grow`."""
    rows = np.arange(table.n_rows) if rows is None else rows
    if tree.kind[node] == 0:
        return (tuple(rows.tolist()),)
    (feature,), (weight,) = tree.test(node)
    goes_left = table.X[rows, feature] * weight <= tree.threshold[node]
    child = tree.first_child[node]
    return (
        tuple(rows.tolist()),
        int(feature),
        float(tree.threshold[node]),
        read(tree, table, child, rows[goes_left]),
        read(tree, table, child + 1, rows[~goes_left]),
    )
