"""`Table`: the data a tree learns from, validated once. Nothing behind it checks again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.model.split import Split

Rows = NDArray[np.uint32]  # numbers of rows; what stands for some rows of a table
Summary = tuple[NDArray[np.float64], float, float, float, bool]  # value, samples, weight, impurity, whether it is pure
_T = TypeVar("_T")
_Item = TypeVar("_Item")


@dataclass(frozen=True, eq=False)
class Table:
    """Rows, what they are labelled with, and how much each counts.

    Attributes
    ----------
    X : float64 array (n, d), C-ordered, finite; NaN where a value is missing, if the search can work with that
    y : class codes ``0..n_classes-1`` (int32), or numbers (float64) when ``n_classes`` is 0
    weight : importance of each row (``sample_weight`` times ``class_weight``), positive
    multiplicity : how many samples each row stands for; what the limits count.
        Whole-number sample weights are repetitions; any others are importances, and a row counts once.
    n_classes : number of classes; 0 for regression
    feature_names : one name for each column
    levels : number of categories of each column, which then holds their codes ``0..levels-1``; 0 for a column of
        numbers; empty if all are. Only searches that take categories as they are see codes
    divides : whether a row with a missing value in a split's feature goes to every child in part (C4.5)
    given : number of features of the data, of which categories have several columns here; 0: as many as columns
    """

    X: NDArray[np.float64]
    y: NDArray[np.int32] | NDArray[np.float64]
    weight: NDArray[np.float64]
    multiplicity: NDArray[np.float64]
    n_classes: int
    feature_names: tuple[str, ...]
    levels: tuple[int, ...] = ()
    divides: bool = False
    given: int = 0

    def __post_init__(self) -> None:
        if self.n_rows >= 2**32:  # the kernels number rows by 32 bits
            raise MemoryError(f"a tree learns from fewer than 4,294,967,296 rows, got {self.n_rows:,}")

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what was worked out: a worker that is sent the table works it out anew."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def n_given(self) -> int:
        """Number of features of the data: a feature of categories counts once, however many columns it has here."""
        return self.given or self.n_features

    @property
    def classification(self) -> bool:
        """Whether the rows have classes rather than numbers."""
        return self.n_classes > 0

    @property
    def n_counts(self) -> int:
        """How many numbers describe a node: one a class, or the three moments of y."""
        return self.n_classes or 3

    @cached_property
    def incomplete(self) -> bool:
        """Whether values are missing, and rows without them are divided."""
        return self.divides and bool(
            self.n_rows > 0 and np.isnan(self.X.min())
        )  # the least of numbers is NaN if one is

    @cached_property
    def target(self) -> _core.Target:
        """What the kernels see of y and the weights; all-one weights are left out."""
        return _core.Target(
            label=self.y.astype(np.int32, copy=False) if self.classification else None,
            y=None if self.classification else self.y.astype(np.float64, copy=False),
            weight=None if np.all(self.weight == 1) else self.weight,
            multiplicity=None if np.all(self.multiplicity == 1) else self.multiplicity,
            k=self.n_counts,
        )

    @cached_property
    def extent(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest value of every column."""
        return self.X.min(axis=0), self.X.max(axis=0)

    @cached_property
    def single(self) -> bool:
        """Whether each row stands for one sample."""
        return bool((self.multiplicity == 1).all())

    @cached_property
    def n_distinct(self) -> int:
        """How many rows differ, in their features or in y."""
        return int(np.unique(self.row_hash(0)).size)

    # --- what growth, and the searches that only count, ask of a table; see `askew.dask.table`

    by_level: ClassVar[bool] = False  # whether all nodes of a level are searched at once

    @property
    def everything(self) -> Rows:
        """All rows."""
        return np.arange(self.n_rows, dtype=np.uint32)

    def for_each(self, function: Callable[[_Item], _T], items: Sequence[_Item]) -> Iterable[_T]:
        """Return what a function that asks the table says of each item, one after the other."""
        return map(function, items)

    def summary(self, criterion: Criterion, rows: Rows) -> Summary:
        """Return what a tree records of a node."""
        return _core.summary(criterion.kernel, self.target, rows)

    def samples(self, rows: Rows) -> float:
        """Return how many samples some rows stand for."""
        return float(rows.size if self.single else self.multiplicity[rows].sum())

    def mass(self, rows: Rows) -> float:
        """Return the weight of some rows."""
        return float(self.weight[rows].sum())

    def subtree(self, node: Any, search: Any, criterion: Criterion, limits: Any) -> Any:
        """Return the tree below a node, if the table knows a better way to it than node by node; None if not."""
        return None

    def axis_cut(
        self, criterion: Criterion, node: Any, max_features: int | None = None, seed: int = 0
    ) -> tuple[int, float, float] | None:
        """Return feature, threshold and score of the best cut of a node."""
        return _core.axis_cut(criterion.kernel, node.kernel, max_features=max_features, seed=seed)

    def column_scales(self, node: Any, scaling: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where each column lies on a node's rows, and how wide it is there; width 0 if it is constant."""
        return _core.measure_columns(self.target, self.X, node.rows, scaling, node.threads)

    def cross_entropy(self, criterion: Criterion, node: Any, **rules: Any) -> tuple[Any, ...]:
        """Search planes by the cross-entropy method: see `askew.search.cross_entropy`."""
        return _core.cross_entropy(criterion.kernel, node.kernel, **rules)

    def linear_directions(
        self,
        node: Any,
        *,
        canonical: int = 0,
        groups: NDArray[np.int8] | None = None,
        starts: Sequence[Split] = (),
        **penalty: Any,
    ) -> NDArray[np.float64]:
        """Return planes that are fitted to the classes or to y (planes x columns): see `askew.search.linear`.

        Parameters
        ----------
        node : the rows
        canonical : at most so many canonical directions come first
        groups : of classes that logistic fits tell apart (groups x classes): 1, 0, or -1 for a class that is left out
        starts : splits from which hinges begin, in regression
        penalty : of the fits
        """
        left = [split.route(self.X, node.rows) == 0 for split in starts]
        return _core.linear_directions(
            self.target,
            self.X,
            node.rows,
            np.arange(self.n_features),
            **penalty,
            canonical=canonical,
            groups=np.empty((0, 0), dtype=np.int8) if groups is None else groups,
            starts=np.array(left, dtype=np.uint8).reshape(len(left), node.rows.size),
            threads=node.threads,
        )

    def plane_cuts(
        self, criterion: Criterion, node: Any, planes: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return threshold and score of the best cut along each plane; a score is infinite where there is no cut."""
        return _core.plane_cuts(
            criterion.kernel,
            self.target,
            self.X,
            node.rows,
            np.arange(self.n_features),
            planes,
            min_samples_leaf=node.min_samples_leaf,
            min_weight_leaf=node.min_weight_leaf,
            threads=node.threads,
        )

    def class_mass(self, node: Any, split: Split) -> NDArray[np.float64]:
        """Return the weight of each class in the first child of a split of a node."""
        below = split.route(self.X, node.rows) == 0
        return np.bincount(node.y, node.weight * below, minlength=self.n_classes).astype(np.float64, copy=False)

    def split_scores(self, criterion: Criterion, node: Any, splits: Sequence[Split | None]) -> list[float]:
        """Return the score of splits in two on a node's rows; infinite without one, or if the limits refuse a child."""
        return [self._score(criterion, node, split) for split in splits]

    def _score(self, criterion: Criterion, node: Any, split: Split | None) -> float:
        if split is None:
            return inf
        child = split.route(self.X, node.rows)
        samples = np.bincount(child, self.multiplicity[node.rows], minlength=2)
        weight = np.bincount(child, self.weight[node.rows], minlength=2)
        if samples.min() < max(1.0, node.min_samples_leaf) or weight.min() < node.min_weight_leaf:
            return inf
        return _core.score_split(criterion.kernel, self.target, node.rows, child)

    # --- rows

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Table:
        """Return the table of some of the rows."""
        return replace(
            self,
            X=np.ascontiguousarray(self.X[rows]),
            y=self.y[rows],
            weight=self.weight[rows],
            multiplicity=self.multiplicity[rows],
        )

    def divide(self, rows: NDArray[np.uint32], split: Split) -> list[tuple[Table, NDArray[np.uint32]]]:
        """Send rows to the children of a split: for each child a table, and the numbers of its rows in it.

        A row for which the test has no answer, because a value is missing, goes to every child in part: each
        has the share of it that it has of the rows with an answer (Quinlan 1993, section 3.2). The children
        have tables of their own then, in which parts of rows weigh less and count for less.
        """
        route = split.route(self.X, rows)
        whole = [(self, rows[route == child]) for child in range(split.n_children)]
        if not self.incomplete:
            return whole
        unknown = np.asarray(np.isnan(self.X[rows[:, None], split.features]).any(axis=1))
        if not unknown.any():
            return whole
        answered = np.bincount(route[~unknown], self.weight[rows][~unknown], minlength=split.n_children)
        share = answered / answered.sum()
        children = []
        for child in range(split.n_children):
            here = np.where(unknown, share[child] > 0, route == child)
            part = np.where(unknown[here], share[child], 1.0)
            own = self.take(rows[here])
            own = replace(own, weight=own.weight * part, multiplicity=own.multiplicity * part)
            children.append((own, np.arange(own.n_rows, dtype=np.uint32)))
        return children

    def row_hash(self, seed: int) -> NDArray[np.float64]:
        """Give each row a number in [0, 1) that depends on the seed and the row alone.

        Equal rows draw equal numbers, so that a row with weight two and two equal rows are held out
        together, and the order of the rows does not matter.
        """
        hashed = np.full(self.n_rows, seed & 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
        _scramble(hashed)
        for column in (*self.X.T, self.y):
            number = column + 0.0  # -0.0 + 0.0 is 0.0: equal values, equal bits
            number[np.isnan(number)] = np.nan  # all that is missing is one NaN
            bits = number.view(np.uint64)
            _scramble(bits)
            hashed ^= bits
            _scramble(hashed)
        return (hashed >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def places(self, seed: int, by_class: bool = True) -> NDArray[np.float64]:
        """Give each row its place in (0, 1) among the rows of its class, or of all, in the order of `row_hash`.

        The rows below 0.1 are thus a tenth of the weight, as nearly as whole rows allow. Equal rows share a place:
        the middle of what they cover together.
        """
        drawn = self.row_hash(seed)
        label = self.y if by_class and self.classification else np.zeros(self.n_rows, dtype=np.int64)
        order = np.lexsort((drawn, label))
        label, drawn = label[order], drawn[order]
        new_class = np.append(True, label[1:] != label[:-1])
        group = np.cumsum(new_class | np.append(True, drawn[1:] != drawn[:-1])) - 1
        of_group, first = np.bincount(group, self.weight[order]), np.flatnonzero(new_class)
        before = np.cumsum(of_group) - of_group
        of_class = np.add.reduceat(of_group, group[first])
        kind = np.cumsum(new_class) - 1
        places = np.empty(self.n_rows)
        places[order] = (before[group] - before[group[first]][kind] + of_group[group] / 2) / of_class[kind]
        return places


def _scramble(bits: NDArray[np.uint64]) -> None:
    """Spread 64 bits over 64 bits (splitmix64), in place."""
    bits += np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(30)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
