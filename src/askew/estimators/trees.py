"""The trees by name: each class is a recipe. No algorithm inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askew.estimators.base import TreeClassifier, TreeRegressor
from askew.grow import Search
from askew.search import as_search
from askew.search.axis import AxisParallel


@dataclass(kw_only=True, eq=False, repr=False)
class CARTClassifier(TreeClassifier):
    """Axis-parallel classification tree (CART)."""

    def _search(self) -> Search:
        return AxisParallel()


@dataclass(kw_only=True, eq=False, repr=False)
class CARTRegressor(TreeRegressor):
    """Axis-parallel regression tree (CART)."""

    def _search(self) -> Search:
        return AxisParallel()


@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueTreeClassifier(TreeClassifier):
    """Classification tree by any search, criterion and pruner."""

    search: Any = "axis"

    def _search(self) -> Search:
        return as_search(self.search)


@dataclass(kw_only=True, eq=False, repr=False)
class ObliqueTreeRegressor(TreeRegressor):
    """Regression tree by any search, criterion and pruner."""

    search: Any = "axis"

    def _search(self) -> Search:
        return as_search(self.search)
