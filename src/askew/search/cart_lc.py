"""CART-LC: Breiman's deterministic search for linear combinations, the ancestor of OC1."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Split
from askew.parameters import Strategy, boolean, documented, integer, none, param, real
from askew.search.axis import best_axis_cut
from askew.search.oblique import scaling, scored_plane, starting_plane


@dataclass(kw_only=True, eq=False, repr=False)
class CARTLCParameters:
    """The parameters of `CARTLC`, and of the estimators that search with it.

    Parameters
    ----------
    normalize : bool, default=True
        Subtract the median and divide by the interquartile range at each node (CART; Murthy et al. ran it without).
    beta : float or None, default=0.2
        Backward deletion: a feature is deleted if that raises the score by less than beta times the largest increase
        by any deletion (CART: 0.1 or 0.2); None deletes none, as Murthy et al. ran it. The increases are computed again
        after each deletion; with 200 features or more, after each hundredth of them (ours: linear time).
    max_cycles : int, default=100
        Largest number of cycles (OC1-94, section 4.1: 100).
    epsilon : float, default=0.0001
        Stop when a cycle changes the score by no more than this (the program of OC1-94: 1e-4).
    keep_best : bool, default=True
        Return the best hyperplane of all cycles; False returns the last, as in 1984 and 1994.
    """

    normalize: bool = param(True, boolean)
    beta: float | None = param(0.2, real(0.0) | none)
    max_cycles: int = param(100, integer(1))
    epsilon: float = param(1e-4, real(0.0))
    keep_best: bool = param(True, boolean)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTLC(CARTLCParameters, Strategy):
    """The search of CART-LC.

    Starting from the best univariate split, cycle through the features: find the best multiple of ``x + gamma`` (gamma
    in -0.25, 0, 0.25) and add it, whether the split improves or not; after each cycle, choose the best constant. Then
    delete the features that matter least (backward deletion) and cycle once more.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees (1984), section 5.2.
    Murthy, Kasif, Salzberg: A System for Induction of Oblique Decision Trees. JAIR 2 (1994), figure 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.cart_lc import CARTLC
    >>> X, y = load_iris(return_X_y=True)
    >>> ObliqueTreeClassifier(search=CARTLC(), criterion="twoing").fit(X, y).score(X, y)
    1.0
    """

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the better of the best univariate split and the hyperplane of the cycles."""
        axis = best_axis_cut(node, criterion)
        score = inf if axis is None else axis.score
        if score <= 0:
            return None if axis is None else axis.split
        features = np.arange(node.table.n_features)
        rules = _core.CycleRules(
            scaling=scaling("robust" if self.normalize else None),
            epsilon=self.epsilon,
            max_cycles=self.max_cycles,
            keep_best=self.keep_best,
            beta=-1.0 if self.beta is None else self.beta,
        )
        start = starting_plane(features, axis)
        best = _core.cart_lc(criterion.kernel, node.kernel, rules, features=features, start=start)
        plane = scored_plane(node, features, best)
        if plane is None or not plane.score < score:
            return None if axis is None else axis.split
        return plane.split
