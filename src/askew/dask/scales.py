"""Where the columns of a node lie and how wide they are: means and deviations, or medians and quartiles."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from askew.dask.exact import ratio
from askew.dask.keys import key
from askew.dask.part import Bins, Path
from askew.dask.quantiles import Ask, Wanted, find, quantile, ranks
from askew.dask.queries import Squares

_SHARES = (0.25, 0.5, 0.75)


def means_and_spreads(
    ask: Ask, path: Path, n_features: int, *, by_samples: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of every column at a node."""
    sums, mass = ask(Squares(path, np.zeros(n_features), 1, by_samples))
    means = np.array([ratio(total, mass[0]) for total in sums])
    squares, _ = ask(Squares(path, means, 2, by_samples))
    return means, np.sqrt([ratio(total, mass[0]) for total in squares])


def quartiles(
    ask: Ask,
    path: Path,
    bins: Bins,
    samples: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return median and interquartile range of every column at a node, both exact.

    Parameters
    ----------
    ask, path : the rows of the node
    bins : of the columns
    samples : in each bin of all columns
    low, high : the least and the largest value of every column
    """
    wanted: list[Wanted] = []
    for j, (start, end) in enumerate(zip(bins.first[:-1], bins.first[1:], strict=True)):
        below = np.cumsum(samples[start:end])
        places = sorted({rank for share in _SHARES for rank in ranks(float(below[-1]), share)[:2]})
        wanted += [_in_bin(bins, j, rank, below, float(low[j]), float(high[j])) for rank in places]
    find(wanted, path, ask)
    nth: list[dict[float, float]] = [{} for _ in bins.edges]
    for one in wanted:
        nth[one.column][one.rank] = one.value
    total = float(samples[: bins.first[1]].sum())
    found = np.array([[quantile(total, share, of) for share in _SHARES] for of in nth])
    return found[:, 1], found[:, 2] - found[:, 0]


def _in_bin(bins: Bins, j: int, rank: float, below: NDArray[np.float64], low: float, high: float) -> Wanted:
    """Return the range in which the value at a rank lies: a bin, or the part of it that the node has."""
    place = int(np.searchsorted(below, rank, side="right"))
    edges, before = bins.edges[j], float(below[place - 1]) if place else 0.0
    upper = edges[place] if place < edges.size else high
    first = key(max(low, float(np.nextafter(edges[place - 1], inf)))) if place else key(low)
    last = key(min(high, float(upper)))
    return Wanted(j, rank, last if bins.exact[j] else first, last, before, float(below[place]) - before)
