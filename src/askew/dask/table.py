"""`PartitionedTable`: the data of a tree that is grown on a cluster, as far as the client knows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askew.dask.batched_queries import BatchedQueries
from askew.dask.exact_sums import Grid
from askew.dask.partition import FeatureBins
from askew.dask.queries import Answer, Query, units


@dataclass(frozen=True, eq=False)
class PartitionedTable:
    """A table whose rows are spread over the workers of a cluster.

    Every query goes to all partitions, whose answers are integers and add up exactly: the tree is the same
    for any partitioning, any number of workers and any order of arrival.

    Attributes
    ----------
    queries : BatchedQueries
        Asks the workers.
    n_rows, n_features, n_classes : int
        As in `askew.data.table.Table`.
    unit, largest_weight : float
        Unit that the weights are multiples of, and the largest weight.
    extent_of_y : tuple of float
        The least and the largest number; zeros for classes.
    bins : FeatureBins
        The bins of every feature.
    max_bins : int
        The number of bins of a feature, or along a plane, at most.
    threads : int
        Number of threads of a task.
    """

    queries: BatchedQueries
    n_rows: int
    n_features: int
    n_classes: int
    unit: float
    largest_weight: float
    extent_of_y: tuple[float, float]
    bins: FeatureBins
    max_bins: int
    threads: int

    @property
    def classification(self) -> bool:
        """Whether the rows have classes rather than numbers."""
        return self.n_classes > 0

    def ask(self, query: Query) -> Answer:
        """Return the answer of all partitions to a query."""
        return self.queries.ask(query)

    def in_units(self, counts: NDArray[np.int64], grid: Grid) -> NDArray[np.float64]:
        """Return counts of sides as weights, moments and samples."""
        return counts * units(self.unit, self.n_classes, grid)
