"""`Printed`: the tests of a tree as they are printed, stored with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from askew.printed.rounding import MOST_DECIMALS, MOST_DIGITS


@dataclass(frozen=True, eq=False)
class Printed:
    """The numbers that are printed in place of those of the tree; a weight of 0 is not printed.

    A test of one feature has the weight 1 or -1. All others have a common factor, so that weights are of a size that
    people read.

    Attributes
    ----------
    weight, threshold : the tests, as the arrays of these names of the tree
    digits : significant digits of the weights of each test; 0 where it is printed as it is in the tree, all digits in
        the order of the tree, because no shorter form sends all rows the same way
    strays : share of the training rows that end elsewhere if everything is printed with 0, 1, 2, ... decimals; with
        more than these none does. Empty if it was not measured
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
    strays: NDArray[np.float64]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Printed:
        """Make one of its arrays, by the names of `dtypes`."""
        return cls(*(arrays[name] for name in cls.dtypes))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name."""
        return dict(zip(self.dtypes, (self.weight, self.threshold, self.digits, self.strays), strict=True))

    def check(self, n_weights: int, n_splits: int) -> None:
        """Raise ValueError unless this belongs to arrays of so many weights and splits."""
        for name, n in (("printed_weight", n_weights), ("printed_threshold", n_splits), ("printed_digits", n_splits)):
            if self.arrays()[name].shape != (n,):
                raise ValueError(f"'{name}' must have {n} entries, found shape {self.arrays()[name].shape}")
        if not (np.isfinite(self.weight).all() and np.isfinite(self.threshold).all()):
            raise ValueError("a printed number is not finite")
        if ((self.digits < 0) | (self.digits > MOST_DIGITS)).any():
            raise ValueError(f"'printed_digits' must be from 0 to {MOST_DIGITS}")
        if self.strays.ndim != 1 or self.strays.size > MOST_DECIMALS:
            raise ValueError(f"'strays' must have at most {MOST_DECIMALS} entries, found shape {self.strays.shape}")
        if not ((self.strays >= 0) & (self.strays <= 1)).all():
            raise ValueError("'strays' holds a number that is no share")
