"""What every classifier with probabilities has."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin


class ProbabilisticClassifier(ClassifierMixin):  # type: ignore[misc]
    """A classifier that gives probabilities, and so their logarithms."""

    class_weight_: NDArray[np.float64] | None

    @abstractmethod
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class (in the order of `classes_`)."""

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
