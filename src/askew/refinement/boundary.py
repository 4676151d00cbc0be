"""Boundary cuts: the last planes of a tree are cut where two classes are equally likely."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.rows import recounted
from askew.model.split import HYPERPLANE, Hyperplane
from askew.model.tree import Tree
from askew.parallel import Progress

_L2 = 1e-3  # of the slope, beside the sum of the losses: keeps it finite where the classes are apart


@dataclass(frozen=True)
class BoundaryCuts:
    """Move the thresholds of planes above two leaves to where the classes of the leaves are equally likely.

    A criterion is best at a cut that depends on the few rows around it. Where both children are leaves, the cut decides
    between their two classes: a logistic regression of these on the distance from the plane says where they are equally
    likely, by all rows of the node. A single plane of `askew.search.linear.LinearPlanes` becomes the logistic
    regression itself.

    Axis-parallel cuts, trees of numbers, and splits of other kinds stay as they are.
    """

    def refine(
        self,
        tree: Tree,
        table: Table,
        criterion: Criterion,
        seed: int = 0,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Tree:
        """Return the tree with the thresholds moved."""
        if not table.classification or table.incomplete:
            return tree
        leaf = tree.apply(table.X, threads)
        threshold, moved = tree.threshold.copy(), False
        for node in np.flatnonzero(tree.kind == HYPERPLANE).tolist():
            children = tree.first_child[node] + np.arange(2)
            split = tree.split(node)
            if not tree.is_leaf[children].all() or not isinstance(split, Hyperplane) or split.features.size < 2:
                continue
            rows = np.flatnonzero((leaf == children[0]) | (leaf == children[1]))
            cut = _boundary(split, tree.value[children].argmax(axis=1), rows, table)
            if cut is not None:
                threshold[node], moved = cut, True
        return recounted(replace(tree, threshold=threshold), table, criterion) if moved else tree


def _boundary(split: Hyperplane, labels: NDArray[np.int64], rows: NDArray[np.int64], table: Table) -> float | None:
    """Return where the two classes are equally likely; None if all rows would be on one side."""
    if labels[0] == labels[1]:
        return None
    value = table.X[rows][:, split.features] @ split.weights
    own = np.isin(table.y[rows], labels)
    right = (table.y[rows][own] == labels[1]).astype(np.float64)
    slope, constant = _core.penalised_fit(
        np.ascontiguousarray(value[own, None]), right, table.weight[rows][own], logistic=True, l2=_L2
    )
    cut = float(-constant / slope) if slope > 0 else np.inf
    return cut if value.min() <= cut < value.max() else None
