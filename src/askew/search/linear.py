"""Regularised planes: penalised logistic and least-squares fits at a node, cut where the criterion is best."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.grow.rows import Penalty
from askew.model.split import Hyperplane, Split
from askew.parameters import Strategy, boolean, integer, one_of, param, real
from askew.search.axis import AxisCut, best_axis_cut

_REGROUPINGS = 5


@dataclass(frozen=True)
class LinearPlanes(Strategy):
    """Planes that are fitted to the classes or to y with a penalty, so that they do not fit noise.

    Columns are brought to mean 0 and deviation 1 over the rows of the node. Two classes have one direction, that of
    a penalised logistic regression. With more than two classes, the candidates are the canonical directions of linear
    discriminant analysis, a logistic regression of each class against the rest and, if they are few, of each pair. For
    regression the candidates are the ridge direction and the hinges between two ridge lines. Along each direction the
    cut is found exactly, by the criterion of the tree; the best of all and of the axis-parallel cut is taken.

    Parameters
    ----------
    l2 : float, default=1.0
        Strength of the penalty on the sum of the squared weights, beside the sum of the rows' losses.
    l1 : float, default=0.0
        Strength of the penalty on the sum of the absolute weights: above 0, weights of little use become zero.
    fit : "newton" or "one_step", default="newton"
        "newton" for Newton's method to the optimum; "one_step" for its first step alone, which is ridge regression on
        the labels and costs a quarter.
    canonical : int, default=10
        Number of canonical directions, at most.
    pairs : int, default=6
        Number of classes up to which each pair is fitted.
    hinge : bool, default=True
        Whether regression tries hinges, begun from the axis-parallel cut and from that of the ridge direction.
    price : float, default=0.0
        What each weight that is not zero, beyond the first, must lower the score by.

    References
    ----------
    Friedman, Hastie, Tibshirani: Regularization Paths for Generalized Linear Models via Coordinate Descent. Journal of
    Statistical Software 33 (2010). Fisher: The Use of Multiple Measurements in Taxonomic Problems (1936). Breiman:
    Hinging Hyperplanes for Regression, Classification, and Function Approximation (1993).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.linear import LinearPlanes
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(search=LinearPlanes(l2=10.0), max_leaf_nodes=2).fit(X, y)
    >>> round(tree.score(X, y), 2)
    0.99
    """

    l2: float = param(1.0, real(0.0))
    l1: float = param(0.0, real(0.0))
    fit: str = param("newton", one_of("newton", "one_step"))
    canonical: int = param(10, integer(0))
    pairs: int = param(6, integer(0))
    hinge: bool = param(True, boolean)
    price: float = param(0.0, real(0.0))

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the best cut along a fitted direction, or the best axis-parallel cut if that is as good."""
        axis = best_axis_cut(node, criterion)
        if axis is None or axis.score <= 0:
            return None if axis is None else axis.split
        best, split = axis.score, axis.split
        planes = self._directions(node, criterion, axis)
        node.n_evaluated += len(planes)
        thresholds, scores = node.statistics.plane_cuts(criterion, planes)
        terms = np.count_nonzero(planes, axis=1)
        asked = scores + self.price * (terms - 1)
        chosen = int(np.argmin(asked)) if len(planes) else 0
        if len(planes) and asked[chosen] < best and np.isfinite(thresholds[chosen]):
            best, split = float(asked[chosen]), Hyperplane.dense(planes[chosen], float(thresholds[chosen]))
        return self._regrouped(node, criterion, best, split)

    def _regrouped(self, node: Node, criterion: Criterion, best: float, split: Hyperplane) -> Hyperplane:
        """Fit the classes that are mostly on one side of a split against the others, as long as that is better."""
        if not node.classification or np.count_nonzero(node.value) < 3:
            return split
        for _ in range(_REGROUPINGS):
            group = (node.statistics.class_mass(split) < node.value / 2).astype(np.int8)
            plane = node.statistics.linear_directions(groups=group[None], **self._penalty)
            node.n_evaluated += len(plane)
            if not len(plane):
                break
            thresholds, scores = node.statistics.plane_cuts(criterion, plane)
            cost = float(scores[0]) + self.price * (np.count_nonzero(plane) - 1)
            if not (cost < best and np.isfinite(thresholds[0])):
                break
            best, split = cost, Hyperplane.dense(plane[0], float(thresholds[0]))
        return split

    @property
    def _penalty(self) -> Penalty:
        return {"l2": self.l2, "l1": self.l1, "max_steps": 1 if self.fit == "one_step" else 50}

    def _directions(self, node: Node, criterion: Criterion, axis: AxisCut) -> NDArray[np.float64]:
        """Return the fitted planes, weights in the units of the data (planes x features)."""
        rows = node.statistics
        if node.classification:
            groups = self._groups(node.value)
            canonical = self.canonical if np.count_nonzero(node.value) > 2 else 0
            return rows.linear_directions(canonical=canonical, groups=groups, **self._penalty)
        planes = rows.linear_directions(**self._penalty)
        if not self.hinge:
            return planes
        starts: list[Split] = [axis.split]
        if len(planes):
            thresholds, scores = rows.plane_cuts(criterion, planes[:1])
            if np.isfinite(scores[0]):
                starts.append(Hyperplane.dense(planes[0], float(thresholds[0])))
        return rows.linear_directions(starts=starts, **self._penalty)

    def _groups(self, value: NDArray[np.float64]) -> NDArray[np.int8]:
        """Return what logistic fits tell apart: two classes; each of more against the rest, and each pair if few."""
        here = np.flatnonzero(value)
        each = np.eye(value.size, dtype=np.int8)[here]
        if here.size <= 2:
            return each[1:]
        pairs = list(combinations(here.tolist(), 2)) if here.size <= self.pairs else []
        apart = np.full((len(pairs), value.size), -1, dtype=np.int8)
        for own, (a, b) in zip(apart, pairs, strict=True):
            own[a], own[b] = 0, 1
        return np.concatenate((each, apart))
