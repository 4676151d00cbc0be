"""The axis-parallel search of CART: the best cut over all features and all values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from askew import _core
from askew.criterion import Criterion
from askew.grow import Node, Progress
from askew.limits import Limits
from askew.payload import Constant
from askew.split import HYPERPLANE, LEAF, Hyperplane, Split
from askew.table import Table
from askew.tree import Tree


@dataclass(frozen=True)
class AxisCut:
    """The best axis-parallel cut of a node."""

    feature: int
    threshold: float
    score: float

    @property
    def split(self) -> Hyperplane:
        """The cut as a split."""
        return Hyperplane([self.feature], [1.0], self.threshold)


def best_axis_cut(node: Node, criterion: Criterion) -> AxisCut | None:
    """Return the best axis-parallel cut of a node: the search of CART, and where oblique searches start."""
    table = node.table
    node.looked_at += table.n_features
    cut = _core.axis_cut(
        criterion.kernel,
        table.target,
        table.X,
        node.rows,
        node.min_samples_leaf,
        node.threads,
        None,
        node.min_weight_leaf,
    )
    return None if cut is None else AxisCut(*cut)


@dataclass(frozen=True)
class AxisParallel:
    """Exact search over every feature: midpoints of neighbouring values; equal values move together.

    Of equally good cuts the first feature's lowest wins.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees (1984), chapter 2.

    Examples
    --------
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.axis import AxisParallel
    >>> ObliqueTreeClassifier(search=AxisParallel()).fit([[1], [2]], [0, 1]).get_n_leaves()
    2
    """

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the best axis-parallel split of a node."""
        cut = best_axis_cut(node, criterion)
        return None if cut is None else cut.split

    def grow(
        self,
        table: Table,
        criterion: Criterion,
        limits: Limits,
        seed: int,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Tree:
        """Grow the whole tree at once, from features sorted once (core/axis/presorted_growth.hpp)."""
        return grow_sorted(table, criterion, limits, threads, progress)


def grow_sorted(
    table: Table, criterion: Criterion, limits: Limits, threads: int, progress: Progress | None, **rule: Any
) -> Tree:
    """Grow a tree of axis-parallel cuts in one go; `rule` is what C4.5 and ID3 add (core/axis/gain_ratio.hpp)."""
    first_child, feature, threshold, value, n_samples, mass, impurity, looked_at = _core.grow_axis(
        criterion.kernel, table.target, table.X, limits.as_array(), threads, progress, **rule
    )
    inner = first_child > 0
    starts = np.concatenate(([0], np.cumsum(inner, dtype=np.int64)))
    return Tree(
        kind=np.where(inner, HYPERPLANE, LEAF).astype(np.int8),
        first_child=first_child,
        n_children=np.where(inner, 2, 0),
        feature_start=starts,
        weight_start=starts,
        feature=feature[inner],
        weight=np.ones(int(inner.sum())),
        threshold=threshold,
        payload=Constant(value),
        n_samples=n_samples.astype(np.int64),
        mass=mass,
        impurity=impurity,
        n_features=table.n_features,
        n_hyperplanes=looked_at,
    )
