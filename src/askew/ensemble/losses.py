"""The losses of boosting: gradients and Hessians with respect to the predictions before the link.

Predictions before the link (`raw`, outputs x rows) have one number for each row, or one for each class. Weights are
those of the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_LEAST = 1e-12  # the least probability, and the least Hessian as a share of a row's weight


class Loss(ABC):
    """A loss of boosting."""

    link: ClassVar[str] = "identity"

    @abstractmethod
    def baseline(self, y: Array, weight: Array) -> Array:
        """Return the best constant prediction (one number for each output), before the link."""

    @abstractmethod
    def gradients(self, y: Array, raw: Array, weight: Array) -> tuple[Array, Array]:
        """Return first and second derivatives (outputs x rows), times the weights."""

    @abstractmethod
    def mean(self, y: Array, raw: Array, weight: Array) -> float:
        """Return the mean loss."""

    def inverse_link(self, raw: Array) -> Array:
        """Return predictions."""
        return raw


class SquaredError(Loss):
    """Half the squared error."""

    def baseline(self, y: Array, weight: Array) -> Array:
        """Return the mean."""
        return np.array([np.average(y, weights=weight)])

    def gradients(self, y: Array, raw: Array, weight: Array) -> tuple[Array, Array]:
        """Return derivatives."""
        return weight * (raw - y), np.broadcast_to(weight, raw.shape).copy()

    def mean(self, y: Array, raw: Array, weight: Array) -> float:
        """Return half the mean squared error."""
        return float(np.average((raw[0] - y) ** 2, weights=weight) / 2)


@dataclass(frozen=True)
class Quantile(Loss):
    """The pinball loss of a quantile; for the median, half the absolute error."""

    quantile: float = 0.5

    def baseline(self, y: Array, weight: Array) -> Array:
        """Return the quantile of y."""
        return self.leaf_values(np.zeros(y.size, dtype=np.int64), y, weight, 1)

    def gradients(self, y: Array, raw: Array, weight: Array) -> tuple[Array, Array]:
        """Return the slope on each side; the Hessian is taken to be 1."""
        slope = np.where(y > raw, -self.quantile, 1 - self.quantile)
        return weight * slope, np.broadcast_to(weight, raw.shape).copy()

    def mean(self, y: Array, raw: Array, weight: Array) -> float:
        """Return the mean pinball loss."""
        residual = y - raw[0]
        pinball = np.maximum(self.quantile * residual, (self.quantile - 1) * residual)
        return float(np.average(pinball, weights=weight))

    def leaf_values(self, leaf: NDArray[np.int64], residual: Array, weight: Array, n_nodes: int) -> Array:
        """Return the weighted quantile of the residuals in each leaf (the midpoint where it is not unique)."""
        order = np.lexsort((residual, leaf))
        at, ordered, mass = leaf[order], residual[order], weight[order]
        used, first = np.unique(at, return_index=True)
        last = np.append(first[1:], at.size) - 1
        below = np.cumsum(mass)
        start = np.append(0.0, below)[first]
        target = start + self.quantile * (below[last] - start)
        slack = 1e-9 * (below[last] - start)  # sums of weights are rounded
        low = np.clip(np.searchsorted(below, target - slack), first, last)
        high = np.clip(np.searchsorted(below, target + slack, side="right"), first, last)
        values = np.zeros(n_nodes)
        values[used] = ordered[low] * 0.5 + ordered[high] * 0.5
        return values


class Poisson(Loss):
    """The Poisson deviance, with a logarithmic link."""

    link: ClassVar[str] = "log"

    def baseline(self, y: Array, weight: Array) -> Array:
        """Return the logarithm of the mean."""
        return np.asarray(np.log(np.array([np.average(y, weights=weight)])))

    def gradients(self, y: Array, raw: Array, weight: Array) -> tuple[Array, Array]:
        """Return derivatives."""
        mean = self.inverse_link(raw)
        return weight * (mean - y), weight * np.maximum(mean, _LEAST)

    def mean(self, y: Array, raw: Array, weight: Array) -> float:
        """Return the mean of exp(raw) - y raw."""
        return float(np.average(self.inverse_link(raw)[0] - y * raw[0], weights=weight))

    def inverse_link(self, raw: Array) -> Array:
        """Return expected counts."""
        return np.exp(np.minimum(raw, 700.0))


class BinaryLogLoss(Loss):
    """The log loss of two classes; raw is the log odds of the second."""

    link: ClassVar[str] = "logit"

    def baseline(self, y: Array, weight: Array) -> Array:
        """Return the log odds."""
        share = np.clip(np.average(y, weights=weight), _LEAST, 1 - _LEAST)
        return np.asarray(np.log(np.array([share / (1 - share)])))

    def gradients(self, y: Array, raw: Array, weight: Array) -> tuple[Array, Array]:
        """Return derivatives."""
        p = _sigmoid(raw)
        return weight * (p - y), weight * np.maximum(p * (1 - p), _LEAST)

    def mean(self, y: Array, raw: Array, weight: Array) -> float:
        """Return the mean log loss."""
        return float(np.average(np.logaddexp(0.0, raw[0]) - y * raw[0], weights=weight))

    def inverse_link(self, raw: Array) -> Array:
        """Return the probabilities of both classes (classes x rows)."""
        p = _sigmoid(raw[0])
        return np.stack([1 - p, p])


@dataclass(frozen=True)
class MultinomialLogLoss(Loss):
    """The log loss of more than two classes; raw has a number for each."""

    link: ClassVar[str] = "softmax"

    n_classes: int

    def baseline(self, y: Array, weight: Array) -> Array:
        """Return the logarithms of the shares."""
        mass = np.bincount(y.astype(np.int64), weight, minlength=self.n_classes)
        return np.asarray(np.log(np.maximum(mass / mass.sum(), _LEAST)))

    def gradients(self, y: Array, raw: Array, weight: Array) -> tuple[Array, Array]:
        """Return derivatives; the Hessian is taken to be diagonal."""
        p = self.inverse_link(raw)
        gradient = p.copy()
        gradient[y.astype(np.int64), np.arange(y.size)] -= 1
        return weight * gradient, weight * np.maximum(p * (1 - p), _LEAST)

    def mean(self, y: Array, raw: Array, weight: Array) -> float:
        """Return the mean log loss."""
        highest = raw.max(axis=0)
        total = highest + np.log(np.exp(raw - highest).sum(axis=0))
        return float(np.average(total - raw[y.astype(np.int64), np.arange(y.size)], weights=weight))

    def inverse_link(self, raw: Array) -> Array:
        """Return the probabilities (classes x rows)."""
        p = np.exp(raw - raw.max(axis=0))
        return np.asarray(p / p.sum(axis=0))


def _sigmoid(raw: Array) -> Array:
    """Return 1 / (1 + exp(-raw)), without overflow."""
    small = np.exp(-np.abs(raw))
    return np.where(raw >= 0, 1.0, small) / (1.0 + small)
