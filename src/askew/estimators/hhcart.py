"""HHCART: trees whose splits are axis-parallel cuts of reflected rows."""

from __future__ import annotations

from dataclasses import dataclass

from askew.estimators.tasks import TreeClassifier, TreeRegressor
from askew.grow.criterion import CriterionLike
from askew.parameters import documented
from askew.search.householder import Householder, HouseholderParameters


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class HHCARTClassifier(HouseholderParameters, TreeClassifier):
    """HHCART classification tree.

    Every node reflects its rows so that a direction in which a class spreads becomes an axis, and cuts there.

    References
    ----------
    Wickramarachchi, Robertson, Reale, Price, Brown: HHCART: An oblique decision tree. Computational Statistics &
    Data Analysis 96 (2016).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import HHCARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> HHCARTClassifier(variant="A", max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    criterion: CriterionLike = "twoing"
    categorical_encoding: str = "crimcoord"

    _search_class = Householder


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class HHCARTRegressor(HouseholderParameters, TreeRegressor):
    """HHCART's search for a regression tree.

    Rows above the mean of y at a node, and rows not above it, are the two classes (ours).

    References
    ----------
    Wickramarachchi, Robertson, Reale, Price, Brown: HHCART: An oblique decision tree. Computational Statistics &
    Data Analysis 96 (2016).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import HHCARTRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> HHCARTRegressor(max_depth=2).fit(X, y).get_depth()
    2
    """

    criterion: CriterionLike = "squared_error"
    categorical_encoding: str = "crimcoord"

    _search_class = Householder
