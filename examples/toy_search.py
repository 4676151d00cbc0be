"""A complete search in one file, explained in CONTRIBUTING.md. Run it to compare its tree with CART's."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Hyperplane, Split
from askew.search.axis import AxisParallel


@dataclass(frozen=True)
class ToySearch:
    """Cut along the direction of a least-squares fit of the target, at the best threshold.

    The target is y; for classification, 1 for the most frequent class of the node and 0 for the others.

    Examples
    --------
    >>> from askew import ObliqueTreeClassifier
    >>> ObliqueTreeClassifier(search=ToySearch()).fit([[0, 1], [1, 2], [1, 0], [2, 1]], [0, 0, 1, 1]).get_n_leaves()
    2
    """

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split of a node, or None to make it a leaf."""
        target = node.y == node.value.argmax() if node.table.classification else node.y
        direction = _direction(node.X, target.astype(np.float64), node.weight)
        along = node.table.take(node.rows)
        along = replace(along, X=along.X @ direction[:, None])  # one column: the position of each row along it
        cut = AxisParallel().find(node.on(along), criterion, seed)
        node.n_evaluated += 1
        return None if cut is None else Hyperplane.dense(direction, cut.threshold)


def _direction(X: np.ndarray, target: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the weights of a least-squares fit. Features are scaled first, so that units do not matter."""
    share = weight / weight.sum()
    with np.errstate(over="ignore"):
        centred = X - share @ X
        spread = np.sqrt(share @ centred**2)
    usable = np.isfinite(spread) & (spread > 1e-12 * np.abs(X).max(axis=0))  # a constant feature gets no weight
    root = np.sqrt(share)
    scaled = root[:, None] * centred[:, usable] / spread[usable]
    slope, *_ = np.linalg.lstsq(scaled, root * (target - share @ target), rcond=None)
    direction = np.zeros(X.shape[1])
    direction[usable] = slope / spread[usable]
    return direction


if __name__ == "__main__":
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import cross_val_score

    from askew import CARTClassifier, ObliqueTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    for tree in (CARTClassifier(), ObliqueTreeClassifier(search=ToySearch())):
        accuracy = cross_val_score(tree, X, y, cv=5).mean()
        print(f"{type(tree).__name__}: {accuracy:.3f}, {tree.fit(X, y).get_n_leaves()} leaves")
