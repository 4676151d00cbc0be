"""Parameters of estimators and strategies: the rule that each value must meet, and the errors if it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import Field, FrozenInstanceError, dataclass, field, fields, replace
from inspect import cleandoc
from math import ceil, inf, isfinite, log2, nan, sqrt
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np

#: Values of the parameter `random_state`, as in scikit-learn.
RandomStateLike: TypeAlias = "int | np.random.RandomState | None"


class InvalidParameterError(ValueError, TypeError):
    """A parameter is out of range or unknown: names the rule and the value.

    The name, the bases and the wording are those of scikit-learn's error, whose module is private.
    """


class ModelFileError(ValueError):
    """A model file cannot be read: names the file, the position in it, the expected and the found value."""


class ClusterError(RuntimeError):
    """A Dask cluster, or the data on it, was lost while a tree was being grown."""


def brief(value: object) -> str:
    """Return a value as a message can show it, whatever its size."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to print integers of thousands of digits
        text = f"a {type(value).__name__} that is too long to print"
    return text if len(text) <= 100 else text[:97] + "..."


@dataclass(frozen=True)
class Rule:
    """The condition that the value of a parameter must meet."""

    says: str
    holds: Callable[[Any], bool]

    def __or__(self, other: Rule) -> Rule:
        return Rule(f"{self.says} or {other.says}", lambda value: self.holds(value) or other.holds(value))


LARGEST_INT = 2**31 - 1  # of a count; what the compiled core can hold on every machine


def integer(low: int, high: int = LARGEST_INT) -> Rule:
    """Return the rule of an integer from `low` to `high`."""
    return Rule(
        f"an int in the range [{low}, {high}]",
        lambda v: isinstance(v, Integral) and not isinstance(v, bool | np.bool_) and low <= int(v) <= high,
    )


def real(low: float, high: float = inf, *, open_low: bool = False, open_high: bool = False) -> Rule:
    """Return the rule of a number in an interval."""
    left, right = "(" if open_low else "[", ")" if open_high or high == inf else "]"

    def holds(value: object) -> bool:
        number = _as_float(value)
        if not isfinite(number):
            return False
        return (number > low if open_low else number >= low) and (number < high if open_high else number <= high)

    return Rule(f"a float in the range {left}{low}, {high}{right}", holds)


def share(*, closed: bool = True) -> Rule:
    """Return the rule of a share of the samples: a float (never an int) above 0."""
    right = "]" if closed else ")"

    def holds(value: object) -> bool:
        number = nan if isinstance(value, Integral) else _as_float(value)
        return number > 0 and (number <= 1 if closed else number < 1)

    return Rule(f"a float in the range (0.0, 1.0{right}", holds)


def _as_float(value: object) -> float:
    """Return a number as a float: infinite if it is too large, NaN if it is not a number."""
    if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
        return nan
    try:
        return float(value)
    except OverflowError:
        return inf


def one_of(*values: str) -> Rule:
    """Return the rule of a choice among names."""
    return Rule(f"a str among {sorted(values)}", lambda v: isinstance(v, str) and v in values)


def _names_columns(value: object) -> bool:
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
function = Rule("a function", callable)
mapping = Rule("a dict", lambda value: isinstance(value, dict))


def features_drawn(max_features: float | str | None, n: int, rounded: Callable[[float], int] = ceil) -> int:
    """Return how many of n features scikit-learn's `max_features` stands for; a fraction is `rounded`."""
    if max_features is None:
        return n
    if isinstance(max_features, str):
        return max(1, rounded(sqrt(n) if max_features == "sqrt" else log2(n)))
    return min(n, int(max_features)) if isinstance(max_features, Integral) else max(1, rounded(float(max_features) * n))


_Value = TypeVar("_Value")


def param(default: _Value, rule: Rule | None = None) -> _Value:
    """Declare a parameter as a field of a dataclass: ``n_restarts: int = param(20, integer(1))``.

    A type checker sees its default. A class that changes only the default of a parent's parameter needs no `param`: the
    parent's rule holds.
    """
    declared: _Value = field(default=default, metadata={} if rule is None else {"rule": rule})
    return declared


def rules_of(kind: type) -> dict[str, Rule]:
    """Return the rule of each parameter of a class."""
    declared = [one for base in reversed(kind.__mro__) for one in vars(base).get("__dataclass_fields__", {}).values()]
    return {one.name: one.metadata["rule"] for one in declared if "rule" in one.metadata}


def check_parameters(owner: object) -> None:
    """Raise `InvalidParameterError` for the first parameter that breaks its rule."""
    for name, rule in rules_of(type(owner)).items():
        value = getattr(owner, name)
        if not rule.holds(value):
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(owner).__name__} must be {rule.says}. Got {brief(value)} instead."
            )


class Strategy:
    """A dataclass that never changes, with parameters as scikit-learn has them: a search, a pruner, a refiner.

    The parameters of an estimator's strategies have names such as ``pruning__cv`` or ``search__l2``, in `set_params`
    and in the grid of a `GridSearchCV`. A strategy that shares a base class of parameters with estimators cannot be a
    frozen dataclass, because estimators change: so this class defines the methods that one would have.

    Examples
    --------
    >>> from askew import CARTClassifier
    >>> from askew.prune import CostComplexity
    >>> CostComplexity().set_params(cv=5)
    CostComplexity(fraction=0.1, tolerance=0.0, cv=5, ccp_alpha=None, stratify=True)
    >>> CARTClassifier(pruning="cost_complexity").set_params(pruning__cv=5).get_params()["pruning__cv"]
    5
    """

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]

    def __post_init__(self) -> None:
        check_parameters(self)

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self) or name not in self.__dataclass_fields__:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__qualname__}({parameters})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; `deep` makes no difference."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}

    def set_params(self, **params: object) -> Self:
        """Return a copy with other parameters: the value itself never changes."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise InvalidParameterError(
                    f"Invalid parameter {name!r} for {type(self).__name__}. It has {', '.join(known)}."
                )
        return replace(self, **params)

    def __sklearn_clone__(self) -> Self:
        return deepcopy(self)


def in_short(value: object) -> str:
    """Return a parameter as text; of a strategy, its name and the parameters that differ from their defaults."""
    if not isinstance(value, Strategy):
        return repr(value)
    usual = type(value)().get_params()
    differing = {name: one for name, one in value.get_params().items() if repr(one) != repr(usual[name])}
    return f"{type(value).__name__}({', '.join(f'{name}={one!r}' for name, one in differing.items())})"


def changed(owner: str, value: object, params: Mapping[str, object]) -> object:
    """Return the strategy that is the parameter `owner` of an estimator, with other parameters."""
    if isinstance(value, type) or not hasattr(value, "set_params"):
        why = "None; give one too" if value is None else f"{value!r}, which has no 'set_params'"
        raise InvalidParameterError(f"Invalid parameter '{owner}__{next(iter(params))}': {owner!r} is {why}.")
    copy: object = value.set_params(**params)
    return copy


_Class = TypeVar("_Class", bound=type)


def documented(cls: _Class) -> _Class:
    """Complete the sections "Parameters" and "Attributes" of a class with those of its parents.

    A class documents only what it adds or changes; ``help()`` and the API pages show the list of all, those of the
    class first. Each ``default=`` shows the default of the class, also where it overrides that of a parent.
    """
    text, known = cleandoc(cls.__doc__ or ""), getattr(cls, "__dataclass_fields__", {})
    for title in ("Parameters", "Attributes"):
        section, entries = _section(text, title), dict[str, str]()
        for base in cls.__mro__:
            for entry in re.findall(r"^\S.*(?:\n +.*)*", _section(cleandoc(base.__doc__ or ""), title), re.MULTILINE):
                name = entry.partition(" : ")[0]
                if title == "Attributes" or name not in known or known[name].init:
                    entries.setdefault(name, entry)
        if section:
            text = text.replace(section, "\n".join(entries.values()), 1)
        elif entries:
            text = _inserted(text, "\n".join([title, "-" * len(title), *entries.values()]))
    for name, one in known.items():
        default = f'"{one.default}"' if isinstance(one.default, str) else str(one.default)
        text = re.sub(rf"^({name} : .*, default=).*$", rf"\g<1>{default}", text, flags=re.MULTILINE)
    cls.__doc__ = text
    return cls


def _section(text: str, title: str) -> str:
    """Return the body of a numpydoc section; empty where there is none."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def _inserted(text: str, section: str) -> str:
    """Insert a section where numpydoc has it: before the notes, references and examples."""
    positions = [text.find(f"\n{later}\n---") for later in ("Attributes", "Notes", "References", "Examples")]
    position = min((p for p in positions if p >= 0), default=len(text))
    return f"{text[:position].rstrip()}\n\n{section}\n\n{text[position:].lstrip()}".rstrip()


def check_values(values: Mapping[str, object], rules: Mapping[str, Rule]) -> None:
    """Raise `InvalidParameterError` for the first argument of a function that breaks its rule."""
    for name, rule in rules.items():
        if not rule.holds(values[name]):
            raise InvalidParameterError(
                f"The {name!r} parameter must be {rule.says}. Got {brief(values[name])} instead."
            )
