"""Trees made by hand, for tests of what is done with a fitted tree."""

import numpy as np

from askew import CARTClassifier
from askew.model.leaf_values import Constant
from askew.model.split import CategoryTable, Hyperplane, LinearMachine
from askew.model.tree import Tree


def tree_of(splits, first_child, value, n_features):
    """A tree of these splits; `value` is the weight of each class at each node."""
    value = np.asarray(value, dtype=np.float64)
    mass = value.sum(axis=1)
    return Tree.from_nodes(splits, first_child, value, mass, mass, np.zeros(len(splits)), n_features, 7)


def mixed_tree():
    """All three kinds of split, over 3 features.

    0 hyperplane  x0 - 2 x1 <= 0.5
    1   linear machine of three children
    3     leaf, 4 axis-parallel x2 <= 1 (leaves 9, 10), 5 leaf
    2   category table of x2: 0 -> 0, 1 -> 2, 2 -> 0, any other -> 1
    6 7 8   leaves
    """
    machine = LinearMachine([0, 2], [[1.0, 0.0, 0.0], [-1.0, 0.5, 0.25], [0.0, -1.0, 0.5]])
    splits = [
        Hyperplane([0, 1], [1.0, -2.0], 0.5),
        machine,
        CategoryTable(2, [0, 2, 0], default=1),
        None,
        Hyperplane([2], [1.0], 1.0),
        *[None] * 6,
    ]
    leaves = {3: (4, 0), 5: (0, 6), 6: (3, 1), 7: (0, 2), 8: (5, 0), 9: (1, 1), 10: (0, 7)}
    value = np.array([leaves.get(node, (0, 0)) for node in range(11)], dtype=float)
    for node, children in ((4, (9, 10)), (2, (6, 7, 8)), (1, (3, 4, 5)), (0, (1, 2))):
        value[node] = value[list(children)].sum(axis=0)
    return tree_of(splits, [1, 3, 6, 0, 9, 0, 0, 0, 0, 0, 0], value, n_features=3)


def chain_tree(depth):
    """A chain: node 2i cuts x0 at i; its first child is a leaf, its second the next node of the chain."""
    n = 2 * depth + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    number = np.arange(n)
    starts = np.concatenate(([0], np.cumsum(inner)))
    mass = (n - number).astype(np.float64)
    return Tree(
        kind=inner.astype(np.int8),
        first_child=np.where(inner, number + 1, 0),
        n_children=np.where(inner, 2, 0),
        feature_start=starts,
        weight_start=starts,
        feature=np.zeros(depth, dtype=np.int64),
        weight=np.ones(depth),
        threshold=np.where(inner, number / 2, 0.0),
        payload=Constant(np.stack([mass, number.astype(np.float64)], axis=1)),
        n_samples=mass.astype(np.int64),
        mass=mass,
        impurity=np.zeros(n),
        n_features=1,
    )


def with_tree(tree, X=None, y=None, **parameters):
    """A classifier of two classes whose fitted tree is this one."""
    X = np.zeros((2, tree.n_features)) if X is None else X
    y = ["no", "yes"] if y is None else y
    estimator = CARTClassifier(**parameters).fit(X, y)
    estimator.tree_ = tree
    return estimator
