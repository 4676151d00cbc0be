"""scikit-learn's own tests, run against estimators of this library.

The test module of the installed scikit-learn is read afresh; while it is, the names that it imports are those of the
substitutes. What cannot hold for them is left out, each test with a reason. A new module is a file with an `ADOPTED`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest


@dataclass(frozen=True)
class Adopted:
    """How a test module of scikit-learn is run.

    Attributes
    ----------
    module : its name
    substitutes : for a name as the module imports it (``sklearn.ensemble.RandomForestClassifier``) what it becomes
    left_out : for each test that does not apply the reason. A key is the name of a test (``test_pickle``), of one of
        its cases (``test_pickle[RandomForestRegressor]``), of all that have a part between bars
        (``test_pickle|sparse|``), or such a part of any test (``|poisson|``)
    helpers : functions of the module that are replaced once it is read
    slow : tests that are left to `make test-slow`
    """

    module: str
    substitutes: Mapping[str, Any]
    left_out: Mapping[str, str] = field(default_factory=dict)
    helpers: Mapping[str, Any] = field(default_factory=dict)
    slow: Collection[str] = ()

    def reason(self, name: str) -> str | None:
        """Return why a test, or a case of one, is left out; None if it is run."""
        test, _, case = name.partition("[")
        parts = case.rstrip("]").split("-")
        keys = [name, test, *(f"{test}|{part}|" for part in parts), *(f"|{part}|" for part in parts)]
        return next((self.left_out[key] for key in keys if key in self.left_out), None)


# Reasons that hold in more than one module
ONE_OUTPUT = "y has one column: trees of several outputs are not offered"
PRIVATE = "looks into what is private in scikit-learn's forests or trees"
OTHER_CLASS = "about another class of scikit-learn, for which there is no substitute"


def read(adopted: Adopted) -> ModuleType:
    """Return a test module of scikit-learn, read with the substitutes; skip where it is not installed."""
    found = find_spec(adopted.module) if find_spec(adopted.module.rpartition(".")[0]) else None
    if found is None or found.loader is None:
        pytest.skip(f"{adopted.module} is not installed with scikit-learn", allow_module_level=True)
    module = module_from_spec(found)
    patches = []
    for full, other in adopted.substitutes.items():
        where, _, what = full.rpartition(".")
        patches.append(patch.object(import_module(where), what, other))
    for one in patches:
        one.start()
    try:
        found.loader.exec_module(module)
    finally:
        for one in patches:
            one.stop()
    vars(module).update(adopted.helpers)
    return module


def adopt(adopted: Adopted) -> dict[str, Callable[..., Any]]:
    """Return the tests of a module of scikit-learn, by name."""
    found = {key: value for key, value in vars(read(adopted)).items() if key.startswith("test_") and callable(value)}
    for test in found.values():
        test.pytestmark = [_with_list(mark) for mark in getattr(test, "pytestmark", [])]
    return found


def _with_list(mark: pytest.Mark) -> pytest.Mark:
    """Return the mark with its cases as a list; pytest is about to refuse iterators."""
    if mark.name != "parametrize":
        return mark
    names, cases, *others = mark.args
    return pytest.mark.parametrize(names, list(cases), *others, **mark.kwargs).mark
