"""Modules that are imported when they are first used.

scikit-learn imports `scipy.stats` for a function or two that most commands never call; to import it takes longer than
all the rest of scikit-learn.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import Any


def defer(name: str) -> None:
    """Put a module in the place of this one that becomes it when an attribute is asked for."""
    if name in sys.modules:
        return
    spec = _found(name)
    if spec is None or spec.submodule_search_locations is None:
        return
    module = _Deferred(name)
    module.__spec__, module.__file__, module.__path__ = spec, spec.origin, spec.submodule_search_locations
    sys.modules[name] = module


def _found(name: str) -> ModuleSpec | None:
    """Return where a module is; its package, too, is not imported for that."""
    package = name.rpartition(".")[0]
    if not package:
        return find_spec(name)
    within = _found(package)
    return None if within is None else PathFinder.find_spec(name, within.submodule_search_locations)


class _Deferred(ModuleType):
    def __getattr__(self, attribute: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), attribute)
