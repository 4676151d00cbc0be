"""The criteria from counts, by their definitions; exact fractions wherever there is no logarithm.

Lower is better: what a paper maximises is turned into its reciprocal, as OC1 does.
"""

from fractions import Fraction
from math import inf, log2


def total(counts):
    return sum(map(Fraction, counts))


def is_pure(counts):
    return sum(count > 0 for count in counts) <= 1


def gini(left, right):
    def impurity(side):
        return 1 - sum((Fraction(c) / total(side)) ** 2 for c in side)

    return _mean_over_sides(impurity, left, right)


def entropy(left, right):
    return _mean_over_sides(lambda side: Fraction(_entropy(side)), left, right)


def twoing(left, right):
    n_left, n_right = total(left), total(right)
    if not n_left or not n_right:
        return inf
    n = n_left + n_right
    apart = sum(abs(Fraction(a) / n_left - Fraction(b) / n_right) for a, b in zip(left, right, strict=True))
    value = (n_left / n) * (n_right / n) * apart**2
    if value == 0:
        return inf
    return 0 if is_pure(left) and is_pure(right) else 1 / value


def gain_ratio(left, right):
    both = [a + b for a, b in zip(left, right, strict=True)]
    gain = _entropy(both) - float(entropy(left, right))
    information = _entropy([total(left), total(right)])
    if gain < 1e-12 or information == 0:
        return inf
    return 0 if is_pure(left) and is_pure(right) else information / gain


def sum_minority(left, right):
    return _minority(left) + _minority(right)


def max_minority(left, right):
    return max(_minority(left), _minority(right))


def sum_of_variances(left, right):
    return _variance_of_labels(left) + _variance_of_labels(right)


def squared_error(left, right):
    """Mean squared deviation from the mean of the own side; each side is (weight, sum of y, sum of y^2)."""

    def deviation(side):
        weight, first, second = map(Fraction, side)
        return second - first**2 / weight if weight else Fraction(0)

    return (deviation(left) + deviation(right)) / (Fraction(left[0]) + Fraction(right[0]))


def absolute_error(left, right):
    """Mean distance from the (lower) median of the own side; each side is a list of (y, weight)."""

    def deviation(side):
        if not side:
            return Fraction(0)
        middle = median(side)
        return sum(Fraction(weight) * abs(Fraction(y) - Fraction(middle)) for y, weight in side)

    return (deviation(left) + deviation(right)) / sum(Fraction(weight) for _, weight in [*left, *right])


def median(side):
    half, reached = sum(Fraction(weight) for _, weight in side) / 2, Fraction(0)
    for y, weight in sorted(side):
        reached += Fraction(weight)
        if reached >= half:
            return y
    raise ValueError("an empty side has no median")


def _mean_over_sides(impurity, left, right):
    sides = [side for side in (left, right) if total(side)]
    return sum(total(side) * impurity(side) for side in sides) / sum(total(side) for side in sides)


def _entropy(counts):
    n = total(counts)
    return -sum(float(Fraction(c) / n) * log2(Fraction(c) / n) for c in counts if c)


def _minority(counts):
    return total(counts) - max(map(Fraction, counts))


def _variance_of_labels(counts):
    """Classes are numbered by frequency, ascending, on each side, when there are more than two."""
    n = total(counts)
    if not n:
        return Fraction(0)
    counts = sorted(counts) if len(counts) > 2 else counts
    mean = sum(label * Fraction(c) for label, c in enumerate(counts)) / n
    return sum(Fraction(c) * (label - mean) ** 2 for label, c in enumerate(counts))


SCORES = {
    "gini": gini,
    "entropy": entropy,
    "twoing": twoing,
    "gain_ratio": gain_ratio,
    "sum_minority": sum_minority,
    "max_minority": max_minority,
    "sum_of_variances": sum_of_variances,
    "squared_error": squared_error,
    "absolute_error": absolute_error,
}
