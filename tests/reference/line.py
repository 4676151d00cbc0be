"""Moving a hyperplane along a line, by brute force: every candidate, every row counted anew.

Row j lies at ``V_j + t s_j``; it is on the right where that is above 0. (OC1-94, section 3.1 and figure 8, for any
sign of s.)
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from reference.axis import describe
from reference.criterion import SCORES


@dataclass(frozen=True)
class Candidate:
    """A place in an open interval between two crossings, and the rows that are on the right there."""

    t: float
    right: np.ndarray
    score: object


@dataclass(frozen=True)
class Leaf:
    """What each side must have at least: samples and weight."""

    samples: float = 1.0
    weight: float = 0.0

    def allows(self, table, right):
        samples, weight = ([of[side].sum() for side in (~right, right)] for of in (table.multiplicity, table.weight))
        return min(samples) >= self.samples and min(weight) >= self.weight


def definition(name):
    """The score of two sides by the definition of the criterion."""
    return lambda *sides: SCORES[name](*(describe(name, *side) for side in sides))


def kernel(criterion, n_classes):
    """The score of two sides as the program rounds it: where ties must be the same, bit for bit."""

    def score(*sides):
        return criterion.score([np.bincount(y, weight, minlength=n_classes) for y, weight, _ in sides])

    return score


def divide(table, right, score, leaf=None):
    """The score of a division of all rows; infinite where a side is smaller than a leaf may be, if that is more than
    one sample."""
    if leaf not in (None, Leaf()) and not leaf.allows(table, right):
        return inf
    return score(*((table.y[side], table.weight[side], table.n_classes) for side in (~right, right)))


def candidates(table, V, s, leaf, score):
    """One candidate in each open interval between distinct crossings, and one beyond each end; ascending."""
    moves = s != 0
    crossing = np.full(len(V), np.nan)
    with np.errstate(over="ignore"):
        crossing[moves] = -V[moves] / s[moves]
    places = np.unique(crossing[moves])
    found = []
    for i in range(len(places) + 1):
        # Behind the first i crossings. A row that moves is compared by its crossing, without rounding.
        passed = np.isin(crossing, places[:i])
        right = np.where(moves, np.where(s > 0, passed, ~passed), V > 0)
        if leaf.allows(table, right):
            found.append(Candidate(_inside(places, i), right, divide(table, right, score)))
    return [candidate for candidate in found if candidate.score < inf]


def best(table, V, s, leaf, score):
    """The first of the best candidates, or None."""
    return min(candidates(table, V, s, leaf, score), key=lambda c: c.score, default=None)


def _inside(places, i):
    low = float(places[i - 1]) if i > 0 else -inf
    high = float(places[i]) if i < len(places) else inf
    if low == -inf and high == inf:
        return 0.0
    if low == -inf:
        return high - beyond(high)
    if high == inf:
        return low + beyond(low)
    return midpoint(low, high)


def beyond(t):
    """How far behind the last crossing: 1, and more where 1 would be lost in rounding."""
    return max(1.0, abs(t) * 2.0**-40)


def midpoint(a, b):
    """Half-way between a < b, never b."""
    middle = a * 0.5 + b * 0.5
    return middle if a <= middle < b else a
