"""CART-LC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from askew.estimators.base import BaseTree
from askew.estimators.classifier import TreeClassifier
from askew.estimators.document import documented
from askew.estimators.regressor import TreeRegressor
from askew.grow import Search
from askew.parameters import Rule
from askew.search.cart_lc import CARTLC, RULES


@dataclass(kw_only=True, eq=False, repr=False)
class _CARTLCTree(BaseTree):
    __doc__ = CARTLC.__doc__  # the parameters are those of the search

    normalize: bool = CARTLC.normalize
    beta: float | None = CARTLC.beta
    max_cycles: int = CARTLC.max_cycles
    epsilon: float = CARTLC.epsilon
    keep_best: bool = CARTLC.keep_best
    pruning: Any = "cost_complexity"
    missing: str = "mean"

    def _search(self) -> Search:
        return CARTLC(**{field.name: getattr(self, field.name) for field in fields(CARTLC)})


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTLCClassifier(_CARTLCTree, TreeClassifier):
    """CART-LC classification tree.

    Every node tests a linear combination of features, found by a deterministic climb on one coefficient at a
    time; features that are not needed are deleted.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees (1984), section 5.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import CARTLCClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CARTLCClassifier(max_depth=2, random_state=0).fit(X, y).get_depth() <= 2
    True
    """

    criterion: Any = "twoing"

    rules: ClassVar[Mapping[str, Rule]] = {**TreeClassifier.rules, **RULES}


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTLCRegressor(_CARTLCTree, TreeRegressor):
    """CART-LC's search for a regression tree.

    Every node tests a linear combination of features, found by a deterministic climb on one coefficient at a
    time; features that are not needed are deleted.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees (1984), section 5.2.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import CARTLCRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> CARTLCRegressor(max_depth=2, random_state=0).fit(X, y).get_depth() <= 2
    True
    """

    criterion: Any = "squared_error"

    rules: ClassVar[Mapping[str, Rule]] = {**TreeRegressor.rules, **RULES}
