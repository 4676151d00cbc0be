"""Values along planes that are spread over workers: their bins, and the queries to every partition about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.dask.exact_sums import Grid
from askew.dask.partition import FeatureBins, Partition
from askew.dask.quantiles import quantile_edges
from askew.dask.queries import Answer, Query, as_units, chunks, units


def values_along(X: NDArray[np.float64], planes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows along planes (rows x planes), summed as the tree's walker sums."""
    numbers = _core.Target(label=None, y=np.zeros(len(X)), weight=None, multiplicity=None, k=3)
    return _core.project_planes(_all_of(X, numbers), planes)


def _all_of(X: NDArray[np.float64], target: _core.Target) -> _core.Node:
    rows = np.arange(len(X), dtype=np.uint32)
    return _core.Node(target=target, X=X, rows=rows, min_samples_leaf=1.0, min_weight_leaf=0.0, threads=1)


def plane_bins(along: NDArray[np.float64], most: int, complete: bool) -> FeatureBins:
    """Return bins for the values along planes (rows x planes).

    If `complete`, the rows are all that there are: planes with no more than `most` different values get each its bin.
    """
    edges, exact = [], []
    for column in along.T:
        values = np.unique(column)
        exact.append(complete and values.size <= most)
        edges.append(values[:-1] if exact[-1] else quantile_edges(column, most))
    return FeatureBins(tuple(edges), np.array(exact, dtype=bool))


@dataclass(frozen=True, eq=False)
class AlongPlanes(Query):
    """The counts of every bin of the values along planes (bins of all planes x counts)."""

    grid: Grid
    planes: NDArray[np.float64]
    bins: FeatureBins

    def answer(self, part: Partition) -> Answer:
        """Count the rows in each bin."""
        width = units(1.0, part.table.n_classes, self.grid).size
        total = np.zeros((int(self.bins.first[-1]), width), dtype=np.int64)
        for some in chunks(part.rows(self.path)):
            along = _core.project_planes(part.node_of(some), self.planes)
            target = replace(
                part.table,
                X=along,
                y=part.table.y[some],
                weight=part.table.weight[some],
                multiplicity=part.table.multiplicity[some],
            ).target
            codes = self.bins.codes(along)
            counts = _core.count_codes(_all_of(along, target), codes=codes, first=self.bins.first, **self.grid.kernel)
            total += as_units(counts, part, self.grid)
        return (total,)


@dataclass(frozen=True, eq=False)
class Neighbours(Query):
    """Along each of some planes the largest value that is not above a limit, and the least that is."""

    merge = (np.maximum, np.minimum)

    planes: NDArray[np.float64]
    limits: NDArray[np.float64]

    def answer(self, part: Partition) -> Answer:
        """Look at all values."""
        low, high = np.full(self.limits.size, -np.inf), np.full(self.limits.size, np.inf)
        for some in chunks(part.rows(self.path)):
            along = _core.project_planes(part.node_of(some), self.planes)
            below = along <= self.limits
            low = np.maximum(low, np.where(below, along, -np.inf).max(axis=0))
            high = np.minimum(high, np.where(below, np.inf, along).min(axis=0))
        return low, high
