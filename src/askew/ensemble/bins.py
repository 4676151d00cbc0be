"""The values of each feature in at most 255 bins, made once for all trees of a boosting.

value   0.1  0.2  0.2  0.7  0.9          distinct values; if there are too many, bins of about equal weight
edge         0.15      0.45  0.8         between neighbouring values; bin b holds values up to edge[b]
code    0    1    1    2    3
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.model.split_arrays import starts


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of a table.

    Attributes
    ----------
    codes : ndarray
        The bin of each value (features x rows).
    edges : tuple of ndarray
        For each feature, the largest value of each bin but the last.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.ensemble.bins import Bins
    >>> Bins.of(np.array([[1.0], [3.0], [2.0]]), np.ones(3), 255).codes.tolist()
    [[0, 2, 1]]
    """

    codes: NDArray[np.uint8]
    edges: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, X: NDArray[np.float64], weight: NDArray[np.float64], max_bins: int) -> Bins:
        """Bin each column of X; if it has more values than `max_bins`, the bins have about equal weight."""
        columns = [np.ascontiguousarray(column) for column in X.T]
        edges = tuple(bin_edges(column, weight, max_bins) for column in columns)
        codes = np.empty((X.shape[1], X.shape[0]), dtype=np.uint8)
        for j, (column, cuts) in enumerate(zip(columns, edges, strict=True)):
            codes[j] = np.searchsorted(cuts, column, side="left")
        return cls(codes, edges)

    def kernel(self, X: NDArray[np.float64], monotonic: NDArray[np.int8] | None) -> _core.BinnedTable:
        """Return the binned table for the compiled core."""
        return _core.BinnedTable(
            X=X,
            codes=self.codes,
            edge_start=starts([cuts.size for cuts in self.edges]),
            edges=np.concatenate([*self.edges, np.empty(0)]),
            monotonic=monotonic,
        )


def bin_edges(column: NDArray[np.float64], weight: NDArray[np.float64], max_bins: int) -> NDArray[np.float64]:
    """Return the edges between the bins of a column, ascending; each lies between two of its values."""
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    first = np.flatnonzero(np.append(True, ordered[1:] > ordered[:-1]))
    values = ordered[first]
    if values.size > max_bins:
        mass = np.add.reduceat(weight[order], first)
        before = np.cumsum(mass)[:-1] / mass.sum()  # the share of the weight up to a value
        # The value at which each share of 1 / max_bins is complete.
        cut = np.unique(np.searchsorted(before, np.arange(1, max_bins) / max_bins))
        cut = cut[cut < before.size]
    else:
        cut = np.arange(values.size - 1)
    low, high = values[cut], values[cut + 1]
    middle = low * 0.5 + high * 0.5
    return np.where((middle >= low) & (middle < high), middle, low)
