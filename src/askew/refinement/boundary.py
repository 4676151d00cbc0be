"""Boundary cuts: the hyperplanes above two leaves get the threshold at which both classes are equally likely."""

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

_L2 = 1e-3  # factor of the squared slope in the loss: keeps it finite if the classes are separable


@dataclass(frozen=True)
class BoundaryCuts:
    """Set the threshold of a hyperplane above two leaves to where their two classes are equally likely.

    The threshold with the best score depends on the few rows around it. If both children are leaves, the threshold
    decides between their two classes: a logistic regression on the distance from the hyperplane, over all rows of the
    node, finds where they are equally likely. A tree with one hyperplane of `askew.search.linear.LinearPlanes` becomes
    the logistic regression itself.

    Axis-parallel cuts, regression trees and splits of other kinds do not change.
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
    """Return the threshold at which two classes are equally likely; None if all rows would be on one side."""
    if labels[0] == labels[1]:
        return None
    value = table.X[rows][:, split.features] @ split.weights
    either = np.isin(table.y[rows], labels)
    right = (table.y[rows][either] == labels[1]).astype(np.float64)
    slope, constant = _core.penalised_fit(
        np.ascontiguousarray(value[either, None]), right, table.weight[rows][either], logistic=True, l2=_L2
    )
    cut = float(-constant / slope) if slope > 0 else np.inf
    return cut if value.min() <= cut < value.max() else None
