"""LMDT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from askew.estimators.base import BaseTree
from askew.estimators.classifier import TreeClassifier
from askew.estimators.document import documented
from askew.grow import Search
from askew.parameters import Rule
from askew.search.linear_machine import RULES, ThermalMachine


@dataclass(kw_only=True, eq=False, repr=False)
class _LMDTTree(BaseTree):
    __doc__ = ThermalMachine.__doc__  # the parameters are those of the search

    beta: float = ThermalMachine.beta
    beta_factor: float = ThermalMachine.beta_factor
    beta_decrement: float = ThermalMachine.beta_decrement
    least_beta: float = ThermalMachine.least_beta
    epsilon: float = ThermalMachine.epsilon
    correction: str = ThermalMachine.correction
    eliminate: bool = ThermalMachine.eliminate
    max_passes: int = ThermalMachine.max_passes
    univariate: bool = ThermalMachine.univariate
    missing: str = "mean"

    def _search(self) -> Search:
        return ThermalMachine(**{field.name: getattr(self, field.name) for field in fields(ThermalMachine)})


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class LMDTClassifier(_LMDTTree, TreeClassifier):
    """LMDT classification tree: linear machines at the nodes.

    Every node has a linear function for each class, and a branch for each: a row goes where the function is largest.

    References
    ----------
    Utgoff, Brodley: Linear machine decision trees. COINS Technical Report 91-10 (1991).
    Brodley, Utgoff: Multivariate decision trees. Machine Learning 19 (1995).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import LMDTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> LMDTClassifier(max_depth=1, random_state=0).fit(X, y).get_n_leaves()
    3
    """

    criterion: Any = "entropy"

    rules: ClassVar[Mapping[str, Rule]] = {**TreeClassifier.rules, **RULES}
