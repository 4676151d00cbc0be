"""The payload of a tree: the predictions of its nodes, or of the regions of a rule network, which are nodes here.

A tree finds the node of a row; the payload says what is predicted there. Growth, pruning, model files and exports
carry a payload along without knowing its kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from askew import _core

AnyArray: TypeAlias = NDArray[Any]  # of integers or floats, by the name of the array

_ROUNDING = 1e-9  # by which shares may miss 1


class LinearModel(NamedTuple):
    """The linear model of a node.

    Attributes
    ----------
    columns : ndarray
        The columns that have weights.
    weights : ndarray
        The weight of each column in every sum (columns x outputs).
    constants : ndarray
        The constant of every sum.
    limits : tuple of float or None
        Range that a predicted number is clipped to; None for classes.
    """

    columns: NDArray[np.int64]
    weights: NDArray[np.float64]
    constants: NDArray[np.float64]
    limits: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Payload(ABC):
    """The predictions of the nodes.

    Attributes
    ----------
    value : ndarray
        Statistics of the training rows at each node: the weight of every class, or the mean or median of y.
    share : ndarray or None
        Smoothed share of every class at each node (`askew.model.smoothing`); None for the shares of `value`.
    """

    dtypes: ClassVar[Mapping[str, type[np.generic]]] = {"value": np.float64, "share": np.float64}
    optional: ClassVar[frozenset[str]] = frozenset({"share"})
    varies: ClassVar[bool] = False  # whether the prediction of a node depends on the row

    value: NDArray[np.float64]
    share: NDArray[np.float64] | None = field(default=None, kw_only=True)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The value of each node; with smoothed shares, the corresponding weight of every class."""
        return self.value if self.share is None else self.share * self.value.sum(axis=1, keepdims=True)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self.value.shape[0])

    @property
    def n_outputs(self) -> int:
        """Number of outputs of a prediction: one for each class, or 1."""
        return int(self.value.shape[1])

    @abstractmethod
    def outputs(self, node: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the prediction for each row of X at its node: the weight of every class, or a number."""

    @property
    def unsmoothed(self) -> Self:
        """The payload without smoothed shares, by which classes are predicted."""
        return self if self.share is None else replace(self, share=None)

    @abstractmethod
    def labels(self, node: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class of the largest weight for each row of X at its node; the first, if several tie."""

    def model(self, node: int) -> LinearModel | None:
        """Return the linear model of a node; None if it predicts its value."""
        return None

    def accuracy(self, node: int) -> float:
        """Return the share of rows whose class a node predicts; with linear models, an estimate for other rows."""
        value = self.value[node]
        return float(value.max() / value.sum())

    @property
    def expected_loss(self) -> NDArray[np.float64] | None:
        """An estimate of the loss of each node on other rows; None if that of the training rows is to be taken."""
        return None

    @property
    def n_columns(self) -> NDArray[np.int64]:
        """The number of columns that each node has weights for."""
        return np.zeros(self.n_nodes, dtype=np.int64)

    @property
    def n_terms(self) -> NDArray[np.int64]:
        """The number of weights of each node's model that are not 0, over all outputs."""
        return np.zeros(self.n_nodes, dtype=np.int64)

    @property
    def columns(self) -> NDArray[np.int64]:
        """The columns that the models of all nodes have weights for."""
        return np.empty(0, dtype=np.int64)

    def renumbered(self, columns: NDArray[np.int64]) -> Self:
        """Return the payload for other columns, where column i becomes ``columns[i]``."""
        return self

    def models(self) -> dict[str, AnyArray] | None:
        """Return the models of all nodes, by the names that the kernels give their arrays; None without any."""
        return None

    @abstractmethod
    def take(self, nodes: NDArray[np.integer] | NDArray[np.bool_]) -> Self:
        """Return the payload of some of the nodes, in this order."""

    def check(self, n_nodes: int, n_features: int) -> None:
        """Raise ValueError unless this is a payload for this many nodes, of rows with this many features."""
        if self.value.ndim != 2 or self.n_nodes != n_nodes:
            raise ValueError(f"'value' must have {n_nodes} rows")
        if self.n_outputs < 1:
            raise ValueError("'value' must have a column")
        if not np.isfinite(self.value).all():
            raise ValueError("'value' holds a number that is not finite")
        if self.share is None:
            return
        if self.share.shape != self.value.shape:
            raise ValueError(f"'share' must have the shape {self.value.shape}, found {self.share.shape}")
        if not (self.share >= 0).all() or not (np.abs(self.share.sum(axis=1) - 1) < _ROUNDING).all():
            raise ValueError("'share' must hold shares of the classes, which add up to 1")

    def arrays(self) -> dict[str, AnyArray]:
        """Return all arrays by name."""
        found = {name: getattr(self, name) for name in self.dtypes}
        return {name: array for name, array in found.items() if array is not None}

    @classmethod
    def expected_arrays(cls, names: Collection[str]) -> dict[str, type[np.generic]]:
        """Return the types of the arrays of a payload, if arrays of these names are stored."""
        return {name: dtype for name, dtype in cls.dtypes.items() if name not in cls.optional or name in names}

    def _shares_of(self, nodes: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.float64] | None:
        return None if self.share is None else self.share[nodes]


@dataclass(frozen=True, eq=False)
class Constant(Payload):
    """Each node predicts its value, whatever the row.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.model.leaf_values import Constant
    >>> Constant(np.array([[3.0, 1.0], [0.0, 2.0]])).labels(np.array([1, 0, 1]), np.empty((3, 5)))
    array([1, 0, 1])
    """

    def outputs(self, node: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the value of each row's node."""
        return np.asarray(self.weights[node])

    def labels(self, node: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class of the largest weight at each row's node; the first, if several tie."""
        # Whichever is fewer: the nodes or the rows.
        fewer_nodes = self.n_nodes < node.size
        return np.asarray(
            self.value.argmax(axis=1)[node] if fewer_nodes else self.value[node].argmax(axis=1), dtype=np.int64
        )

    def take(self, nodes: NDArray[np.integer] | NDArray[np.bool_]) -> Constant:
        """Return the values of some of the nodes."""
        return Constant(self.value[nodes], share=self._shares_of(nodes))


@dataclass(frozen=True, eq=False)
class Linear(Payload):
    """Nodes with a linear model predict by it; the others predict their value.

    A number is the sum of a constant and of weights times features, clipped to a range; classes have such a sum each,
    and shares by softmax, which are multiplied by the weight of the node's rows. Where a sum is not a number, as
    where a value is missing, the node predicts its value.

    Attributes
    ----------
    model_start, model_feature, model_weight : ndarray
        Terms of the model of each node, as ragged arrays: features, and their weights in every sum (terms x outputs).
        A node without terms has no model.
    model_constant : ndarray
        Constant of every sum (nodes x outputs).
    model_low, model_high : ndarray
        Range of a predicted number.
    model_loss : ndarray
        Estimate of the loss of each node on other rows: squared error, or share of errors.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.model.leaf_values import Linear
    >>> line = Linear(
    ...     value=np.array([[5.0]]), model_start=np.array([0, 1]), model_feature=np.array([0]),
    ...     model_weight=np.array([[2.0]]), model_constant=np.array([[1.0]]), model_low=np.array([0.0]),
    ...     model_high=np.array([10.0]), model_loss=np.array([0.5]),
    ... )
    >>> line.outputs(np.array([0, 0, 0]), np.array([[2.0], [9.0], [np.nan]])).ravel()
    array([ 5., 10.,  5.])
    """

    dtypes: ClassVar[Mapping[str, type[np.generic]]] = {
        **Payload.dtypes,
        "model_start": np.int64,
        "model_feature": np.int64,
        "model_weight": np.float64,
        "model_constant": np.float64,
        "model_low": np.float64,
        "model_high": np.float64,
        "model_loss": np.float64,
    }

    varies: ClassVar[bool] = True

    model_start: NDArray[np.int64]
    model_feature: NDArray[np.int64]
    model_weight: NDArray[np.float64]
    model_constant: NDArray[np.float64]
    model_low: NDArray[np.float64]
    model_high: NDArray[np.float64]
    model_loss: NDArray[np.float64]

    def outputs(self, node: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the prediction of each row's model, or the value of its node."""
        models = _core.LeafModels(**self.models())
        node = np.ascontiguousarray(node, dtype=np.int64)
        return _core.linear_outputs(node, np.ascontiguousarray(X), models, 1)

    @property
    def expected_loss(self) -> NDArray[np.float64]:
        """An estimate of the loss of each node on other rows."""
        return self.model_loss

    @property
    def n_columns(self) -> NDArray[np.int64]:
        """The number of columns that each node has weights for."""
        return np.diff(self.model_start)

    @property
    def n_terms(self) -> NDArray[np.int64]:
        """The number of weights of each node's model that are not 0, over all outputs."""
        node = np.repeat(np.arange(self.n_nodes), self.n_columns)
        return np.bincount(node, np.count_nonzero(self.model_weight, axis=1), self.n_nodes).astype(np.int64)

    @property
    def columns(self) -> NDArray[np.int64]:
        """The columns that the models of all nodes have weights for."""
        return self.model_feature

    def renumbered(self, columns: NDArray[np.int64]) -> Self:
        """Return the payload for other columns, where column i becomes ``columns[i]``."""
        return replace(self, model_feature=columns[self.model_feature])

    def accuracy(self, node: int) -> float:
        """Return an estimate of the share of other rows whose class a node predicts."""
        return 1 - float(self.model_loss[node])

    def models(self) -> dict[str, AnyArray]:
        """Return the models of all nodes, by the names that the kernels give their arrays."""
        return {
            "value": np.ascontiguousarray(self.weights),
            "start": self.model_start,
            "feature": self.model_feature,
            "weight": self.model_weight,
            "constant": self.model_constant,
            "low": self.model_low,
            "high": self.model_high,
        }

    def labels(self, node: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable class of each row by the model of its node; the first, if several tie."""
        return np.asarray(self.unsmoothed.outputs(node, X).argmax(axis=1), dtype=np.int64)

    def model(self, node: int) -> LinearModel | None:
        """Return the linear model of a node; None if it predicts its value."""
        terms = slice(*self.model_start[node : node + 2].tolist())
        if terms.start == terms.stop:
            return None
        limits = (float(self.model_low[node]), float(self.model_high[node])) if self.n_outputs == 1 else None
        return LinearModel(self.model_feature[terms], self.model_weight[terms], self.model_constant[node], limits)

    def take(self, nodes: NDArray[np.integer] | NDArray[np.bool_]) -> Linear:
        """Return the models of some of the nodes, in this order."""
        numbers = np.arange(self.n_nodes)[nodes]
        first, count = self.model_start[numbers], self.n_columns[numbers]
        terms = np.concatenate([np.empty(0, np.int64), *map(np.arange, first, first + count)]).astype(np.int64)
        return Linear(
            self.value[numbers],
            np.concatenate(([0], np.cumsum(count, dtype=np.int64))),
            self.model_feature[terms],
            self.model_weight[terms],
            self.model_constant[numbers],
            self.model_low[numbers],
            self.model_high[numbers],
            self.model_loss[numbers],
            share=self._shares_of(numbers),
        )

    def check(self, n_nodes: int, n_features: int) -> None:
        """Raise ValueError unless every node has a model, or none, that can be computed."""
        super().check(n_nodes, n_features)
        start, terms = self.model_start, self.model_feature.size
        if start.shape != (n_nodes + 1,) or start[0] != 0 or start[-1] != terms or (start[1:] < start[:-1]).any():
            raise ValueError(f"'model_start' must have {n_nodes + 1} entries that rise from 0 to {terms}")
        if self.model_feature.ndim != 1 or not ((self.model_feature >= 0) & (self.model_feature < n_features)).all():
            raise ValueError(f"'model_feature' must be numbers of features, below {n_features}")
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("model_low", "model_high", "model_loss"), (n_nodes,))
        shapes |= {"model_weight": (terms, self.n_outputs), "model_constant": (n_nodes, self.n_outputs)}
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise ValueError(f"'{name}' must have the shape {shape}, found {array.shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"'{name}' holds a number that is not finite")
        if (self.model_low > self.model_high).any():
            raise ValueError("'model_low' must not be above 'model_high'")
        if (self.model_loss < 0).any():
            raise ValueError("'model_loss' holds a negative number")


def payload_kind(arrays: Collection[str]) -> type[Constant | Linear]:
    """Return the kind of payload that has arrays of these names."""
    return Linear if any(name.startswith("model_") for name in arrays) else Constant


def class_shares(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each class in the weights of all classes (rows x classes)."""
    return np.asarray(outputs / outputs.sum(axis=1, keepdims=True))


def as_they_occur(shares: NDArray[np.float64], class_weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return class probabilities without the effect of the class weights that the model was fitted with.

    Weights change the prior probabilities of the classes; division by them restores these (Elkan: The foundations
    of cost-sensitive learning, 2001, theorem 2). A class of weight 0 was not learnt, and keeps its share.
    """
    if class_weight is None:
        return shares
    return class_shares(shares / np.where(class_weight > 0, class_weight, 1.0))
