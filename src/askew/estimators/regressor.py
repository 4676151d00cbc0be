"""What a tree of numbers adds to `askew.estimators.base.BaseTree`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from askew.estimators import data
from askew.estimators.base import BaseTree


@dataclass(kw_only=True, eq=False, repr=False)
class TreeRegressor(RegressorMixin, BaseTree):  # type: ignore[misc]
    """A tree whose leaves hold numbers.

    Parameters
    ----------
    criterion : str or callable, default="squared_error"
        How splits are scored: "squared_error" or "absolute_error"; or your own function, see
        `askew.criterion.as_criterion`.
    """

    criterion: Any = "squared_error"

    _numeric_y: ClassVar[bool] = True

    def _read_y(self, y: NDArray[Any], weights: NDArray[np.float64], classes: NDArray[Any] | None) -> data.Target:
        return data.Target(data.read_numbers(y), weights)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the number in the leaf of each row."""
        return self.predict_encoded(self.encoded(X))

    def predict_encoded(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what `predict` does, for rows that are `encoded` already."""
        return self.tree_.outputs(*self._walk(columns))[:, 0]
