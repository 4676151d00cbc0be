"""CART-LC: trees whose splits are found by a deterministic climb on one coefficient at a time."""

from __future__ import annotations

from dataclasses import dataclass

from askew.estimators.tasks import TreeClassifier, TreeRegressor
from askew.grow.criterion import CriterionLike
from askew.grow.recipe import Pruner
from askew.parameters import documented
from askew.search.cart_lc import CARTLC, CARTLCParameters


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTLCClassifier(CARTLCParameters, TreeClassifier):
    """CART-LC classification tree.

    Every node tests a linear combination of features, found by a deterministic climb on one coefficient at a
    time; features that are not needed are deleted. It is pruned with a held-out tenth of the rows, as OC1 is. With few
    rows the size of the tree then depends on the seed; ``pruning=CostComplexity(cv=10)``, the book's choice, is more
    stable.

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

    criterion: CriterionLike = "twoing"
    pruning: Pruner | str | None = "cost_complexity"

    _search_class = CARTLC


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTLCRegressor(CARTLCParameters, TreeRegressor):
    """CART-LC's search for a regression tree.

    Every node tests a linear combination of features, found by a deterministic climb on one coefficient at a
    time; features that are not needed are deleted. It is pruned with a held-out tenth of the rows, as OC1 is. With few
    rows the size of the tree then depends on the seed; ``pruning=CostComplexity(cv=10)``, the book's choice, is more
    stable.

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

    criterion: CriterionLike = "squared_error"
    pruning: Pruner | str | None = "cost_complexity"

    _search_class = CARTLC
