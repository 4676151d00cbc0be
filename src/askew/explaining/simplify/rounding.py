"""Ways to shorten the weights of a hyperplane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from askew.model.digits.rounding import significant, unit

#: Weights fitted again where only some terms are kept: which of them -> all weights.
Refit = Callable[[NDArray[np.bool_]], NDArray[np.float64]]


class Shortening(Protocol):
    """A way to shorten weights."""

    @property
    def digits(self) -> int:
        """Significant digits of the weights."""
        ...

    @property
    def drops(self) -> bool:
        """Whether terms without which no row goes another way are dropped first."""
        ...

    def candidates(
        self, weights: NDArray[np.float64], effect: NDArray[np.float64], refit: Refit
    ) -> list[NDArray[np.float64]]:
        """Return the candidates for the weights; the one with the least loss is taken.

        `effect` is the size of each weight times the spread of its column.
        """
        ...


@dataclass(frozen=True)
class Significant:
    """Round to significant digits, with the largest weight 1 or all weights integers.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.explaining.simplify.rounding import Significant
    >>> Significant(1).candidates(np.array([2.0, -0.6666]), np.ones(2), lambda kept: kept)
    [array([ 1. , -0.3])]
    """

    digits: int
    drops: bool = True

    def __str__(self) -> str:
        return f"{self.digits} significant digit{'' if self.digits == 1 else 's'}"

    def candidates(
        self, weights: NDArray[np.float64], effect: NDArray[np.float64], refit: Refit
    ) -> list[NDArray[np.float64]]:
        """Return the rounded weights."""
        return [_rounded(weights / unit(weights), self.digits)]


@dataclass(frozen=True)
class Unchanged:
    """Keep the weights: only thresholds and leaves are set again."""

    digits: int = 17
    drops: bool = False

    def __str__(self) -> str:
        return "nothing simpler found"

    def candidates(
        self, weights: NDArray[np.float64], effect: NDArray[np.float64], refit: Refit
    ) -> list[NDArray[np.float64]]:
        """Return the weights."""
        return [weights]


@dataclass(frozen=True)
class Whole:
    """Round the terms that matter to small integers: weights such as 2, 15 and 3.

    Attributes
    ----------
    share : float
        Terms are kept whose effect is at least this share of the largest.
    digits : int
        Significant digits of the integers.
    """

    share: float
    digits: int
    drops: bool = True

    def __str__(self) -> str:
        return f"whole numbers of {self.digits} significant digit{'' if self.digits == 1 else 's'}"

    def candidates(
        self, weights: NDArray[np.float64], effect: NDArray[np.float64], refit: Refit
    ) -> list[NDArray[np.float64]]:
        """Return integers in about the proportions of the weights, and of the weights of a refitted hyperplane."""
        kept = effect >= self.share * effect.max()
        found = {}
        for candidate in (np.where(kept, weights, 0.0), refit(kept)):
            size = np.abs(candidate[candidate != 0])
            if not size.size or not np.isfinite(candidate).all():
                continue
            for factor in range(1, 6):
                integers = np.rint(_rounded(candidate / size.min() * factor, self.digits))
                integers /= max(np.gcd.reduce(np.abs(integers[np.abs(integers) < 2.0**53]).astype(np.int64)), 1)
                found[integers.tobytes()] = integers
        return list(found.values())


def _rounded(weights: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    return np.array([significant(weight, digits) for weight in weights.tolist()])
