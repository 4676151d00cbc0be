"""The regions of a tree in a plane, as exact polygons: a box halved again and again by the nodes' lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.model.rule_network import RuleNetwork
from askew.model.split import HYPERPLANE
from askew.model.tree import Tree
from askew.plot.partition_view import Section

Points = NDArray[np.float64]  # (k x 2), in order around a convex polygon


class PlanePartition(NamedTuple):
    """The partition of a box by a tree: the polygon of each leaf, and the line of each inner node inside its region."""

    leaves: dict[int, Points]
    lines: dict[int, Points]


def halve(polygon: Points, normal: Points, offset: float) -> tuple[Points, Points, Points]:
    """Cut a convex polygon by a line.

    Returns
    -------
    below : ndarray
        The part where ``normal @ x <= offset``; fewer than three points if there is none.
    above : ndarray
        The part where it is larger.
    line : ndarray
        The two ends of the line inside the polygon; empty if it does not cross.

    Examples
    --------
    >>> import numpy as np
    >>> from askew.plot.regions import halve
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> halve(square, np.array([1.0, 0.0]), 0.5)[2].tolist()
    [[0.5, 0.0], [0.5, 1.0]]
    """
    side = polygon @ normal - offset
    if (side <= 0).all():
        return polygon, _NOTHING, _NOTHING
    if (side >= 0).all():
        return _NOTHING, polygon, _NOTHING
    below: list[Points] = []
    above: list[Points] = []
    line: list[Points] = []
    following = np.roll(np.arange(len(polygon)), -1)
    for i, j in enumerate(following.tolist()):
        if side[i] <= 0:
            below.append(polygon[i])
        if side[i] >= 0:
            above.append(polygon[i])
        if side[i] == 0:
            line.append(polygon[i])
        elif side[i] * side[j] < 0:
            crossing = polygon[i] + (polygon[j] - polygon[i]) * (side[i] / (side[i] - side[j]))
            below.append(crossing)
            above.append(crossing)
            line.append(crossing)
    return np.array(below), np.array(above), np.array(line)


_NOTHING: Points = np.empty((0, 2))


def partition(tree: Tree, plane: Section, box: Points) -> PlanePartition:
    """Divide a box as the tree does.

    Parameters
    ----------
    tree : Tree
        A tree of hyperplanes.
    plane : Section
        Where the box lies in the space of the columns.
    box : ndarray
        Lower and upper bounds of the two coordinates of the plane (2 x 2).
    """
    (x0, y0), (x1, y1) = box
    leaves: dict[int, Points] = {}
    lines: dict[int, Points] = {}
    waiting = [(0, np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))]
    while waiting:
        node, polygon = waiting.pop()
        if len(polygon) < 3:
            continue
        if tree.is_leaf[node]:
            leaves[node] = polygon
            continue
        normal, offset = _line(tree, node, plane)
        below, above, line = halve(polygon, normal, offset)
        if len(line) == 2:
            lines[node] = line
        first = int(tree.first_child[node])
        waiting += [(first, below), (first + 1, above)]
    return PlanePartition(leaves, lines)


def regions(network: RuleNetwork, plane: Section, box: Points) -> dict[int, Points]:
    """Return the polygon of each region of a network inside a box; arguments as of `partition`.

    Regions may overlap: a point belongs to the first. A region outside the box has none.
    """
    (x0, y0), (x1, y1) = box
    found: dict[int, Points] = {}
    for region in range(network.n_leaves):
        polygon = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
        for split, side in network.conditions(region):
            if len(polygon) >= 3:
                polygon = halve(polygon, *_line(network, split, plane))[side]
        if len(polygon) >= 3:
            found[region] = polygon
    return found


def _line(tree: Tree | RuleNetwork, node: int, plane: Section) -> tuple[Points, float]:
    if tree.kind[node] != HYPERPLANE:
        raise ValueError(f"node {node} is not a hyperplane")
    tested, weights = tree.test(node)
    return weights @ plane.span[tested], float(tree.threshold[node] - weights @ plane.origin[tested])
