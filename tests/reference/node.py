"""The rows of a node as an oblique search sees them: scaled; and a plane's way back to the units of the data."""

from dataclasses import dataclass
from math import inf

import numpy as np

from reference import line
from reference.line import midpoint


@dataclass(frozen=True)
class Scaled:
    """Columns shifted and scaled; a constant column is all zeros and takes no part."""

    X: np.ndarray
    shift: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, table, normalize):
        X, times = table.X, table.multiplicity
        shift, scale = np.array([measure(column, times, normalize) for column in X.T]).T
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = np.where(scale > 0, (X * 0.5 - shift * 0.5) / (scale * 0.5), 0.0)
        return cls(inside, shift, scale)

    def plane(self, weights, constant):
        """A plane given in the units of the data: its weights, the largest of them 1, then its constant."""
        for w, shift in zip(weights, self.shift, strict=True):
            constant += w * shift
        a = np.append(weights * self.scale, constant)
        return a / np.abs(a[:-1]).max()

    def raw(self, a):
        """The way back, up to a positive factor: weights and threshold of ``weights.x <= threshold``."""
        used = (a[:-1] != 0) & (self.scale > 0)
        weights = np.where(used, a[:-1] / np.where(used, self.scale, 1.0), 0.0)
        return weights, -(a[-1] - (weights * self.shift).sum())


def measure(column, times, normalize):
    """(what is subtracted, what is divided by) of one column; each value counts as often as `times` says."""
    low, high = column.min(), column.max()
    if low == high:
        return 0.0, 0.0
    if normalize == "minmax":
        return low, high - low
    if normalize == "standard":
        mean = in_order(column / times.sum() * times)
        if ((column == low) | (column == high)).all():
            return low if mean * 0.5 <= low * 0.25 + high * 0.25 else high, high - low
        return mean, np.sqrt(in_order((column - mean) ** 2 * times) / times.sum())
    if normalize == "robust":
        every = np.sort(np.repeat(column, times.astype(int)))
        first, middle, third = (quantile(every, share) for share in (0.25, 0.5, 0.75))
        return middle, third - first if third > first else high - low
    return 0.0, 1.0


def quantile(ordered, share):
    """Between the two nearest values, by how near they are; rounded as it is written (`numpy.quantile` goes from the
    nearer one: the last bit differs, and with it whether a move is one of 0)."""
    place = share * (len(ordered) - 1)
    low, high = ordered[int(place)], ordered[min(int(place) + 1, len(ordered) - 1)]
    return low + (high - low) * (place - int(place))


def in_order(values):
    """The sum from the first to the last, rounded at each step."""
    return np.cumsum(values)[-1]


def evaluate(X, a):
    """``V = a.x + constant``, a feature at a time."""
    V = np.full(len(X), a[-1])
    for x, weight in zip(X.T, a[:-1], strict=True):
        if weight != 0:
            V = V + weight * x
    return V


def in_the_data(table, scaled, a, found, leaf, score):
    """A plane with the score `found`, back in the units of the data: (weights, threshold, rows on the right, score).

    Rows that are on different sides by a rounding error alone may be mixed there: then the threshold is where the
    weights cut best, and the score is infinite if they do not cut at all.
    """
    weights, threshold = scaled.raw(a)
    right = evaluate(scaled.X, a) > 0
    projected = evaluate(table.X, np.append(weights, 0.0))
    if projected[~right].max(initial=-inf) < projected[right].min(initial=inf):
        return weights, threshold, right, found
    move = line.best(table, projected, np.ones(len(projected)), leaf, score)
    if move is None:
        return weights, threshold, right, inf
    return weights, -move.t, move.right, move.score


def centre(X, a):
    """Each coefficient in turn half-way between the nearest crossings on either side, three times over."""
    a, before = a.copy(), evaluate(X, a) > 0
    start, V = a.copy(), evaluate(X, a)
    for _ in range(3):
        for m in range(len(a)):
            s = X[:, m] if m < len(a) - 1 else np.ones(len(X))
            if a[m] == 0 and m < len(a) - 1:
                continue
            t = -V[s != 0] / s[s != 0]
            # A row on the plane counts as below it: it may not be lifted.
            behind = (t < 0) | ((t == 0) & (s[s != 0] < 0))
            low, high = t[behind].max(initial=-inf), t[~behind].min(initial=inf)
            if np.isfinite(low) and np.isfinite(high) and low < high:
                step = midpoint(float(low), float(high))
                a[m] += step
                V = V + step * s
    return a if np.array_equal(evaluate(X, a) > 0, before) else start
