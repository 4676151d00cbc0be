"""What the places of a tree (the nodes of a tree, the regions of a network) predict: their payload.

A tree finds the place of a row; the payload says what is predicted there. Growth, pruning, model files and exports
carry a payload along without knowing its kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Payload(ABC):
    """What each place predicts.

    Attributes
    ----------
    value : what is known of the training rows at each place: the weight of every class, or their mean or median
    """

    dtypes: ClassVar[Mapping[str, type[np.generic]]] = {"value": np.float64}

    value: NDArray[np.float64]

    @property
    def n_places(self) -> int:
        """Number of places."""
        return int(self.value.shape[0])

    @property
    def n_outputs(self) -> int:
        """How many numbers a prediction has: one a class, or one."""
        return int(self.value.shape[1])

    @abstractmethod
    def outputs(self, place: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what rows of X at these places get: the weight of every class, or a number (rows x outputs)."""

    @abstractmethod
    def labels(self, place: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the heaviest class of rows of X at these places, of equals the first."""

    @abstractmethod
    def take(self, places: NDArray[np.integer] | NDArray[np.bool_]) -> Self:
        """Return the payload of some of the places, in this order."""

    def check(self, n_places: int) -> None:
        """Raise ValueError unless this is a payload for so many places."""
        if self.value.ndim != 2 or self.n_places != n_places:
            raise ValueError(f"'value' must have {n_places} rows")
        if self.n_outputs < 1:
            raise ValueError("'value' must have a column")
        if not np.isfinite(self.value).all():
            raise ValueError("'value' holds a number that is not finite")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name."""
        return {name: getattr(self, name) for name in self.dtypes}


@dataclass(frozen=True, eq=False)
class Constant(Payload):
    """Each place predicts its value, whatever the row.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.payload import Constant
    >>> Constant(np.array([[3.0, 1.0], [0.0, 2.0]])).labels(np.array([1, 0, 1]), np.empty((3, 5)))
    array([1, 0, 1])
    """

    def outputs(self, place: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the value of each row's place."""
        return np.asarray(self.value[place])

    def labels(self, place: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the heaviest class of each row's place, of equals the first."""
        # Whichever is fewer: the places or the rows.
        fewer_places = self.n_places < place.size
        return np.asarray(
            self.value.argmax(axis=1)[place] if fewer_places else self.value[place].argmax(axis=1), dtype=np.int64
        )

    def take(self, places: NDArray[np.integer] | NDArray[np.bool_]) -> Constant:
        """Return the values of some of the places."""
        return Constant(self.value[places])


def class_shares(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each class in the weights of all classes (rows x classes)."""
    return np.asarray(outputs / outputs.sum(axis=1, keepdims=True))
