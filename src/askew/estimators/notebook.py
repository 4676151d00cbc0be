"""What a notebook shows of an estimator: scikit-learn's diagram and, once it is fitted, the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr


class ShownInNotebooks:
    """Shows the fitted tree below the diagram of the parameters, as long as scikit-learn's option `display` wants one.

    ``_repr_html_`` and ``_repr_mimebundle_`` are IPython's names for what it shows.
    """

    @property
    def _repr_html_(self) -> Callable[[], str]:
        if get_config()["display"] != "diagram":
            raise AttributeError("_repr_html_ is there only if scikit-learn's option 'display' is 'diagram'")
        return self._as_html

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **_: Any) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            shown["text/html"] = self._as_html()
        return shown

    def _as_html(self) -> str:
        from askew.export.pictures.html import tree_html  # late: the exports import the estimators

        diagram: str = estimator_html_repr(self)
        return f"{diagram}\n{tree_html(self)}" if hasattr(self, "tree_") else diagram
