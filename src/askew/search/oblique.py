"""What the oblique searches share: scaling, the line search, and planes in the units of the data."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Hyperplane
from askew.search.axis import AxisCut


@dataclass(frozen=True)
class Plane:
    """A split that was found, and its score."""

    split: Hyperplane
    score: float


def best_move(node: Node, criterion: Criterion, V: ArrayLike, s: ArrayLike) -> tuple[float, float]:
    """Move a hyperplane along a line: the inner problem of OC1 and CART-LC, for searches of your own.

    Row j of the node lies at ``V[j] + t * s[j]``, and goes right where that is above 0. To move the coefficient of
    a feature, s is that feature; to move the constant, ones; to jump, the values of a random plane (OC1-94,
    sections 3.1 and 3.2). Solved exactly, for any signs, in the time that sorting takes.

    Parameters
    ----------
    node : the rows that are to be split
    criterion : how splits are scored
    V : value of the plane at each row of the node, ``X @ weights + constant``; below 1e150 in size
    s : how fast it changes; below 1e150 in size

    Returns
    -------
    t : how far to move; of equally good moves the lowest
    score : score of the split there; infinite, with t = 0, if no move below 1e100 parts the rows as the node's
        limits ask, or if the best is farther

    Examples
    --------
    Where to cut ``x0 + x1``, as a constant to be moved:

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
    """Return the score of a split on a node's rows; infinite without one, or if the limits refuse a child."""
    return node.statistics.split_scores(criterion, [split])[0]


def starting_plane(features: NDArray[np.int64], axis: AxisCut | None) -> NDArray[np.float64]:
    """Return the axis-parallel split as weights of the features and a constant."""
    start = np.zeros(features.size + 1)
    if axis is not None:
        start[np.flatnonzero(features == axis.feature)] = 1.0
        start[-1] = -axis.threshold
    return start


def scaling(normalize: str | None) -> _core.Scaling:
    """Return how a node's rows are scaled before a search; its plane comes back in the units of the data."""
    return _core.Scaling[normalize or "none"]


def hyperplane(node: Node, features: NDArray[np.int64], found: _core.FoundPlane | None) -> Plane | None:
    """Return the plane over some features that a search has found; None without one, or if it overflows."""
    if found is None:
        return None
    node.n_evaluated += found.n_evaluated
    if not (isfinite(found.score) and isfinite(found.threshold)):  # sums of huge values may overflow
        return None
    used = np.flatnonzero(found.weights)
    return Plane(Hyperplane(features[used], found.weights[used], found.threshold), found.score)


def denormalised(
    plane: NDArray[np.float64],
    features: NDArray[np.int64],
    shift: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> Hyperplane | None:
    """Return a plane on normalised features in the units of the data; None if it overflows.

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
