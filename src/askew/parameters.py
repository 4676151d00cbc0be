"""Checks of an estimator's parameters: what each must be, in words, and a test of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from askew.errors import InvalidParameterError


@dataclass(frozen=True)
class Rule:
    """What a parameter must be."""

    says: str
    holds: Callable[[Any], bool]

    def __or__(self, other: Rule) -> Rule:
        return Rule(f"{self.says} or {other.says}", lambda value: self.holds(value) or other.holds(value))


def integer(low: int) -> Rule:
    """Return the rule of a whole number from `low`."""
    return Rule(
        f"an int in the range [{low}, inf)",
        lambda v: isinstance(v, Integral) and not isinstance(v, bool | np.bool_) and int(v) >= low,
    )


def real(low: float, high: float = inf, *, open_low: bool = False, open_high: bool = False) -> Rule:
    """Return the rule of a number in an interval."""
    left, right = "(" if open_low else "[", ")" if open_high or high == inf else "]"

    def holds(value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool | np.bool_) or not isfinite(float(value)):
            return False
        above = float(value) > low if open_low else float(value) >= low
        return above and (float(value) < high if open_high else float(value) <= high)

    return Rule(f"a float in the range {left}{low}, {high}{right}", holds)


def share(*, closed: bool = True) -> Rule:
    """Return the rule of a share of the samples: a float (never an int) above 0."""
    right = "]" if closed else ")"
    return Rule(
        f"a float in the range (0.0, 1.0{right}",
        lambda v: (
            isinstance(v, Real)
            and not isinstance(v, Integral)
            and float(v) > 0
            and (float(v) <= 1 if closed else float(v) < 1)
        ),
    )


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
boolean = Rule("a bool", lambda value: isinstance(value, bool | np.bool_))


def check_parameters(owner: object, rules: Mapping[str, Rule]) -> None:
    """Raise `InvalidParameterError` for the first parameter that breaks its rule."""
    for name, rule in rules.items():
        value = getattr(owner, name)
        if not rule.holds(value):
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(owner).__name__} must be {rule.says}. Got {value!r} instead."
            )
