"""Exact order statistics of columns that are spread over workers, by counting; and bins that are made from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray

from askew.dask.partition import FeatureBins, NodePath
from askew.dask.queries import Answer, Inside, Query, Sample, Values
from askew.data.ordered_floats import value

Ask = Callable[[Query], Answer]

_PARTS = 1024  # that a range is cut into
_FEW = 256  # samples: up to this many, values are listed, not counted


@dataclass
class OrderStatistic:
    """An order statistic to find: the value of a column at a rank, between two keys.

    Attributes
    ----------
    column : int
        The column.
    rank : float
        Number of samples before it.
    low, high : int
        The keys between which it lies, both included.
    before : float
        Number of samples below `low`.
    inside : float
        Number of samples from `low` to `high`; -1 if not known.
    """

    column: int
    rank: float
    low: int
    high: int
    before: float = 0.0
    inside: float = -1.0

    @property
    def found(self) -> bool:
        """Whether one value is left."""
        return self.low == self.high

    @property
    def value(self) -> float:
        """The value, once it is found."""
        return value(self.low)

    @property
    def range(self) -> tuple[int, int, int]:
        """Column and keys: statistics near to each other are looked for in the same range."""
        return self.column, self.low, self.high

    def narrow(self, parts: NDArray[np.int64], shift: int) -> None:
        """Go on in the part of the range that has the rank."""
        up_to = np.cumsum(parts)
        part = int(np.searchsorted(up_to, self.rank - self.before, side="right"))
        self.before += float(up_to[part] - parts[part])
        self.inside = float(parts[part])
        self.low, self.high = self.low + (part << shift), min(self.high, self.low + ((part + 1) << shift) - 1)

    def pick(self, listed: NDArray[np.uint64], samples: NDArray[np.int64]) -> None:
        """Take the value at the rank from all values of the range."""
        order = np.argsort(listed, kind="stable")
        up_to = self.before + np.cumsum(samples[order])
        self.low = self.high = int(listed[order][int(np.searchsorted(up_to, self.rank, side="right"))])


def find(statistics: list[OrderStatistic], path: NodePath, ask: Ask) -> None:
    """Find order statistics of a node's rows; all columns at once, a few rounds."""
    while True:
        ranges: dict[tuple[int, int, int], list[OrderStatistic]] = {}
        for one in statistics:
            if not one.found:
                ranges.setdefault(one.range, []).append(one)
        if not ranges:
            return
        few = [0 <= group[0].inside <= _FEW for group in ranges.values()]
        shifts = [
            -1 if f else max(0, (high - low).bit_length() - 10) for f, (_, low, high) in zip(few, ranges, strict=True)
        ]
        columns, lows, highs = zip(*ranges, strict=True)
        counts, number, listed, samples = ask(
            Inside(
                path,
                np.array(columns, dtype=np.int64),
                np.array(lows, dtype=np.uint64),
                np.array(highs, dtype=np.uint64),
                np.array(shifts, dtype=np.int64),
                _PARTS,
            )
        )
        for i, (group, shift) in enumerate(zip(ranges.values(), shifts, strict=True)):
            for one in group:
                if shift >= 0:
                    one.narrow(counts[i], shift)
                else:
                    one.pick(listed[number == i], samples[number == i])


def quantile(total: float, share: float, nth: dict[float, float]) -> float:
    """Return the value at a share of the samples, as `Quantiles` in core/score/column_scales.hpp."""
    lower, above, part = ranks(total, share)
    a, b = nth[lower], nth[above]
    return a + (b - a) * part


def ranks(total: float, share: float) -> tuple[float, float, float]:
    """Return the ranks of the values on both sides of a share of the samples, and how far it is from the first."""
    rank = share * (total - 1)
    lower = float(floor(rank))
    return lower, lower + 1 if rank > lower else lower, rank - lower


def make_bins(ask: Ask, n_features: int, n_rows: int, most: int, sampled: int) -> FeatureBins:
    """Return the bins of every column: its different values, if they are few; otherwise quantiles of a sample.

    The sample is chosen by what the rows hold, so that it is the same for any partitioning; it is all rows if they are
    no more than `sampled`.
    """
    number, found = ask(Values(NodePath(), most))
    values: list[NDArray[np.float64]] = [np.unique(found[number == j]) for j in range(n_features)]
    many = [j for j, v in enumerate(values) if np.isnan(v).any() or v.size > most]
    if many:
        (rows,) = ask(Sample(NodePath(), min(1.0, sampled / n_rows)))
        for j in many:
            values[j] = quantile_edges(rows[:, j], most)
    exact = np.array([j not in many for j in range(n_features)])
    # The largest value is not an edge: nothing is above it.
    edges = tuple(v[:-1] if e else v for v, e in zip(values, exact, strict=True))
    return FeatureBins(edges, exact)


def quantile_edges(sample: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return the edges of at most `most` bins with about equal numbers of values of a sample."""
    positions = np.arange(1, most) * sample.size // most
    return np.unique(np.sort(sample)[positions]) if sample.size else np.empty(0)
