"""`Strategy`: searches, refiners and pruners are immutable; their parameters are read, and changed in a copy."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any, Self

from askew.errors import InvalidParameterError


class Strategy:
    """A frozen dataclass with the parameters of its fields, named as scikit-learn names those of an estimator.

    An estimator that holds one has its parameters as ``pruning__folds`` or ``search__l2``, in `set_params` and in the
    grid of a `GridSearchCV`.

    Examples
    --------
    >>> from askew import CARTClassifier, CostComplexity
    >>> CostComplexity().set_params(folds=5)
    CostComplexity(fraction=0.1, standard_errors=0.0, folds=5, ccp_alpha=None, stratify=True)
    >>> CARTClassifier(pruning="cost_complexity").set_params(pruning__folds=5).get_params()["pruning__folds"]
    5
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; `deep` makes no difference."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}  # type: ignore[arg-type]

    def set_params(self, **params: Any) -> Self:
        """Return a copy with other parameters: the value itself never changes."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise InvalidParameterError(
                    f"Invalid parameter {name!r} for {type(self).__name__}. It has {', '.join(known)}."
                )
        return replace(self, **params)  # type: ignore[type-var]

    def __sklearn_clone__(self) -> Self:
        return deepcopy(self)


def in_short(value: Any) -> str:
    """Return a parameter as text; of a strategy, its name and what is not the default."""
    if not isinstance(value, Strategy):
        return repr(value)
    usual = type(value)().get_params()
    given = {name: own for name, own in value.get_params().items() if repr(own) != repr(usual[name])}
    return f"{type(value).__name__}({', '.join(f'{name}={own!r}' for name, own in given.items())})"


def changed(owner: str, value: Any, params: Mapping[str, Any]) -> Any:
    """Return what an estimator has as its parameter `owner`, with other parameters of its own."""
    if isinstance(value, type) or not hasattr(value, "set_params"):
        why = "None; give one too" if value is None else f"{value!r}, which has no 'set_params'"
        raise InvalidParameterError(f"Invalid parameter '{owner}__{next(iter(params))}': {owner!r} is {why}.")
    return value.set_params(**params)
