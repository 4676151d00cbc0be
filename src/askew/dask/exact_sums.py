"""Sums that are the same in any order and over any partitioning: integer multiples of a small enough unit."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, ldexp

import numpy as np
from numpy.typing import NDArray

_MANTISSA = 53
_HALF = 26  # bits of the lower half of a mantissa
_LOWEST = 1073 + _MANTISSA  # 2**-_LOWEST divides every double whose mantissa is taken as an integer
LARGE = 1.5 * 2.0**52  # (x + LARGE * unit) - LARGE * unit is x, rounded to a multiple of the unit
_FIXED_POINT = 40  # bits of the largest weight that a weight is rounded to


def exact_sum(numbers: NDArray[np.float64]) -> int:
    """Return the sum of doubles as a multiple of ``2**-1126``, without any rounding: the order does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.dask.exact_sums import exact_sum, ratio
    >>> ratio(exact_sum(np.array([1e300, 1.0, -1e300])), exact_sum(np.ones(1)))
    1.0
    """
    fraction, exponent = np.frexp(numbers)
    mantissa = np.ldexp(fraction, _MANTISSA).astype(np.int64)
    power = (exponent + 1073).astype(np.int64)
    # Halves of mantissas: sums of 2**26 of them are exact in doubles.
    high = np.bincount(power, mantissa >> _HALF)
    low = np.bincount(power, mantissa & ((1 << _HALF) - 1))
    return sum(
        ((int(high[at]) << _HALF) + int(low[at])) << at for at in np.flatnonzero((high != 0) | (low != 0)).tolist()
    )


def ratio(numerator: int, denominator: int) -> float:
    """Return the quotient of two sums, rounded once."""
    return numerator / denominator if denominator else 0.0


def as_float(total: int) -> float:
    """Return a sum as the nearest double."""
    return total / (1 << _LOWEST)


def sum_unit(largest: float, n: int) -> float:
    """Return a power of two: n numbers of at most this size, rounded to multiples of it, have an exact sum."""
    return ldexp(1.0, frexp(largest * max(n, 1))[1] - 52) if largest > 0 else 1.0


def weight_unit(largest: float, n: int, integers: bool) -> float:
    """Return the unit of the weights: 1 if they are integers, otherwise 2**-40 of the largest.

    Above 4096 rows it is larger, so that sums of n weights are exact in doubles.
    """
    if integers:
        return 1.0
    return max(ldexp(1.0, frexp(largest)[1] - _FIXED_POINT), sum_unit(largest, n))


def rounded_weights(weights: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Return weights as multiples of the unit; none becomes 0."""
    return weights if unit == 1.0 else np.maximum(np.rint(weights / unit), 1.0) * unit


@dataclass(frozen=True)
class Grid:
    """Origin and units of the moments of a node's rows (`MomentGrid` in core/score/count_scores.hpp).

    Attributes
    ----------
    centre : float
        Number that is subtracted from y.
    first, second : float
        The units of ``w y`` and ``w y**2``.
    """

    centre: float = 0.0
    first: float = 1.0
    second: float = 1.0

    @classmethod
    def of(cls, centre: float, low: float, high: float, largest_weight: float, n: int) -> Grid:
        """Return the grid of n rows with y from `low` to `high`."""
        away = max(high - centre, centre - low)
        return cls(centre, sum_unit(largest_weight * away, n), sum_unit(largest_weight * away * away, n))

    @property
    def kernel(self) -> dict[str, float]:
        """The grid as the kernels take it."""
        return {"centre": self.centre, "large_first": self.first * LARGE, "large_second": self.second * LARGE}


def centre_of(total: float, mass: float, low: float, high: float) -> float:
    """Return the origin of the moments (core/score/target.hpp)."""
    if not low < high:
        return low
    step = ldexp(1.0, max(frexp(high - low)[1] - 6, -1000))
    return float(np.rint(total / mass / step) * step)
