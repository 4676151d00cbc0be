"""Shapley values by the definition: all coalitions of all features, for every background row."""

from itertools import combinations
from math import comb

import numpy as np


def shapley(predict, x, background, player=None):
    """Return the values of one row (players x outputs), for any function from rows to outputs.

    `player` is the player of each column; by default each column is one.
    """
    d = x.size
    player = np.arange(d) if player is None else np.asarray(player)
    n = int(player.max()) + 1
    worth = {}
    for size in range(n + 1):
        for inside in combinations(range(n), size):
            mixed = np.where(np.isin(player, inside), x, background)
            worth[frozenset(inside)] = np.asarray(predict(mixed)).mean(axis=0)
    values = np.zeros((n, worth[frozenset()].size))
    for coalition, value in worth.items():
        for p in range(n):
            if p not in coalition:
                gain = worth[coalition | {p}] - value
                values[p] += gain / (n * comb(n - 1, len(coalition)))
    return values


def tree_shap(tree, x, background):
    """Return the values of one row by interventional TreeSHAP; for axis-parallel tests (Lundberg et al. 2020).

    A leaf that is reached if a features have the values of x and b others those of z is worth a game of its own.
    """
    values = np.zeros((tree.n_features, tree.n_outputs))
    for z in background:
        _visit(tree, 0, x, z, frozenset(), frozenset(), values)
    return values / len(background)


def _visit(tree, node, x, z, inside, outside, values):
    if tree.is_leaf[node]:
        a, b = len(inside), len(outside)
        for p in inside:
            values[p] += tree.value[node] / (b + a) / comb(a + b - 1, b)
        for p in outside:
            values[p] -= tree.value[node] / (b + a) / comb(a + b - 1, a)
        return
    (feature,), (weight,) = tree.test(node)
    side_x, side_z = (int(weight * row[feature] > tree.threshold[node]) for row in (x, z))
    first = tree.first_child[node]
    if side_x == side_z or feature in inside or feature in outside:
        side = side_z if feature in outside else side_x
        _visit(tree, first + side, x, z, inside, outside, values)
    else:
        _visit(tree, first + side_x, x, z, inside | {feature}, outside, values)
        _visit(tree, first + side_z, x, z, inside, outside | {feature}, values)
