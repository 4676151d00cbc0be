"""LMDT: trees with a linear machine at each node."""

from __future__ import annotations

from dataclasses import dataclass

from askew.estimators.tasks import TreeClassifier
from askew.grow.criterion import CriterionLike
from askew.parameters import documented
from askew.search.linear_machine import ThermalMachine, ThermalMachineParameters


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class LMDTClassifier(ThermalMachineParameters, TreeClassifier):
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

    criterion: CriterionLike = "entropy"

    _search_class = ThermalMachine
