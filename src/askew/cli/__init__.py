"""The command line: ``askew train``, ``askew show``, ``askew predict`` and others.

`scipy.stats` is imported only if it is used: scikit-learn imports it for a few functions that most commands never
call, and importing it takes longer than the rest of scikit-learn.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code: 0, or 2 after one line on standard error that says what is wrong.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        Arguments after ``askew``; None: those of the shell.
    """
    try:
        import typer  # noqa: F401
    except ModuleNotFoundError:
        print("askew: the command line needs more packages: pip install 'askew[cli]'", file=sys.stderr)
        sys.exit(2)
    from askew.cli.app import run

    defer("scipy.stats")
    run(arguments)


def defer(name: str) -> None:
    """Import a module when one of its attributes is first used; until then, a proxy is in `sys.modules`."""
    if name in sys.modules:
        return
    spec = _spec(name)
    if spec is None or spec.submodule_search_locations is None:
        return
    module = _Deferred(name)
    module.__spec__, module.__file__, module.__path__ = spec, spec.origin, spec.submodule_search_locations
    sys.modules[name] = module


def _spec(name: str) -> ModuleSpec | None:
    """Return the spec of a module, without importing its package."""
    package = name.rpartition(".")[0]
    if not package:
        return find_spec(name)
    parent = _spec(package)
    return None if parent is None else PathFinder.find_spec(name, parent.submodule_search_locations)


class _Deferred(ModuleType):
    """A proxy that imports its module when an attribute is used."""

    def __getattr__(self, attribute: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), attribute)
