"""What boosting minimises: gradients and hessians of the loss by what is predicted so far, before the link.

A prediction has one number a row (`raw`, outputs x rows), or one a class. Weights are those of the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_LEAST = 1e-12  # the least probability, and the least hessian as a share of a row's weight


class Loss(ABC):
    """A loss of boosting."""

    link: ClassVar[str] = "identity"

    @abstractmethod
    def baseline(self, y: Array, weight: Array) -> Array:
        """Return the best constant prediction (one a output), before the link."""

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
    """The pinball loss of a quantile; of the median, half the absolute error."""

    quantile: float = 0.5

    def baseline(self, y: Array, weight: Array) -> Array:
        """Return the quantile of y."""
        return self.leaf_values(np.zeros(y.size, dtype=np.int64), y, weight, 1)

    def gradients(self, y: Array, raw: Array, weight: Array) -> tuple[Array, Array]:
        """Return the slope on each side; the hessian is taken for 1."""
        slope = np.where(y > raw, -self.quantile, 1 - self.quantile)
        return weight * slope, np.broadcast_to(weight, raw.shape).copy()

    def mean(self, y: Array, raw: Array, weight: Array) -> float:
        """Return the mean pinball loss."""
        left = y - raw[0]
        return float(np.average(np.maximum(self.quantile * left, (self.quantile - 1) * left), weights=weight))

    def leaf_values(self, leaf: NDArray[np.int64], residual: Array, weight: Array, n_nodes: int) -> Array:
        """Return the quantile of what is left in each leaf: the middle of all values that are one."""
        order = np.lexsort((residual, leaf))
        at, left, mass = leaf[order], residual[order], weight[order]
        used, first = np.unique(at, return_index=True)
        last = np.append(first[1:], at.size) - 1
        below = np.cumsum(mass)
        start = np.append(0.0, below)[first]
        wanted = start + self.quantile * (below[last] - start)
        slack = 1e-9 * (below[last] - start)  # sums of weights are rounded
        low = np.clip(np.searchsorted(below, wanted - slack), first, last)
        high = np.clip(np.searchsorted(below, wanted + slack, side="right"), first, last)
        values = np.zeros(n_nodes)
        values[used] = left[low] * 0.5 + left[high] * 0.5
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
        """Return derivatives; the hessian is the diagonal."""
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
