"""SADT: trees whose splits are found by simulated annealing."""

from __future__ import annotations

from dataclasses import dataclass

from askew.estimators.tasks import TreeClassifier, TreeRegressor
from askew.grow.criterion import CriterionLike
from askew.parameters import documented
from askew.search.annealing import Annealing, AnnealingParameters


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class SADTClassifier(AnnealingParameters, TreeClassifier):
    """SADT classification tree.

    Every node tests a linear combination of features, found by simulated annealing.

    References
    ----------
    Heath, Kasif, Salzberg: Learning oblique decision trees. IJCAI-93.
    Murthy, Kasif, Salzberg: A System for Induction of Oblique Decision Trees. JAIR 2 (1994), sections 2 and 4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import SADTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SADTClassifier(max_depth=2, random_state=0).fit(X, y).get_n_leaves()
    3
    """

    criterion: CriterionLike = "entropy"

    _search_class = Annealing


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class SADTRegressor(AnnealingParameters, TreeRegressor):
    """SADT's search for a regression tree.

    Every node tests a linear combination of features, found by simulated annealing.

    References
    ----------
    Heath, Kasif, Salzberg: Learning oblique decision trees. IJCAI-93.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import SADTRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> SADTRegressor(max_depth=1, random_state=0).fit(X, y).get_n_leaves()
    2
    """

    criterion: CriterionLike = "squared_error"

    _search_class = Annealing
