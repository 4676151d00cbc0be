"""Numbers rounded to a number of digits, the scale of a test's weights, and `Printed`, the tests as printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, inf, isfinite, log10, nextafter
from sys import float_info
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew.data.ordered_floats import key, value
from askew.model.split_arrays import SplitArrays, typed

LEAST_DIGITS = 3
MOST_DIGITS = 17  # enough for every double
MOST_DECIMALS = 20  # with this many, doubles are printed as they are
_WHOLE_DIGITS = 6  # an integer part of this many digits is printed in full: 1987, not 1990
_LARGEST_WHOLE = 1000.0
_HUGE = 1e9  # from here on the integer part has too many digits to read


def significant(value: float, digits: int) -> float:
    """Return a number rounded to this many significant digits.

    Examples
    --------
    >>> from askew.model.digits.rounding import significant
    >>> significant(0.0123456, 3), significant(-98765.0, 2)
    (0.0123, -99000.0)
    """
    return float(f"{value:.{digits - 1}e}")


def least_digits(value: float) -> int:
    """Return the fewest digits of a printed threshold: three, or as many as its integer part has, up to six."""
    if value == 0 or not isfinite(value):
        return LEAST_DIGITS
    return max(LEAST_DIGITS, min(_WHOLE_DIGITS, floor(log10(abs(value))) + 1))


def near(target: float, low: float, below: float) -> tuple[float, int] | None:
    """Return the shortest number near a target with ``low <= number < below``, and its digits; None if there is none.

    Examples
    --------
    >>> from askew.model.digits.rounding import near
    >>> near(2.4449, 2.44, 2.446)
    (2.44, 3)
    >>> near(2.4449, 2.441, 2.445)
    (2.4449, 5)
    """
    for digits in range(least_digits(target), MOST_DIGITS + 1):
        number = significant(target, digits)
        if low <= number < below:
            return number, digits
    return None


def all_near(
    targets: NDArray[np.float64], low: NDArray[np.float64], below: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Return what `near` finds for many targets at once; the target and 0 where there is no shorter number."""
    found, digits = targets.copy(), np.zeros(targets.size, dtype=np.int8)
    exponent = exponents(targets)
    n_digits = np.clip(exponent + 1, LEAST_DIGITS, _WHOLE_DIGITS)
    remaining = np.flatnonzero(np.isfinite(targets))
    while remaining.size:
        shorter = _at_decimals(targets[remaining], exponent[remaining], n_digits[remaining] - 1 - exponent[remaining])
        fits = (low[remaining] <= shorter) & (shorter < below[remaining])
        found[remaining[fits]], digits[remaining[fits]] = shorter[fits], n_digits[remaining[fits]]
        n_digits[remaining] += 1
        remaining = remaining[~fits & (n_digits[remaining] <= MOST_DIGITS)]
    return found, digits


def all_rounded(
    values: NDArray[np.float64], decimals: int, exponent: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return numbers at this many decimals; those below 1 at this many significant digits, huge ones at three more.

    `exponent` is what `exponents` returns for them, if that is known.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.model.digits.rounding import all_rounded
    >>> all_rounded(np.array([2.4567, 0.000123456, 1.23456789e20]), 2).tolist()
    [2.46, 0.00012, 1.2346e+20]
    """
    exponent = exponents(values) if exponent is None else exponent
    significant_digits = np.where(exponent < 0, max(decimals, 1), decimals + 3)
    plain = (exponent >= 0) & (np.abs(values) < _HUGE)
    return _at_decimals(values, exponent, np.where(plain, decimals, significant_digits - 1 - exponent))


def exponents(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the power of ten of the first digit of each number; 0 for 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(values == 0, 0.0, np.floor(np.log10(np.abs(values)))))


def _at_decimals(
    values: NDArray[np.float64], exponent: NDArray[np.float64], decimals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the doubles next to numbers with this many decimals each; a negative number rounds to tens or hundreds."""
    with np.errstate(over="ignore", invalid="ignore"):
        power = 10.0 ** np.abs(decimals)
        rounded = np.where(decimals >= 0, np.rint(values * power) / power, np.rint(values / power) * power)
    # Powers of ten are doubles up to the 22nd, integers up to 2^53: within these, one division is rounded once.
    for i in np.flatnonzero((power > 1e22) | (exponent + decimals >= 15) | (exponent >= 15)).tolist():
        digits = int(np.clip(decimals[i] + 1 + exponent[i], 1, MOST_DIGITS))
        rounded[i] = significant(float(values[i]), digits)
    return rounded


def unit(weights: NDArray[np.float64]) -> float:
    """Return the divisor of the weights that makes them integers, if that is exact, or else the largest 1.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.model.digits.rounding import unit
    >>> unit(np.array([0.25, -0.5])), unit(np.array([0.3, -0.5])), unit(np.array([3.0, -60000.0]))
    (0.25, 0.5, 3.0)
    """
    size = np.abs(weights[weights != 0])
    if not size.size:
        return 1.0
    if (size == np.rint(size)).all() and size.max() < _HUGE:
        return float(np.gcd.reduce(size.astype(np.int64)))
    least, largest = float(size.min()), float(size.max())
    if largest / least <= _LARGEST_WHOLE and (np.rint(size / least) * least == size).all():
        return least
    return largest


def cut(weight: float, threshold: float) -> float:
    """Return the t for which ``weight * x <= threshold`` and ``x <= t`` are the same for every double x; weight > 0.

    Products of doubles are rounded, but never fall where x rises: so there is one. Most often it is within a step of
    the ratio; but where products are subnormal, many x have the same one. It is not finite where no double x is beyond
    the threshold.

    Examples
    --------
    >>> from askew.model.digits.rounding import cut
    >>> cut(2.0, 3.0), cut(1e-300, 0.0), cut(1e-10, 1e300)
    (1.5, 2.4703282292062325e-24, inf)
    """
    if weight * float_info.max <= threshold:
        return inf
    ratio = threshold / weight
    for t in (ratio, nextafter(ratio, -inf), nextafter(ratio, inf)):
        if weight * t <= threshold < weight * nextafter(t, inf):
            return t
    low, high = key(-inf), key(float_info.max)  # the first is on the left, the other is not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if weight * value(middle) <= threshold else (low, middle)
    return value(low)


@dataclass(frozen=True, eq=False)
class Printed:
    """The numbers that are printed instead of those of the tree; a weight of 0 is not printed.

    A test of one feature has the weight 1 or -1. All others have a common factor, so that weights have a readable
    size.

    Attributes
    ----------
    weight, threshold : ndarray
        The tests, as the arrays of these names of the tree.
    digits : ndarray
        Significant digits of the weights of each test; 0 where it is printed as it is in the tree, all digits in the
        order of the tree, because no shorter form sends all rows the same way.
    misrouted : ndarray
        Share of the training rows that reach another leaf if everything is printed with 0, 1, 2, ... decimals; with
        more than these none does. Empty if it was not measured.
    """

    dtypes: ClassVar[Mapping[str, type[np.generic]]] = {
        "printed_weight": np.float64,
        "printed_threshold": np.float64,
        "printed_digits": np.int8,
        "strays": np.float64,
    }

    weight: NDArray[np.float64]
    threshold: NDArray[np.float64]
    digits: NDArray[np.int8]
    misrouted: NDArray[np.float64]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Printed):
            return NotImplemented
        theirs = other.arrays()
        return all(np.array_equal(array, theirs[name]) for name, array in self.arrays().items())

    __hash__ = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for array in self.arrays().values():
            array.setflags(write=False)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, ArrayLike], part: SplitArrays) -> Printed | None:
        """Make one of arrays by the names of `dtypes`, after checking them; None if there is none of them.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            The arrays; others may be among them.
        part : Tree or RuleNetwork
            The tree or network that is printed.

        Raises
        ------
        ValueError
            Says which array is wrong.
        """
        if not cls.dtypes.keys() & arrays.keys():
            return None
        made = cls(*typed(arrays, cls.dtypes).values())
        made.check(part.weight.size, part.kind.size)
        return made

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return all arrays by name."""
        return dict(zip(self.dtypes, (self.weight, self.threshold, self.digits, self.misrouted), strict=True))

    def check(self, n_weights: int, n_splits: int) -> None:
        """Raise ValueError unless this belongs to arrays of this many weights and splits."""
        for name, n in (("printed_weight", n_weights), ("printed_threshold", n_splits), ("printed_digits", n_splits)):
            if self.arrays()[name].shape != (n,):
                raise ValueError(f"'{name}' must have {n} entries, found shape {self.arrays()[name].shape}")
        if not (np.isfinite(self.weight).all() and np.isfinite(self.threshold).all()):
            raise ValueError("a printed number is not finite")
        if ((self.digits < 0) | (self.digits > MOST_DIGITS)).any():
            raise ValueError(f"'printed_digits' must be from 0 to {MOST_DIGITS}")
        if self.misrouted.ndim != 1 or self.misrouted.size > MOST_DECIMALS:
            raise ValueError(f"'strays' must have at most {MOST_DECIMALS} entries, found shape {self.misrouted.shape}")
        if not ((self.misrouted >= 0) & (self.misrouted <= 1)).all():
            raise ValueError("'strays' holds a number that is no share")
