"""`SplitArrays`: many splits as flat arrays, the common base of a tree and a rule network.

split           0    1    2    3    4
kind            1    0    1    0    0
feature_start   0    2    2    3    3    3     split i tests feature[start[i]:start[i+1]]
weight_start    0    2    2    3    3    3     with weight[start[i]:start[i+1]]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew.model.leaf_values import AnyArray, Payload, payload_kind
from askew.model.split import CATEGORY_TABLE, HYPERPLANE, LEAF, LINEAR_MACHINE


class _State(TypedDict):
    arrays: dict[str, AnyArray]
    n_features: int
    n_hyperplanes: int


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitArrays(ABC):
    """Splits, and the predictions of the nodes of a tree or the regions of a network.

    Attributes
    ----------
    kind : ndarray of int8
        Type of each split: 0 none (a leaf), 1 hyperplane, 2 linear machine, 3 category table.
    n_children : ndarray of int64
        Number of sides of each split.
    feature_start, weight_start, feature, weight, threshold : ndarray
        The tests, as ragged arrays.
    payload : Payload
        Predictions of the nodes or regions.
    n_samples : ndarray of int64
        Number of samples at each node or region, as the limits count them.
    mass : ndarray of float64
        Weight of the rows at each node or region.
    n_features : int
        Number of features of the data.
    n_hyperplanes : int
        Number of hyperplanes that the search evaluated.
    """

    dtypes: ClassVar[Mapping[str, type[np.generic]]] = {
        "kind": np.int8,
        "n_children": np.int64,
        "feature_start": np.int64,
        "weight_start": np.int64,
        "feature": np.int64,
        "weight": np.float64,
        "threshold": np.float64,
        "n_samples": np.int64,
        "mass": np.float64,
    }

    kind: NDArray[np.int8]
    n_children: NDArray[np.int64]
    feature_start: NDArray[np.int64]
    weight_start: NDArray[np.int64]
    feature: NDArray[np.int64]
    weight: NDArray[np.float64]
    threshold: NDArray[np.float64]
    payload: Payload
    n_samples: NDArray[np.int64]
    mass: NDArray[np.float64]
    n_features: int
    n_hyperplanes: int = 0

    @abstractmethod
    def _check(self) -> None:
        """Raise ValueError if the arrays are invalid; runs before a walk."""

    def __post_init__(self) -> None:
        for array in self.arrays().values():
            array.setflags(write=False)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, ArrayLike], n_features: int, n_hyperplanes: int = 0) -> Self:
        """Return the object with these arrays, from a file, a pickle or a copy, after checking all of them.

        Raises
        ------
        ValueError
            Says which array is wrong, and where.
        """
        kind = payload_kind(arrays)
        tests, payload = typed(arrays, cls.dtypes), kind(**typed(arrays, kind.expected_arrays(arrays)))
        made = cls(**tests, payload=payload, n_features=n_features, n_hyperplanes=n_hyperplanes)
        made._check()
        return made

    def arrays(self) -> dict[str, AnyArray]:
        """Return all arrays by name."""
        return {**{name: getattr(self, name) for name in self.dtypes}, **self.payload.arrays()}

    def __reduce__(self) -> tuple[object, ...]:
        return type(self).from_arrays, (self.arrays(), self.n_features, self.n_hyperplanes)

    # Where __reduce__ is not used, as in skops, the arrays are checked, too.

    def __getstate__(self) -> _State:
        return {"arrays": self.arrays(), "n_features": self.n_features, "n_hyperplanes": self.n_hyperplanes}

    def __setstate__(self, state: _State) -> None:
        self.__dict__.update(vars(type(self).from_arrays(**state)))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = self.arrays(), other.arrays()
        return (
            (self.n_features, self.n_hyperplanes) == (other.n_features, other.n_hyperplanes)
            and mine.keys() == theirs.keys()
            and all(np.array_equal(array, theirs[name]) for name, array in mine.items())
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def value(self) -> NDArray[np.float64]:
        """Statistics of the training rows at each node or region: the weight of every class, or the mean or median."""
        return self.payload.value

    @property
    def n_outputs(self) -> int:
        """Number of outputs of a prediction: one for each class, or 1."""
        return self.payload.n_outputs

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each split is a leaf, which tests nothing."""
        return np.asarray(self.kind == LEAF)

    @property
    def n_terms(self) -> int:
        """Number of weights that are not 0, over all splits, constants left out; a test of categories counts once."""
        kept = self.weight != 0
        kept &= np.repeat(self.kind != CATEGORY_TABLE, np.diff(self.weight_start))
        for split in np.flatnonzero(self.kind == LINEAR_MACHINE).tolist():
            step = int(np.diff(self.feature_start[split : split + 2])[0]) + 1
            kept[self.weight_start[split] + step - 1 : self.weight_start[split + 1] : step] = False
        return int(kept.sum() + (self.kind == CATEGORY_TABLE).sum())

    @property
    def coef(self) -> NDArray[np.float64]:
        """Weights of every split (splits x features), leaves left out; NaN where a split is not a hyperplane.

        Rows for which ``coef @ x + intercept <= 0`` go to the first child.
        """
        splits = np.flatnonzero(~self.is_leaf)
        coef = np.zeros((splits.size, self.n_features))
        for i, split in enumerate(splits.tolist()):
            if self.kind[split] == HYPERPLANE:
                features, weights = self.test(split)
                np.add.at(coef[i], features, weights)  # a feature that is named twice counts twice
            else:
                coef[i] = np.nan
        return coef

    @property
    def intercept(self) -> NDArray[np.float64]:
        """Constant of every split, as `coef`."""
        splits = ~self.is_leaf
        return np.where(self.kind[splits] == HYPERPLANE, 0.0 - self.threshold[splits], np.nan)

    @abstractmethod
    def apply(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.int64]:
        """Return the leaf or region that each row reaches."""

    def predict(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.generic]:
        """Return the class code (position in `classes_`) of each row, or its number; estimators give the labels."""
        classes = self.n_outputs > 1
        return self.labels(X, threads, incomplete) if classes else self.outputs(X, threads, incomplete)[:, 0]

    def outputs(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.float64]:
        """Return the prediction for each row: the weight of every class, or a number (rows x outputs)."""
        return self.payload.outputs(self.apply(X, threads, incomplete), X)

    def labels(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.int64]:
        """Return the code of the predicted class of each row: that of the largest weight; the first, if several tie."""
        return self.payload.labels(self.apply(X, threads, incomplete), X)

    def test(self, split: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the features and the weights that a split tests."""
        features = self.feature[self.feature_start[split] : self.feature_start[split + 1]]
        return features, self.weight[self.weight_start[split] : self.weight_start[split + 1]]

    def tests_of(self, splits: NDArray[np.int64], kept: NDArray[np.bool_] | bool = True) -> dict[str, AnyArray]:
        """Return the arrays of some splits; one that is not `kept` becomes a leaf."""
        n_features = np.where(kept, np.diff(self.feature_start)[splits], 0)
        n_weights = np.where(kept, np.diff(self.weight_start)[splits], 0)
        return {
            "kind": np.where(kept, self.kind[splits], LEAF).astype(np.int8),
            "n_children": np.where(kept, self.n_children[splits], 0),
            "feature_start": starts(n_features),
            "weight_start": starts(n_weights),
            "feature": self.feature[ranges(self.feature_start[splits], n_features)],
            "weight": self.weight[ranges(self.weight_start[splits], n_weights)],
            "threshold": np.where(kept, self.threshold[splits], 0.0),
        }

    def check_columns(self, X: NDArray[np.float64]) -> None:
        """Raise ValueError unless X has a column for each feature: the kernels trust them to be there."""
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X must have {self.n_features} columns, found shape {X.shape}")


def typed(arrays: Mapping[str, ArrayLike], dtypes: Mapping[str, type[np.generic]]) -> dict[str, AnyArray]:
    """Return copies of the named arrays; raise ValueError if one is missing or of another type."""
    found = {}
    for name, dtype in dtypes.items():
        if name not in arrays:
            raise ValueError(f"array '{name}' is missing")
        array = np.asarray(arrays[name])
        if array.dtype != dtype:
            raise ValueError(f"array '{name}' has type {array.dtype}, expected {np.dtype(dtype)}")
        found[name] = array.copy(order="C")  # the caller could change an array after the checks
    return found


def starts(sizes: ArrayLike) -> NDArray[np.int64]:
    """Return the start of each of consecutive runs with these sizes, and the end of the last."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def ranges(start: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return start[0], start[0]+1, ... (count[0] of them), start[1], ... as one array."""
    before = np.repeat(np.cumsum(count) - count, count)
    return np.repeat(start, count) + np.arange(int(count.sum()), dtype=np.int64) - before
