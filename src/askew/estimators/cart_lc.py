"""CART-LC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from askew.estimators.base import BaseTree, TreeClassifier, TreeRegressor
from askew.grow import Search
from askew.parameters import Rule
from askew.search.cart_lc import CARTLC, RULES


@dataclass(kw_only=True, eq=False, repr=False)
class _CARTLCTree(BaseTree):
    """The parameters of `askew.search.cart_lc.CARTLC` as an estimator's."""

    normalize: bool = CARTLC.normalize
    beta: float | None = CARTLC.beta
    max_cycles: int = CARTLC.max_cycles
    epsilon: float = CARTLC.epsilon
    keep_best: bool = CARTLC.keep_best
    pruning: Any = "cost_complexity"
    missing: str = "mean"

    def _search(self) -> Search:
        return CARTLC(**{field.name: getattr(self, field.name) for field in fields(CARTLC)})


@dataclass(kw_only=True, eq=False, repr=False)
class CARTLCClassifier(_CARTLCTree, TreeClassifier):
    """CART-LC classification tree."""

    criterion: Any = "twoing"

    rules: ClassVar[Mapping[str, Rule]] = {**TreeClassifier.rules, **RULES}


@dataclass(kw_only=True, eq=False, repr=False)
class CARTLCRegressor(_CARTLCTree, TreeRegressor):
    """CART-LC's search for a regression tree."""

    criterion: Any = "squared_error"

    rules: ClassVar[Mapping[str, Rule]] = {**TreeRegressor.rules, **RULES}
