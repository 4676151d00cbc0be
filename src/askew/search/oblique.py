"""Shared by the oblique searches: scaling, the line search, hyperplanes in the units of the data, a limit on terms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node, Search
from askew.model.split import Hyperplane, Split
from askew.search.axis import AxisCut, best_axis_cut


@dataclass(frozen=True)
class ScoredPlane:
    """A hyperplane and its score."""

    split: Hyperplane
    score: float


def best_move(node: Node, criterion: Criterion, V: ArrayLike, s: ArrayLike) -> tuple[float, float]:
    """Move a hyperplane along a line: the line search of OC1 and CART-LC, for use in your searches.

    Row j of the node has the value ``V[j] + t * s[j]``, and goes right if that is above 0. To move the coefficient of
    a feature, s is that feature; to move the constant, ones; to jump, the values of a random hyperplane (OC1-94,
    sections 3.1 and 3.2). The problem is solved exactly, in the time of a sort.

    Parameters
    ----------
    node : Node
        The node to split.
    criterion : Criterion
        The criterion of the tree.
    V : array-like
        Value of the hyperplane at each row of the node, ``X @ weights + constant``; below 1e150 in absolute value.
    s : array-like
        Slope of each value; below 1e150 in absolute value.

    Returns
    -------
    t : float
        The best move; the lowest of equally good ones.
    score : float
        Score of the split there; infinite, with t = 0, if the limits of the node allow no move below 1e100, or if the
        best one is larger.

    Examples
    --------
    The threshold of ``x0 + x1``, found by moving the constant:

    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.oblique import best_move
    >>> from askew.model.split import Hyperplane
    >>> class Diagonal:
    ...     def find(self, node, criterion, seed):
    ...         t, score = best_move(node, criterion, node.X.sum(axis=1), [1.0] * len(node.X))
    ...         return Hyperplane([0, 1], [1.0, 1.0], -t)
    >>> tree = ObliqueTreeClassifier(search=Diagonal()).fit([[0, 1], [1, 1], [2, 1], [1, 3]], [0, 0, 1, 1])
    >>> float(tree.tree_.threshold[0])
    2.5
    """
    table = node.table if node.rows.size == node.table.n_rows else node.table.take(node.rows)
    moved, along = (np.ascontiguousarray(values, dtype=np.float64) for values in (V, s))
    return _core.line_search(
        criterion.kernel,
        table.target,
        moved,
        along,
        min_samples_leaf=node.min_samples_leaf,
        min_weight_leaf=node.min_weight_leaf,
    )


def score_on(node: Node, criterion: Criterion, split: Hyperplane | None) -> float:
    """Return the score of a split on the rows of a node; infinite if it is None, or if the limits forbid a child."""
    return node.statistics.split_scores(criterion, [split])[0]


def starting_plane(features: NDArray[np.int64], axis: AxisCut | None) -> NDArray[np.float64]:
    """Return the axis-parallel split as weights of the features and a constant."""
    start = np.zeros(features.size + 1)
    if axis is not None:
        start[np.flatnonzero(features == axis.feature)] = 1.0
        start[-1] = -axis.threshold
    return start


def scaling(normalize: str | None) -> _core.Scaling:
    """Return the scaling of a node's rows for a compiled search, which returns planes in the units of the data."""
    return _core.Scaling[normalize or "none"]


def scored_plane(node: Node, features: NDArray[np.int64], best: _core.FoundPlane | None) -> ScoredPlane | None:
    """Return the hyperplane of a compiled search as a split, and count the hyperplanes that it evaluated.

    Parameters
    ----------
    node : Node
        The node that was searched.
    features : ndarray
        Feature of each weight.
    best : FoundPlane or None
        The result of the search; None if no hyperplane divides the rows.

    Returns
    -------
    plane : ScoredPlane or None
        None also if the hyperplane overflows.
    """
    if best is None:
        return None
    node.n_evaluated += best.n_evaluated
    if not (isfinite(best.score) and isfinite(best.threshold)):  # sums of huge values may overflow
        return None
    used = np.flatnonzero(best.weights)
    return ScoredPlane(Hyperplane(features[used], best.weights[used], best.threshold), best.score)


def denormalised(
    plane: NDArray[np.float64],
    features: NDArray[np.int64],
    shift: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> Hyperplane | None:
    """Return a hyperplane on normalised features in the units of the data; None if it overflows.

    The upper side, ``plane @ (x', 1) >= 0``, is child 0.
    """
    with np.errstate(all="ignore"):
        weights = plane[:-1] / scale
        constant = plane[-1] - float(np.sum(weights * shift))
        if not (np.isfinite(weights).all() and np.isfinite(constant)):
            unit = float(scale.min())  # only the direction matters
            weights = plane[:-1] * (unit / scale)
            constant = plane[-1] * unit - float(np.sum(weights * shift))
    used = np.flatnonzero(weights)
    if used.size == 0 or not (np.isfinite(weights).all() and np.isfinite(constant)):
        return None
    return Hyperplane(features[used], -weights[used], constant)


@dataclass(frozen=True)
class FewTerms:
    """Any search for hyperplanes, with a limit on the number of features that a node tests.

    If the search finds a hyperplane with more features, the half that contribute least (by weight times range of the
    feature on the rows of the node) are removed, and it searches again, until the limit is reached (recursive feature
    elimination: Guyon et al. 2002). The best axis-parallel cut is taken if it is as good.

    Parameters
    ----------
    search : Search
        The search to run.
    max_terms : int
        Largest number of features at a node.
    """

    search: Search
    max_terms: int

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split that the search finds among the features that contribute most."""
        split = self.search.find(node, criterion, seed)
        if not isinstance(split, Hyperplane) or split.features.size <= self.max_terms:
            return split
        shorter: Split | None = split
        while isinstance(shorter, Hyperplane) and shorter.features.size > self.max_terms:
            contribution = np.abs(shorter.weights) * np.ptp(node.X[:, shorter.features], axis=0)
            n = max(self.max_terms, shorter.features.size // 2)
            kept = np.sort(shorter.features[np.argsort(-contribution, kind="stable")[:n]])
            shorter = self._among(kept, node, criterion, seed)
        axis = best_axis_cut(node, criterion)
        if axis is None or (isinstance(shorter, Hyperplane) and score_on(node, criterion, shorter) < axis.score):
            return shorter
        return axis.split

    def _among(self, kept: NDArray[np.int64], node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Search in some of the columns."""
        rows = node.table.take(node.rows)
        names = tuple(rows.feature_names[j] for j in kept)
        table = replace(rows, X=np.ascontiguousarray(rows.X[:, kept]), feature_names=names, n_input_features=0)
        inner = node.on(table, grown_on=table)
        split = self.search.find(inner, criterion, seed)
        node.n_evaluated += inner.n_evaluated
        if not isinstance(split, Hyperplane):
            return split
        return Hyperplane(kept[split.features], split.weights, split.threshold)
