"""The shortest form of one test that sends rows where the model sends them."""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, isfinite, nextafter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.model.digits.rounding import LEAST_DIGITS, cut, least_digits, near, significant, unit

_LONGEST = 15  # digits of a weight; sums of weights with more are no surer than those of the model itself
_LONGER = 2  # a threshold may have so many digits more than the weights, before these get another
_EPS = float(np.finfo(np.float64).eps)
_CHUNK = 1 << 20  # numbers that are copied at a time


class Form(NamedTuple):
    """Weights and threshold as they are printed, and the digits of the weights; 0: all of them."""

    weights: NDArray[np.float64]
    threshold: float
    digits: int


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows at a node, those of the first child first.

    Attributes
    ----------
    X : all rows
    rows : which of them are at the node
    counts : how many go to each child
    spread : the standard deviation of each column, in all rows
    largest : the largest size of each column, in all rows
    """

    X: NDArray[np.float64]
    rows: NDArray[np.integer]
    counts: NDArray[np.int64]
    spread: NDArray[np.float64]
    largest: NDArray[np.float64]

    def products(self, features: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of each row of weights (rows of weights x rows)."""
        out = np.empty((weights.shape[0], self.rows.size))
        step = max(_CHUNK // features.size, 1)
        for start in range(0, self.rows.size, step):
            part = self.X[self.rows[start : start + step, None], features]
            # Without BLAS: the same on every machine, and no threads to wake.
            np.einsum("ij,kj->ki", part, weights, out=out[:, start : start + step])
        return out

    def means(self, features: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the mean of the columns."""
        total = np.zeros(features.size)
        step = max(_CHUNK // features.size, 1)
        for start in range(0, self.rows.size, step):
            total += self.X[self.rows[start : start + step, None], features].sum(axis=0)
        return total / max(self.rows.size, 1)

    def gap(self, sums: NDArray[np.float64]) -> tuple[float, float]:
        """Return the largest sum of the first child, and the least of the second; a sum of NaN does not count."""
        first = int(self.counts[0])
        low = np.fmax.reduce(sums[:first], initial=-inf)
        return float(low), float(np.fmin.reduce(sums[first:], initial=inf))

    def doubt(self, features: NDArray[np.int64], weights: NDArray[np.float64]) -> float:
        """Return how far two sums of the same numbers, added in any order, can be apart."""
        return 4 * (features.size + 2) * _EPS * float(np.abs(weights) @ self.largest[features])


def plane(features: NDArray[np.int64], weights: NDArray[np.float64], threshold: float, at: Rows) -> Form:
    """Return the form of a hyperplane of several columns.

    Weights get digits until there is a threshold, not much longer than they are, that leaves all rows of either child
    on their side, whatever the order in which a reader adds the terms. It stands where that of the model does:
    as far from the nearest rows of both sides, in proportion.
    """
    as_it_is = Form(weights, threshold, 0)
    used = np.flatnonzero(weights)
    if used.size < 2:
        return _single(features, weights, threshold, at) if used.size else as_it_is
    scale = unit(weights)
    own, level = weights / scale, threshold / scale
    if not (np.isfinite(own).all() and isfinite(level)):
        return as_it_is
    low, high = at.gap(at.products(features, own[None, :])[0])
    share = (level - low) / (high - low) if isfinite(high - low) and low < high else None
    longer = None
    for digits in range(LEAST_DIGITS, _LONGEST + 1):
        short = _shortened(own, features, at, digits)
        low, high = at.gap(at.products(features, short[None, :])[0])
        doubt = at.doubt(features, short)
        target = level if share is None else low + share * (high - low)
        found = near(target, low + doubt, nextafter(high - doubt, -inf))
        if found is None:
            continue
        form = Form(short, found[0], digits)
        if found[1] <= max(digits, least_digits(target)) + _LONGER:
            return form
        longer = longer or form
    return longer or as_it_is


def _single(features: NDArray[np.int64], weights: NDArray[np.float64], threshold: float, at: Rows) -> Form:
    """Return the form of a test of one column: ``x <= threshold`` or ``-x <= threshold``, exactly."""
    place = int(np.flatnonzero(weights)[0])
    weight = float(weights[place])
    own = cut(abs(weight), threshold)
    if not isfinite(own):
        return Form(weights, threshold, 0)
    short = np.zeros(weights.size)
    short[place] = copysign(1.0, weight)
    found = near(own, *at.gap(short[place] * at.X[at.rows, features[place]]))
    return Form(short, own, 0) if found is None else Form(short, *found)


def machine(features: NDArray[np.int64], weights: NDArray[np.float64], at: Rows) -> Form:
    """Return the form of a linear machine: weights get digits until the same sum is the largest for each row.

    What the rounding of weights changes in the mean of the rows, the constants give back.
    """
    own = weights.reshape(-1, features.size + 1)
    as_it_is = Form(weights, 0.0, 0)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        own = own / unit(own[:, :-1].ravel())
    if not np.isfinite(own).all():
        return as_it_is
    mean = at.means(features)
    child = np.repeat(np.arange(at.counts.size), at.counts)
    row = np.arange(child.size)
    for digits in range(LEAST_DIGITS, _LONGEST + 1):
        short = np.array([_shortened(line, features, at, digits) for line in own[:, :-1]])
        with np.errstate(invalid="ignore", over="ignore"):
            constant = own[:, -1] + (own[:, :-1] - short) @ mean
        if not np.isfinite(constant).all():
            return as_it_is
        constant = np.array([significant(value, digits) for value in constant.tolist()])
        sums = at.products(features, short) + constant[:, None]
        winner = sums[child, row].copy()
        sums[child, row] = -inf
        doubt = max(at.doubt(features, line) for line in short) + 4 * _EPS * float(np.abs(constant).max())
        if (winner - sums.max(axis=0) > doubt).all():
            return Form(np.column_stack([short, constant]).ravel(), 0.0, digits)
    return as_it_is


def _shortened(weights: NDArray[np.float64], features: NDArray[np.int64], at: Rows, digits: int) -> NDArray[np.float64]:
    """Return weights of so many digits; 0 for those that matter less than the last digit of the one that matters most.

    What a weight does is its size times the spread of the column.
    """
    effect = np.abs(weights) * at.spread[features]
    kept = effect > 0.5 * 10.0**-digits * effect.max(initial=0.0)
    if not kept.any():
        kept = weights != 0
    return np.array([significant(w, digits) if w else 0.0 for w in np.where(kept, weights, 0.0).tolist()])
