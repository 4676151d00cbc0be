"""CART-ELC: trees whose splits are the best of all planes through r samples."""

from __future__ import annotations

from dataclasses import dataclass

from askew.estimators.tasks import TreeClassifier, TreeRegressor
from askew.grow.criterion import CriterionLike
from askew.parameters import documented, one_of, param
from askew.search.exhaustive import Exhaustive, ExhaustiveParameters


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTELCClassifier(ExhaustiveParameters, TreeClassifier):
    """CART-ELC classification tree.

    Every node tests the best of all planes through r samples in r features: exact, and found by a sweep.

    References
    ----------
    Laack: CART-ELC: Oblique Decision Tree Induction via Exhaustive Search (2025).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import CARTELCClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CARTELCClassifier(r=2, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    criterion: CriterionLike = "gini"
    missing: str = param("mean", one_of("error", "mean", "indicator", "below"))

    _search_class = Exhaustive


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTELCRegressor(ExhaustiveParameters, TreeRegressor):
    """CART-ELC's search for a regression tree.

    Every node tests the best of all planes through r samples in r features: exact, and found by a sweep.

    References
    ----------
    Laack: CART-ELC: Oblique Decision Tree Induction via Exhaustive Search (2025).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import CARTELCRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> CARTELCRegressor(r=2, max_depth=1).fit(X[:, :3], y).get_n_leaves()
    2
    """

    criterion: CriterionLike = "squared_error"
    missing: str = param("mean", one_of("error", "mean", "indicator", "below"))

    _search_class = Exhaustive
