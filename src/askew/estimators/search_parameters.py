"""The parameters of a search as those of an estimator: fields, types, defaults, rules and documentation, said once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, make_dataclass
from inspect import cleandoc
from re import MULTILINE, sub
from typing import Any

from askew.parameters import Rule


def parameters_of(search: type[Any], rules: Mapping[str, Rule], without: Collection[str] = ()) -> Any:
    """Return a base class for estimators that has the parameters of a search.

    An estimator cannot inherit them from the search itself: a search is frozen, an estimator has ``set_params``.

    Parameters
    ----------
    search : the dataclass of the search
    rules : what its parameters must be
    without : names of parameters that the estimator does not have
    """
    own = [field for field in fields(search) if field.name not in without]
    return make_dataclass(
        f"{search.__name__}Parameters",
        [(field.name, field.type, field.default) for field in own],
        namespace={
            "__doc__": _without(search.__doc__ or "", without),
            "__module__": search.__module__,
            "rules": {field.name: rules[field.name] for field in own},
            "_search_class": search,
        },
        kw_only=True,
        eq=False,
        repr=False,
    )


def _without(text: str, names: Collection[str]) -> str:
    """Return a docstring without the entries of some parameters."""
    text = cleandoc(text)
    for name in names:
        text = sub(rf"^{name} : .*\n(?: +.*\n)*", "", text, flags=MULTILINE)
    return text
