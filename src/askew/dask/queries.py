"""The queries about a node that every partition answers. Answers are small, and add up exactly over partitions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.dask.exact_sums import Grid
from askew.dask.partition import NodePath, Partition
from askew.data.ordered_floats import keys, value
from askew.model.leaf_values import AnyArray
from askew.model.split import Split

Answer = tuple[AnyArray, ...]
_CHUNK = 16384  # rows
_PACKED = 8 << 20  # bytes: a counter keeps a float32 copy of its rows up to this size (core/cedt/plane_products.hpp)
Merge = Callable[[AnyArray, AnyArray], AnyArray]


@dataclass(frozen=True, eq=False)
class Query(ABC):
    """A query about the rows of a node.

    Attributes
    ----------
    merge : tuple of functions
        How the arrays of two partitions' answers become one.
    path : NodePath
        The node.
    """

    merge: ClassVar[tuple[Merge, ...]] = (np.add,)

    path: NodePath

    @abstractmethod
    def answer(self, part: Partition) -> Answer:
        """Answer for the rows of one partition."""


def merged(queries: Sequence[Query], answers: Sequence[Sequence[Answer]]) -> list[Answer]:
    """Return one answer to each query out of those of several partitions."""
    total = list(answers[0])
    for more in answers[1:]:
        for i, query in enumerate(queries):
            total[i] = tuple(merge(a, b) for merge, a, b in zip(query.merge, total[i], more[i], strict=True))
    return total


def units(part_unit: float, n_classes: int, grid: Grid) -> NDArray[np.float64]:
    """Return the unit of each of the counts of a side; see core/score/count_scores.hpp for their order."""
    if n_classes:
        return np.array([part_unit] * n_classes + [1.0] * (n_classes + 1))
    return np.array([part_unit, grid.first, grid.second, 1.0, 1.0])


def as_units(counts: NDArray[np.float64], part: Partition, grid: Grid) -> NDArray[np.int64]:
    """Return counts as integer multiples of their units."""
    return np.rint(counts / units(part.unit, part.table.n_classes, grid)).astype(np.int64)


def _counts(part: Partition, rows: NDArray[np.uint32], grid: Grid) -> NDArray[np.float64]:
    """Return the counts of some rows."""
    table = part.table
    weight, samples = table.weight[rows], table.multiplicity[rows].sum()
    if table.classification:
        y, k = table.y[rows], table.n_classes
        return np.concatenate((np.bincount(y, weight, k), np.bincount(y, minlength=k), [samples]))
    first = weight * (table.y[rows] - grid.centre)
    second = first * (table.y[rows] - grid.centre)
    moments = [(np.rint(m / unit) * unit).sum() for m, unit in ((first, grid.first), (second, grid.second))]
    return np.array([weight.sum(), *moments, rows.size, samples])


@dataclass(frozen=True, eq=False)
class Totals(Query):
    """The counts of all rows of some children of the node (children x counts); for numbers also the extent of y."""

    merge = (np.add, np.minimum, np.maximum)

    splits: tuple[Split, ...]
    grids: tuple[Grid, ...]

    def answer(self, part: Partition) -> Answer:
        """Count the rows of each child; of the node itself if there is no split."""
        split = self.splits[0] if self.splits else None
        paths = [self.path.child(split, i) for i in range(split.n_children)] if split else [self.path]
        rows = [part.rows(path) for path in paths]
        y = part.table.y
        return (
            np.array([as_units(_counts(part, r, g), part, g) for r, g in zip(rows, self.grids, strict=True)]),
            np.array([y[r].min(initial=np.inf) if y.dtype.kind == "f" else 0.0 for r in rows]),
            np.array([y[r].max(initial=-np.inf) if y.dtype.kind == "f" else 0.0 for r in rows]),
        )


@dataclass(frozen=True, eq=False)
class Histogram(Query):
    """The counts of every bin of every feature (bins x counts)."""

    grid: Grid

    def answer(self, part: Partition) -> Answer:
        """Count the rows in each bin."""
        assert part.bins is not None
        assert part.codes is not None
        counts = _core.count_codes(part.node(self.path), codes=part.codes, first=part.bins.first, **self.grid.kernel)
        return (as_units(counts, part, self.grid),)


@dataclass(frozen=True, eq=False)
class Planes(Query):
    """The counts above planes that are drawn on every worker from the same few numbers (planes x counts)."""

    grid: Grid
    features: NDArray[np.int64]
    shift: NDArray[np.float64]
    inverse: NDArray[np.float64]
    mu: NDArray[np.float64]
    kappa: float
    n: int
    seed: int
    threads: int

    def answer(self, part: Partition) -> Answer:
        """Draw the planes, and count the rows above each."""
        total = np.zeros((self.n, units(1.0, part.table.n_classes, self.grid).size), dtype=np.int64)
        for counter in part.cached(self.path, "planes", lambda: self._counters(part)):
            counts = counter.count_drawn(self.mu, kappa=self.kappa, n=self.n, seed=self.seed)
            total += as_units(counts, part, self.grid)
        return (total,)

    def _counters(self, part: Partition) -> list[_core.PlaneCounter]:
        """Return counters, each of as many rows as it can keep a float32 copy of."""
        where = {"features": self.features, "shift": self.shift, "inverse": self.inverse, **self.grid.kernel}
        most = max(1, _PACKED // (4 * (self.features.size + 1)))
        return [
            _core.PlaneCounter(part.node_of(rows, self.threads), **where)  # type: ignore[arg-type]
            for rows in chunks(part.rows(self.path), most)
        ]


@dataclass(frozen=True, eq=False)
class Sides(Query):
    """The counts of child 0 of each of some splits (splits x counts)."""

    grid: Grid
    splits: tuple[Split, ...]

    def answer(self, part: Partition) -> Answer:
        """Route the rows by each split."""
        rows = part.rows(self.path)
        lower = [rows[split.route(part.table.X, rows) == 0] for split in self.splits]
        return (np.array([as_units(_counts(part, r, self.grid), part, self.grid) for r in lower]),)


@dataclass(frozen=True, eq=False)
class Extents(Query):
    """The least and the largest value of every column."""

    merge = (np.minimum, np.maximum)

    def answer(self, part: Partition) -> Answer:
        """Look at all values."""
        low, high = np.full(part.table.n_features, np.inf), np.full(part.table.n_features, -np.inf)
        for some in chunks(part.rows(self.path)):
            X = part.table.X[some]
            low, high = np.minimum(low, X.min(axis=0)), np.maximum(high, X.max(axis=0))
        return low, high


def chunks(rows: NDArray[np.uint32], most: int = _CHUNK) -> list[NDArray[np.uint32]]:
    """Return the rows a few at a time, so that no copy of all rows is made."""
    return np.array_split(rows, max(1, -(-rows.size // most))) if rows.size else []


def _stack(a: AnyArray, b: AnyArray) -> AnyArray:
    return np.concatenate((a, b))


@dataclass(frozen=True, eq=False)
class Inside(Query):
    """Of some ranges of values: the samples in each part of a range, or the values themselves with their samples.

    Attributes
    ----------
    column : int64 array
        The column of each range.
    low, high : uint64 array
        The ranges, as keys (see `askew.data.ordered_floats`), both ends included.
    shift : int64 array
        A range is cut into parts of ``2**shift`` keys; -1 for the values themselves.
    n_parts : int
        Number of parts of a range, at most.
    """

    merge = (np.add, _stack, _stack, _stack)

    column: NDArray[np.int64]
    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    shift: NDArray[np.int64]
    n_parts: int

    def answer(self, part: Partition) -> Answer:
        """Look at the values that are inside."""
        counts = np.zeros((self.column.size, self.n_parts), dtype=np.int64)
        number, key, weight = [np.empty(0, np.int64)], [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
        rows, column, last = part.rows(self.path), np.empty(0), -1
        for i, shift in enumerate(self.shift.tolist()):
            if self.column[i] != last:  # the ranges of a column come one after the other
                last = int(self.column[i])
                column = part.table.X[rows, last]
            inside = (column >= value(int(self.low[i]))) & (column <= value(int(self.high[i])))
            found, samples = keys(column[inside]), part.table.multiplicity[rows[inside]]
            if shift >= 0:
                part_number = ((found - self.low[i]) >> np.uint64(shift)).astype(np.int64)
                counts[i] = np.bincount(part_number, samples, self.n_parts)
            else:
                different, which = np.unique(found, return_inverse=True)
                number.append(np.full(different.size, i))
                key.append(different)
                weight.append(np.bincount(which, samples, different.size).astype(np.int64))
        return counts, np.concatenate(number), np.concatenate(key), np.concatenate(weight)


@dataclass(frozen=True, eq=False)
class Values(Query):
    """The different values of every column (column number, value); a column with more than `most` is left out.

    A column that is left out has one entry, NaN.
    """

    merge = (_stack, _stack)

    most: int

    def answer(self, part: Partition) -> Answer:
        """Look at the values, of columns with many different ones at some alone."""
        numbers, values = [], []
        for j, column in enumerate(part.table.X.T):
            some = np.unique(column[: 16 * self.most])
            found = np.unique(column) if some.size <= self.most else some
            found = np.full(1, np.nan) if found.size > self.most else found
            numbers.append(np.full(found.size, j, dtype=np.int64))
            values.append(found)
        return np.concatenate(numbers), np.concatenate(values)


@dataclass(frozen=True, eq=False)
class Sample(Query):
    """The rows whose hash is below a limit: the choice depends on the values of a row, not on its partition."""

    merge = (_stack,)

    share: float

    def answer(self, part: Partition) -> Answer:
        """Return the rows."""
        found = [np.empty((0, part.table.n_features))]
        for some in chunks(part.rows(self.path)):
            table = part.table.take(some)
            found.append(table.X[table.row_hash(0) < self.share])
        return (np.concatenate(found),)
