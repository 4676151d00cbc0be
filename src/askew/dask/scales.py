"""Location and width of the columns of a node: means and deviations, or medians and quartiles."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from askew.dask.exact_sums import sum_unit
from askew.dask.moments import ColumnSums
from askew.dask.partition import FeatureBins, NodePath
from askew.dask.quantiles import Ask, OrderStatistic, find, quantile, ranks
from askew.dask.queries import Extents
from askew.data.ordered_floats import key

_SHARES = (0.25, 0.5, 0.75)
_LEAST_RANGE = 1e-290  # of a column that is not constant (core/linear/standardised.hpp)


@dataclass(frozen=True, eq=False)
class ColumnScales:
    """Mean and standard deviation of every column at a node: exact sums of shares of its range, which cannot overflow.

    Attributes
    ----------
    table : float64 array (4 x columns)
        Least value, half of the range, mean and deviation, both as shares of that half; zeros for a constant column
        (`ColumnScales` in core/linear/exact_sums.hpp).
    """

    table: NDArray[np.float64]

    @classmethod
    def of(cls, ask: Ask, path: NodePath, total: float, *, by_samples: bool = False) -> ColumnScales:
        """Ask for them; `total` is the weight of the node, or its samples."""
        low, high = ask(Extents(path))
        half, unit = high * 0.5 - low * 0.5, sum_unit(2 * total, 1)
        table = np.zeros((4, low.size))
        table[0], table[1] = low, np.where(half > _LEAST_RANGE, half, 0.0)
        for row, squares in ((2, False), (3, True)):
            (sums,) = ask(ColumnSums(path, table.copy(), squares, by_samples, unit))
            table[row] = sums[:-1] / sums[-1]
        table[3] = np.sqrt(table[3])
        found = cls(table)
        with np.errstate(over="ignore"):
            table[3, ~(np.isfinite(found.deviation) & np.isfinite(found.mean))] = 0.0
        return found

    @property
    def mean(self) -> NDArray[np.float64]:
        """The means."""
        return np.asarray(self.table[0] + 2 * self.table[2] * self.table[1])

    @property
    def deviation(self) -> NDArray[np.float64]:
        """The standard deviations; 0 for a column that is constant."""
        return np.asarray(2 * self.table[3] * self.table[1])


def quartiles(
    ask: Ask,
    path: NodePath,
    bins: FeatureBins,
    samples: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return median and interquartile range of every column at a node, both exact.

    Parameters
    ----------
    ask : function
        Asks the workers.
    path : NodePath
        The node.
    bins : FeatureBins
        The bins of the columns.
    samples : float64 array
        Number of samples in each bin of all columns.
    low, high : float64 array
        The least and the largest value of every column.
    """
    statistics: list[OrderStatistic] = []
    for j, (start, end) in enumerate(zip(bins.first[:-1], bins.first[1:], strict=True)):
        below = np.cumsum(samples[start:end])
        needed = sorted({rank for share in _SHARES for rank in ranks(float(below[-1]), share)[:2]})
        statistics += [_in_bin(bins, j, rank, below, float(low[j]), float(high[j])) for rank in needed]
    find(statistics, path, ask)
    nth: list[dict[float, float]] = [{} for _ in bins.edges]
    for one in statistics:
        nth[one.column][one.rank] = one.value
    total = float(samples[: bins.first[1]].sum())
    found = np.array([[quantile(total, share, of) for share in _SHARES] for of in nth])
    return found[:, 1], found[:, 2] - found[:, 0]


def _in_bin(
    bins: FeatureBins, j: int, rank: float, below: NDArray[np.float64], low: float, high: float
) -> OrderStatistic:
    """Return the range in which the value at a rank lies: a bin, or the part of it that the node has."""
    bin_number = int(np.searchsorted(below, rank, side="right"))
    edges, before = bins.edges[j], float(below[bin_number - 1]) if bin_number else 0.0
    upper = edges[bin_number] if bin_number < edges.size else high
    first = key(max(low, float(np.nextafter(edges[bin_number - 1], inf)))) if bin_number else key(low)
    last = key(min(high, float(upper)))
    return OrderStatistic(j, rank, last if bins.exact[j] else first, last, before, float(below[bin_number]) - before)
