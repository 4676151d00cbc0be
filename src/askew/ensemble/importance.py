"""The importance of features for a tree of hyperplanes, without a loop over its nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
