"""What a tree does with a row, why, and how to make it simpler. The package is a function too: `askew.explain(...)`."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew.explain.explanation import Explanation


class _Callable(ModuleType):
    """A module that can be called: importing one of its parts binds its name in `askew`, over the function's."""

    def __call__(self, estimator: Any, x: Any, *, background: Any = None) -> Explanation:
        """Explain what a tree predicts for one row; see `askew.explain.contributions.explain`."""
        from askew.explain.contributions import explain

        return explain(estimator, x, background=background)


sys.modules[__name__].__class__ = _Callable
