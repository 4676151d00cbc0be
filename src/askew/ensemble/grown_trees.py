"""Trees of hyperplanes from a compiled growth (core/ensemble/grown_tree.hpp), and their feature importances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.model.leaf_values import Constant
from askew.model.tree import Tree


def plane_importance(
    tree: Tree, scale: NDArray[np.float64], origin: NDArray[np.int64], n_origins: int
) -> NDArray[np.float64]:
    """Return what `askew.model.tree.Tree.importance` does, for a tree of hyperplanes; without a loop over its nodes.

    Parameters
    ----------
    tree : a tree whose inner nodes are all hyperplanes
    scale : the spread of each column
    origin : the feature that each column comes from
    n_origins : number of features
    """
    load = tree.mass * tree.impurity
    below = np.bincount(tree.parent[1:], load[1:], minlength=tree.node_count)
    decrease = np.maximum(load - below, 0.0)
    node = np.repeat(np.arange(tree.node_count), np.diff(tree.feature_start))
    # One entry for each feature that a node tests: its size is the root of the sum of squares over its columns.
    pair, place = np.unique(node * n_origins + origin[tree.feature], return_inverse=True)
    with np.errstate(over="ignore"):
        size = np.sqrt(np.bincount(place, (tree.weight * scale[tree.feature]) ** 2, minlength=pair.size))
    total = np.bincount(pair // n_origins, size, minlength=tree.node_count)[pair // n_origins]
    usable = np.isfinite(total) & (total > 0)
    share = np.where(usable, size, 0.0) / np.where(usable, total, 1.0)
    importance = np.bincount(pair % n_origins, decrease[pair // n_origins] * share, minlength=n_origins)
    return np.asarray(importance / importance.sum() if importance.sum() > 0 else importance, dtype=np.float64)


def tree_of(arrays: dict[str, Any], n_features: int) -> Tree:
    """Freeze a tree that the compiled growth made: a hyperplane at each inner node."""
    start = arrays["feature_start"]
    return Tree(
        kind=arrays["kind"],
        first_child=arrays["first_child"],
        n_children=2 * arrays["kind"].astype(np.int64),
        feature_start=start,
        weight_start=start,
        feature=arrays["feature"],
        weight=arrays["weight"],
        threshold=arrays["threshold"],
        payload=Constant(arrays["value"]),
        n_samples=arrays["n_samples"],
        mass=arrays["mass"],
        impurity=arrays["impurity"],
        n_features=n_features,
        n_hyperplanes=int(arrays["n_evaluated"]),
    )
