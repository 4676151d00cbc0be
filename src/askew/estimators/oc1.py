"""OC1, and OC1-AP (`oblique=False`): trees whose splits are found by hill climbing."""

from __future__ import annotations

from dataclasses import dataclass

from askew.estimators.tasks import TreeClassifier, TreeRegressor
from askew.grow.criterion import CriterionLike
from askew.grow.recipe import Pruner
from askew.parameters import documented
from askew.search.oc1 import OC1, OC1Parameters


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class OC1Classifier(OC1Parameters, TreeClassifier):
    """OC1 classification tree.

    Every node tests a linear combination of features, found by hill climbing on one coefficient at a time, with
    random jumps and restarts. It is pruned with a held-out tenth of the rows, as in the paper. With few rows the size
    of the tree then depends on the seed; ``pruning=CostComplexity(cv=5)`` is more stable.

    References
    ----------
    Murthy, Kasif, Salzberg: A System for Induction of Oblique Decision Trees. JAIR 2 (1994).
    Murthy, Kasif, Salzberg, Beigel: OC1: Randomized Induction of Oblique Decision Trees. AAAI-93.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import OC1Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> OC1Classifier(max_depth=2, random_state=0).fit(X, y).get_depth() <= 2
    True
    """

    criterion: CriterionLike = "twoing"
    pruning: Pruner | str | None = "cost_complexity"

    _search_class = OC1


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class OC1Regressor(OC1Parameters, TreeRegressor):
    """OC1's search for a regression tree.

    Every node tests a linear combination of features, found by hill climbing on one coefficient at a time, with
    random jumps and restarts. It is pruned as `OC1Classifier` is; with few rows ``pruning=CostComplexity(cv=5)``
    is more stable.

    References
    ----------
    Murthy, Kasif, Salzberg: A System for Induction of Oblique Decision Trees. JAIR 2 (1994).
    Murthy, Kasif, Salzberg, Beigel: OC1: Randomized Induction of Oblique Decision Trees. AAAI-93.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import OC1Regressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> OC1Regressor(max_depth=2, random_state=0).fit(X, y).get_depth() <= 2
    True
    """

    criterion: CriterionLike = "squared_error"
    pruning: Pruner | str | None = "cost_complexity"

    _search_class = OC1
