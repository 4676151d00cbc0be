"""`DistinctRows`: the distinct rows of a table, ordered by a hash of their values. Ensembles learn from these.

So a random sample does not depend on the order of the training rows, and a row of weight two equals two equal rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The distinct rows of a table.

    Attributes
    ----------
    table : Table
        One row for each distinct row (features and y), with the total weight and number of samples.
    key : ndarray
        Hash of each row, by which it is sampled.
    index : ndarray
        Index of the distinct row of each row of the original table.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.ensemble.distinct_rows import DistinctRows
    >>> from askew.data.table import Table
    >>> X, one = np.array([[1.0], [2.0], [1.0]]), np.ones(3)
    >>> rows = DistinctRows.of(Table(X, np.zeros(3, dtype=np.int32), one, one, 1, ("x0",)))
    >>> rows.table.weight[rows.index].tolist()
    [2.0, 1.0, 2.0]
    """

    table: Table
    key: NDArray[np.uint64]
    index: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table) -> DistinctRows:
        """Return the distinct rows of a table."""
        key = (table.row_hash(0) * 2.0**53).astype(np.uint64)
        order = np.argsort(key, kind="stable")
        sorted_key = key[order]
        new = np.ones(order.size, dtype=bool)
        alike = np.flatnonzero(sorted_key[1:] == sorted_key[:-1])
        before, after = order[alike], order[alike + 1]
        # Two different rows have the same key with probability 2^-53.
        same = (table.y[before] == table.y[after]) & (table.X[before] == table.X[after]).all(axis=1)
        new[alike[same] + 1] = False
        first, group = np.flatnonzero(new), np.cumsum(new) - 1
        index = np.empty(order.size, dtype=np.int64)
        index[order] = group
        chosen = order[first]
        distinct = replace(
            table.take(chosen),
            weight=np.add.reduceat(table.weight[order], first),
            multiplicity=np.add.reduceat(table.multiplicity[order], first),
        )
        return cls(distinct, sorted_key[first], index)
