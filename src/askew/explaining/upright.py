"""Planes turned round so that most of a sum is added, not taken away: a scoring sheet counts points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from askew.split import HYPERPLANE, Hyperplane, Split
from askew.tree import Tree


def upright(tree: Tree, spread: NDArray[np.float64], rows: NDArray[np.float64]) -> Tree:
    """Return the tree in which no plane takes more away than it adds, by weight times spread.

    ``-2 a - b <= -7`` becomes ``2 a + b <= 7``, and the children change places. A row that lies exactly on the plane
    goes to the first child, which was the second: a plane that one of these rows lies on stays as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.explaining.upright import upright
    >>> from askew.split import Hyperplane
    >>> from askew.tree import Tree
    >>> tree = Tree.from_nodes([Hyperplane([0, 1], [-2.0, -1.0], -7.0), None, None], [1, 0, 0],
    ...                        np.array([[1.0, 2.0], [1.0, 0.0], [0.0, 2.0]]), np.ones(3), np.ones(3), np.ones(3), 2, 1)
    >>> print(upright(tree, np.ones(2), np.zeros((1, 2))).region(2))
    2 x0 + x1 > 7
    """
    splits: list[Split | None] = [None if leaf else tree.split(node) for node, leaf in enumerate(tree.is_leaf.tolist())]
    order = np.arange(tree.node_count)
    for node in np.flatnonzero(tree.kind == HYPERPLANE).tolist():
        features, weights = tree.test(node)
        if float((weights * spread[features]).sum()) >= 0:
            continue
        turned = Hyperplane(features, -weights, 0.0 - float(tree.threshold[node]))
        if (turned.route(rows) != tree.split(node).route(rows)).all():
            splits[node] = turned
            first = int(tree.first_child[node])
            order[[first, first + 1]] = order[[first + 1, first]]
    found = Tree.from_nodes(
        [splits[node] for node in order.tolist()],
        tree.first_child[order].tolist(),
        tree.value[order],
        tree.n_samples[order].astype(np.float64),
        tree.mass[order],
        tree.impurity[order],
        tree.n_features,
        tree.n_hyperplanes,
    )
    return replace(found, payload=tree.payload.take(order))
