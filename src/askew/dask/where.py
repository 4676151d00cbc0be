"""`Where`: the rows of a node, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askew.dask.exact import Grid
from askew.dask.linear import NodeFits
from askew.dask.part import Path


@dataclass(eq=False)
class Where:
    """The rows of a node, wherever they are: what `Node.rows` is for a partitioned table.

    Attributes
    ----------
    path : the node
    size : number of rows
    counts : of all its rows (core/base/count_scores.hpp)
    low, high : extent of y; 0 for classes
    grid : what moments of its rows are rounded to
    mean : of y
    histogram, sample, fits : counts of every bin, some rows, penalised fits, once they were asked for
    """

    path: Path
    size: int
    counts: NDArray[np.float64]
    grid: Grid
    low: float = 0.0
    high: float = 0.0
    mean: float = 0.0
    histogram: NDArray[np.float64] | None = None
    sample: NDArray[np.float64] | None = None
    fits: NodeFits | None = None
