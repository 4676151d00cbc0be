"""Regularised hyperplanes: penalised logistic and ridge regressions at a node, with the threshold of best score."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Hyperplane, Split
from askew.parameters import Strategy, boolean, integer, one_of, param, real
from askew.search.axis import AxisCut, best_axis_cut

_REGROUPINGS = 5


@dataclass(frozen=True)
class LinearPlanes(Strategy):
    """Hyperplanes fitted to the classes or to y with a penalty against overfitting.

    Columns are standardised (mean 0, deviation 1) over the rows of the node. With two classes, the direction is that
    of a penalised logistic regression. With more than two classes, the candidates are the canonical directions of
    linear discriminant analysis, a logistic regression of each class against the rest and, if there are few classes,
    of each pair. For regression the candidates are the direction of ridge regression and the hinges between two ridge
    regressions. Along each direction the threshold with the best score is found exactly; the best of all candidates
    and of the axis-parallel cuts is taken.

    Parameters
    ----------
    l2 : float, default=1.0
        Factor of the sum of the squared weights in the loss, which is summed over the rows.
    l1 : float, default=0.0
        Factor of the sum of the absolute weights: above 0, weights of little use become zero.
    fit : "newton" or "one_step", default="newton"
        "newton" for Newton's method to convergence; "one_step" for its first step, which is ridge regression on the
        labels and costs a quarter.
    canonical : int, default=10
        Largest number of canonical directions.
    pairs : int, default=6
        Largest number of classes for which each pair is fitted.
    hinge : bool, default=True
        Whether regression tries hinges, starting from the axis-parallel cut and from that of the ridge direction.
    price : float, default=0.0
        Decrease of the score that each nonzero weight beyond the first must bring.

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
        costs = scores + self.price * (np.count_nonzero(planes, axis=1) - 1)
        lowest = int(np.argmin(costs)) if len(planes) else 0
        if len(planes) and costs[lowest] < best and np.isfinite(thresholds[lowest]):
            best, split = float(costs[lowest]), Hyperplane.dense(planes[lowest], float(thresholds[lowest]))
        return self._regrouped(node, criterion, best, split)

    def _regrouped(self, node: Node, criterion: Criterion, best: float, split: Hyperplane) -> Hyperplane:
        """Fit the classes that are mostly on one side of the split against the others, while the score improves."""
        if not node.classification or np.count_nonzero(node.value) < 3:
            return split
        for _ in range(_REGROUPINGS):
            group = (node.statistics.class_mass(split) < node.value / 2).astype(np.int8)
            plane = node.statistics.linear_directions(self._penalty, groups=group[None])
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
    def _penalty(self) -> _core.Penalty:
        return _core.Penalty(l2=self.l2, l1=self.l1, max_steps=1 if self.fit == "one_step" else 50)

    def _directions(self, node: Node, criterion: Criterion, axis: AxisCut) -> NDArray[np.float64]:
        """Return the weights of the fitted hyperplanes in the units of the data (hyperplanes x features)."""
        rows = node.statistics
        if node.classification:
            groups = self._groups(node.value)
            canonical = self.canonical if np.count_nonzero(node.value) > 2 else 0
            return rows.linear_directions(self._penalty, canonical=canonical, groups=groups)
        planes = rows.linear_directions(self._penalty)
        if not self.hinge:
            return planes
        starts: list[Split] = [axis.split]
        if len(planes):
            thresholds, scores = rows.plane_cuts(criterion, planes[:1])
            if np.isfinite(scores[0]):
                starts.append(Hyperplane.dense(planes[0], float(thresholds[0])))
        return rows.linear_directions(self._penalty, starts=starts)

    def _groups(self, value: NDArray[np.float64]) -> NDArray[np.int8]:
        """Return the labels of each logistic regression (regressions x classes): 0, 1, or -1 for a class left out.

        Two classes have one regression; more have one of each class against the rest, and of each pair if few.
        """
        present = np.flatnonzero(value)
        one_vs_rest = np.eye(value.size, dtype=np.int8)[present]
        if present.size <= 2:
            return one_vs_rest[1:]
        pairs = list(combinations(present.tolist(), 2)) if present.size <= self.pairs else []
        one_vs_one = np.full((len(pairs), value.size), -1, dtype=np.int8)
        for labels, (a, b) in zip(one_vs_one, pairs, strict=True):
            labels[a], labels[b] = 0, 1
        return np.concatenate((one_vs_rest, one_vs_one))
