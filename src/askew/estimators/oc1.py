"""OC1 and OC1-AP."""

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
from askew.search.oc1 import OC1, RULES


@dataclass(kw_only=True, eq=False, repr=False)
class _OC1Tree(BaseTree):
    __doc__ = OC1.__doc__  # the parameters are those of the search

    n_restarts: int = OC1.n_restarts
    n_jumps: int = OC1.n_jumps
    order: str = OC1.order
    n_random_moves: int = OC1.n_random_moves
    stagnation: str = OC1.stagnation
    max_stagnant: int = OC1.max_stagnant
    oblique_min_samples: int | str = OC1.oblique_min_samples
    axis_bias: float = OC1.axis_bias
    perturb_bias: bool = OC1.perturb_bias
    oblique: bool = OC1.oblique
    normalize: str | None = OC1.normalize
    max_features: int | float | str | None = OC1.max_features
    max_loss: float | None = OC1.max_loss
    centre: bool = OC1.centre
    pruning: Any = "cost_complexity"
    missing: str = "mean"

    def _search(self) -> Search:
        return OC1(**{field.name: getattr(self, field.name) for field in fields(OC1)})


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class OC1Classifier(_OC1Tree, TreeClassifier):
    """OC1 classification tree.

    Every node tests a linear combination of features, found by hill climbing on one coefficient at a time, with
    random jumps and restarts.

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

    criterion: Any = "twoing"

    rules: ClassVar[Mapping[str, Rule]] = {**TreeClassifier.rules, **RULES}


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class OC1Regressor(_OC1Tree, TreeRegressor):
    """OC1's search for a regression tree.

    Every node tests a linear combination of features, found by hill climbing on one coefficient at a time, with
    random jumps and restarts.

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

    criterion: Any = "squared_error"

    rules: ClassVar[Mapping[str, Rule]] = {**TreeRegressor.rules, **RULES}
