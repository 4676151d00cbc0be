"""Checks of an estimator's parameters: what each must be, in words, and a test of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isfinite, nan
from numbers import Integral, Real
from typing import Any

import numpy as np

from askew.errors import InvalidParameterError, brief


@dataclass(frozen=True)
class Rule:
    """What a parameter must be."""

    says: str
    holds: Callable[[Any], bool]

    def __or__(self, other: Rule) -> Rule:
        return Rule(f"{self.says} or {other.says}", lambda value: self.holds(value) or other.holds(value))


LARGEST_INT = 2**31 - 1  # of a count; what the compiled core can hold on every machine


def integer(low: int, high: int = LARGEST_INT) -> Rule:
    """Return the rule of a whole number from `low` to `high`."""
    return Rule(
        f"an int in the range [{low}, {high}]",
        lambda v: isinstance(v, Integral) and not isinstance(v, bool | np.bool_) and low <= int(v) <= high,
    )


def real(low: float, high: float = inf, *, open_low: bool = False, open_high: bool = False) -> Rule:
    """Return the rule of a number in an interval."""
    left, right = "(" if open_low else "[", ")" if open_high or high == inf else "]"

    def holds(value: Any) -> bool:
        number = _as_float(value)
        if not isfinite(number):
            return False
        return (number > low if open_low else number >= low) and (number < high if open_high else number <= high)

    return Rule(f"a float in the range {left}{low}, {high}{right}", holds)


def share(*, closed: bool = True) -> Rule:
    """Return the rule of a share of the samples: a float (never an int) above 0."""
    right = "]" if closed else ")"

    def holds(value: Any) -> bool:
        number = nan if isinstance(value, Integral) else _as_float(value)
        return number > 0 and (number <= 1 if closed else number < 1)

    return Rule(f"a float in the range (0.0, 1.0{right}", holds)


def _as_float(value: Any) -> float:
    """Return a number as a float: infinite if it is beyond the largest, NaN if it is no number."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return nan
    try:
        return float(value)
    except OverflowError:
        return inf


def one_of(*values: str) -> Rule:
    """Return the rule of a choice among names."""
    return Rule(f"a str among {sorted(values)}", lambda v: isinstance(v, str) and v in values)


def _names_columns(value: Any) -> bool:
    if not isinstance(value, list | tuple | np.ndarray) or np.ndim(value) != 1:
        return False
    kinds = {bool if isinstance(v, bool | np.bool_) else int if isinstance(v, Integral) else type(v) for v in value}
    return kinds <= {bool} or kinds <= {int, str, np.str_}


none = Rule("None", lambda value: value is None)
columns = Rule(
    "'from_dtype', None, or names, numbers or a mask of columns",
    lambda v: v is None or (v == "from_dtype" if isinstance(v, str) else _names_columns(v)),
)
jobs = Rule(
    "an int other than 0 or None",
    lambda v: v is None or (isinstance(v, Integral) and v != 0 and abs(int(v)) <= LARGEST_INT),
)
boolean = Rule("a bool", lambda value: isinstance(value, bool | np.bool_))


def check_parameters(owner: object, rules: Mapping[str, Rule]) -> None:
    """Raise `InvalidParameterError` for the first parameter that breaks its rule."""
    for name, rule in rules.items():
        value = getattr(owner, name)
        if not rule.holds(value):
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(owner).__name__} must be {rule.says}. Got {brief(value)} instead."
            )
