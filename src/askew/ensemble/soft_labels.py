"""`SoftLabels`: a table whose rows have shares of classes in the place of a class. What a distilled tree learns from.

row      0         1              a row of X with the shares .7 .3 .0 becomes two rows, of weight .7 and .3;
shares   .7 .3 .0  0 1 0          they count as .7 and .3 samples, and are held out together
rows     0 0       1
y        0 1       1
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askew.table import Table

# Smaller probabilities are left out, and the others are scaled up: many classes would make many rows of tiny weight.
LEAST = 0.01


@dataclass(frozen=True, eq=False)
class SoftLabels(Table):
    """A row for each row and each class that it has a share of.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.ensemble.soft_labels import SoftLabels
    >>> from askew.table import Table
    >>> one = np.ones(2)
    >>> table = Table(np.array([[1.0], [2.0]]), np.zeros(2, dtype=np.int32), one, one, 1, ("x0",))
    >>> soft = SoftLabels.of(table, np.array([[0.75, 0.25], [0.0, 1.0]]))
    >>> soft.y.tolist(), soft.weight.tolist()
    ([0, 1, 1], [0.75, 0.25, 1.0])
    """

    @classmethod
    def of(cls, table: Table, shares: NDArray[np.float64]) -> SoftLabels:
        """Give the rows of a table shares of classes (rows x classes), whatever class they had."""
        kept = np.where(shares >= np.minimum(LEAST, shares.max(axis=1, keepdims=True)), shares, 0.0)
        row, label = np.nonzero(kept)
        share = kept[row, label] / kept.sum(axis=1)[row]
        return cls(
            X=np.ascontiguousarray(table.X[row]),
            y=label.astype(np.int32),
            weight=share * table.weight[row],
            multiplicity=share * table.multiplicity[row],
            n_classes=shares.shape[1],
            feature_names=table.feature_names,
            levels=table.levels,
            divides=table.divides,
            given=table.given,
        )

    def row_hash(self, seed: int) -> NDArray[np.float64]:
        """Give each row a number that depends on the seed and its features alone: it has more than one class."""
        same = np.zeros(self.n_rows, dtype=np.int32)
        return Table(self.X, same, self.weight, self.multiplicity, 1, self.feature_names).row_hash(seed)

    def places(self, seed: int, by_class: bool = False) -> NDArray[np.float64]:
        """Give each row its place among all rows, whatever their classes: those of one row of X have the same."""
        return super().places(seed, by_class=False)
