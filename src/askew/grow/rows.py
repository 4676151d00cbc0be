"""The rows of a node: the statistics that growth and searches need (`RowStatistics`), for local rows (`LocalRows`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.limits import Limits
from askew.model.leaf_values import Constant
from askew.model.split import Split
from askew.model.tree import Tree

Floats = NDArray[np.float64]
Summary = tuple[Floats, float, float, float, bool]  # value, samples, weight, impurity, whether it is pure


class RowStatistics(Protocol):
    """Statistics of the rows of one node: all that growth, and searches that only count, need to know of them.

    Rows in the memory of one machine are `LocalRows`; those on a Dask cluster, `askew.dask.rows.NodeRows`.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def n_features(self) -> int:
        """Number of columns."""
        ...

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        ...

    @property
    def n_samples(self) -> float:
        """Number of samples that the rows stand for."""
        ...

    @property
    def mass(self) -> float:
        """Weight of the rows."""
        ...

    @property
    def limits(self) -> Limits:
        """The limits on growth: a split must give each child `min_samples_leaf` and `min_weight_leaf`."""
        ...

    @property
    def threads(self) -> int:
        """Number of threads that may be used; no answer depends on it."""
        ...

    def summary(self, criterion: Criterion) -> Summary:
        """Return the statistics of the node that a tree records."""
        ...

    def divide(self, split: Split) -> Sequence[RowStatistics]:
        """Return the rows of each child of a split."""
        ...

    def axis_cut(
        self, criterion: Criterion, max_features: int | None = None, seed: int = 0
    ) -> tuple[int, float, float] | None:
        """Return feature, threshold and score of the best axis-parallel cut; None if there is none."""
        ...

    def plane_cuts(self, criterion: Criterion, planes: Floats) -> tuple[Floats, Floats]:
        """Return threshold and score of the best cut along each plane; a score is infinite where there is no cut."""
        ...

    def split_scores(self, criterion: Criterion, splits: Sequence[Split | None]) -> list[float]:
        """Return the score of binary splits; infinite for None, or if the limits refuse a child."""
        ...

    def class_mass(self, split: Split) -> Floats:
        """Return the weight of each class in the first child of a split."""
        ...

    def column_scales(self, scaling: _core.Scaling) -> tuple[Floats, Floats]:
        """Return the location and the width of each column; width 0 if it is constant."""
        ...

    def cross_entropy(
        self,
        criterion: Criterion,
        rules: _core.CrossEntropyRules,
        *,
        features: NDArray[np.int64],
        shift: Floats,
        inverse: Floats,
        seed: int,
    ) -> _core.CrossEntropyResult:
        """Search planes by the cross-entropy method."""
        ...

    def linear_directions(
        self,
        penalty: _core.Penalty,
        *,
        canonical: int = 0,
        groups: NDArray[np.int8] | None = None,
        starts: Sequence[Split] = (),
    ) -> Floats:
        """Return planes that are fitted to the classes or to y (planes x columns).

        Parameters
        ----------
        penalty : Penalty
            The penalty of the fits.
        canonical : int
            Number of canonical directions, at most; they come first.
        groups : int8 array (fits x classes) or None
            The two groups of classes of each logistic fit, 1 and 0; -1 for a class that is left out.
        starts : sequence of Split
            Splits from which hinges begin, in regression.
        """
        ...


@dataclass(eq=False)
class LocalRows:
    """Rows of a table in the memory of this machine; the compiled core answers.

    Attributes
    ----------
    table : Table
        The training data of the tree, or parts of its rows (see `divide`).
    rows : uint32 array
        Row numbers, ascending.
    limits : Limits
        The limits on growth.
    threads : int
        Number of threads that may be used.
    grown_on : Table or None
        All data that the tree is grown on; None if `table` is.
    """

    table: Table
    rows: NDArray[np.uint32]
    limits: Limits
    threads: int = 1
    grown_on: Table | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.rows.size

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.table.n_features

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return self.table.n_classes

    @property
    def n_samples(self) -> float:
        """Number of samples that the rows stand for."""
        return float(self.rows.size if self.table.single else self.table.multiplicity[self.rows].sum())

    @property
    def mass(self) -> float:
        """Weight of the rows."""
        return float(self.table.weight[self.rows].sum())

    @cached_property
    def kernel(self) -> _core.Node:
        """The rows as compiled searches take them."""
        return _core.Node(
            target=self.table.target,
            X=self.table.X,
            rows=self.rows,
            min_samples_leaf=self.limits.min_samples_leaf,
            min_weight_leaf=self.limits.min_weight_leaf,
            threads=self.threads,
        )

    def summary(self, criterion: Criterion) -> Summary:
        """Return the statistics of the node that a tree records."""
        return _core.summary(criterion.kernel, self.table.target, self.rows)

    def divide(self, split: Split) -> list[LocalRows]:
        """Return the rows of each child of a split.

        A row for which the test has no answer, because a value is missing, goes to every child in part: in
        proportion to the weight of the rows with an answer that the child gets (Quinlan 1993, section 3.2). The
        children then have separate tables, in which parts of rows weigh less and count for less.
        """
        table, rows = self.table, self.rows
        route = split.route(table.X, rows)
        complete = [self._child(table, rows[route == child]) for child in range(split.n_children)]
        if not table.incomplete:
            return complete
        unknown = np.asarray(np.isnan(table.X[rows[:, None], split.features]).any(axis=1))
        if not unknown.any():
            return complete
        answered = np.bincount(route[~unknown], table.weight[rows][~unknown], minlength=split.n_children)
        share = answered / answered.sum()
        children = []
        for child in range(split.n_children):
            here = np.where(unknown, share[child] > 0, route == child)
            part = np.where(unknown[here], share[child], 1.0)
            some = table.take(rows[here])
            some = replace(some, weight=some.weight * part, multiplicity=some.multiplicity * part)
            children.append(self._child(some, some.all_rows))
        return children

    def _child(self, table: Table, rows: NDArray[np.uint32]) -> LocalRows:
        grown_on = self.table if self.grown_on is None else self.grown_on
        return LocalRows(table, rows, self.limits, self.threads, grown_on)

    def axis_cut(
        self, criterion: Criterion, max_features: int | None = None, seed: int = 0
    ) -> tuple[int, float, float] | None:
        """Return feature, threshold and score of the best axis-parallel cut; None if there is none."""
        return _core.axis_cut(criterion.kernel, self.kernel, max_features=max_features, seed=seed)

    def plane_cuts(self, criterion: Criterion, planes: Floats) -> tuple[Floats, Floats]:
        """Return threshold and score of the best cut along each plane; a score is infinite where there is no cut."""
        return _core.plane_cuts(criterion.kernel, self.kernel, features=np.arange(self.n_features), planes=planes)

    def split_scores(self, criterion: Criterion, splits: Sequence[Split | None]) -> list[float]:
        """Return the score of binary splits; infinite for None, or if the limits refuse a child."""
        return [inf if split is None else self._score(criterion, split) for split in splits]

    def _score(self, criterion: Criterion, split: Split) -> float:
        child = split.route(self.table.X, self.rows)
        samples = np.bincount(child, self.table.multiplicity[self.rows], minlength=2)
        weight = np.bincount(child, self.table.weight[self.rows], minlength=2)
        if samples.min() < max(1.0, self.limits.min_samples_leaf) or weight.min() < self.limits.min_weight_leaf:
            return inf
        return _core.score_split(criterion.kernel, self.table.target, self.rows, child)

    def class_mass(self, split: Split) -> Floats:
        """Return the weight of each class in the first child of a split."""
        first = split.route(self.table.X, self.rows) == 0
        weight = self.table.weight[self.rows] * first
        return np.bincount(self.table.y[self.rows], weight, minlength=self.n_classes).astype(np.float64, copy=False)

    def column_scales(self, scaling: _core.Scaling) -> tuple[Floats, Floats]:
        """Return the location and the width of each column; width 0 if it is constant."""
        return _core.measure_columns(self.table.target, self.table.X, self.rows, scaling, self.threads)

    def cross_entropy(
        self,
        criterion: Criterion,
        rules: _core.CrossEntropyRules,
        *,
        features: NDArray[np.int64],
        shift: Floats,
        inverse: Floats,
        seed: int,
    ) -> _core.CrossEntropyResult:
        """Search planes by the cross-entropy method."""
        return _core.cross_entropy(
            criterion.kernel, self.kernel, rules, features=features, shift=shift, inverse=inverse, seed=seed
        )

    def linear_directions(
        self,
        penalty: _core.Penalty,
        *,
        canonical: int = 0,
        groups: NDArray[np.int8] | None = None,
        starts: Sequence[Split] = (),
    ) -> Floats:
        """Return planes that are fitted to the classes or to y (planes x columns)."""
        left = [split.route(self.table.X, self.rows) == 0 for split in starts]
        return _core.linear_directions(
            self.kernel,
            penalty,
            features=np.arange(self.n_features),
            canonical=canonical,
            groups=np.empty((0, 0), dtype=np.int8) if groups is None else groups,
            starts=np.array(left, dtype=np.uint8).reshape(len(left), self.n_rows),
        )


def recounted(tree: Tree, table: Table, criterion: Criterion) -> Tree:
    """Return the tree with the samples, weights and impurities of its nodes taken from these rows."""
    parts = {0: LocalRows(table, table.all_rows, Limits())}  # of nodes whose parents have been counted
    summaries = []
    for node in range(tree.node_count):
        rows = parts.pop(node)
        summaries.append(rows.summary(criterion)[:4])
        if not tree.is_leaf[node]:
            parts.update(enumerate(rows.divide(tree.split(node)), start=int(tree.first_child[node])))
    value, n_samples, mass, impurity = (np.array(column) for column in zip(*summaries, strict=True))
    return replace(
        tree, payload=Constant(value), n_samples=np.rint(n_samples).astype(np.int64), mass=mass, impurity=impurity
    )
