"""`plot_tree`: a drawing of a fitted tree with the inequality of every node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from askew.export.palette import axes, pyplot
from askew.export.pipeline import final_step
from askew.export.text import fitted_tree
from askew.export.tree_boxes import Boxes
from askew.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In points (1/72 inch) at the font size of 9: the text is measured, everything else follows from it.
_SIZE = 9.0
_LINE = 1.25 * _SIZE
_PAD, _GAP, _DROP = 9.0, 10.0, 30.0
_GREY = "#555555"
_LARGEST = 40 * 72.0
_MOST_LEAVES = 60  # of a larger tree, the upper part is drawn


def plot_tree(
    estimator: Any,
    ax: Axes | None = None,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_terms: int = 6,
    decimals: int | None = None,
) -> Axes:
    """Draw a fitted tree: the inequality of each node, and what each leaf predicts.

    Rows for which a node's inequality holds go to the left. A leaf's colour is that of its class, the stronger
    the purer. Of a linear machine, the number of the largest function is that of the child.

    Parameters
    ----------
    estimator : a fitted tree, or a fitted Pipeline that ends in one
    ax : Matplotlib axes to draw in, at whatever size they have; by default new ones in a figure of the size that the
        tree needs
    max_depth : draw no deeper; what is left out is counted in its place. By default all, or of a tree of more than 60
        leaves as much as has 60, with a note
    feature_names : names of the features; by default those of the data frame the tree was fitted to
    class_names : names of the classes, in the order of `classes_`
    max_terms : terms of an inequality to write out: those that matter most, by weight times spread
    decimals : digits after the point, as for `export_text`

    Returns
    -------
    ax : the axes

    Examples
    --------
    >>> import askew
    >>> X, y = askew.datasets.make_pol(random_state=0)
    >>> ax = askew.plot_tree(askew.CARTClassifier(max_depth=3).fit(X, y))
    """
    pyplot()  # before any work, the error that names the extra
    estimator = final_step(estimator)
    check_is_fitted(estimator)
    tree = fitted_tree(estimator)
    writer = Boxes(estimator, feature_names, class_names, max_terms, decimals)
    deepest = _deepest(tree) if max_depth is None else max_depth
    boxes = _lay_out(tree, writer, deepest)
    cut = _note(tree, deepest, boxes) if max_depth is None and deepest < tree.depth else ""
    note = "\n".join(filter(None, [cut, writer.wording.note]))
    width, height = (
        boxes[0].room,
        max(-box.y + box.height for box in boxes.values()) + (_SIZE + _LINE * (1 + note.count("\n")) if note else 0),
    )
    shrink = min(1.0, _LARGEST / width)
    ax = axes(ax, (max(width * shrink / 72, 2.0), max(height * shrink / 72, 1.0)))
    _set_limits(ax, width, height)
    _draw(ax, boxes)
    if note:
        _write(ax, width / 2, -height, note, va="bottom", color=_GREY)
    return ax


@dataclass
class _Box:
    """A node's box: text, size, the room its subtree takes, and the place of its upper edge's middle."""

    text: str
    fill: Any
    width: float
    height: float
    way: str = ""  # what leads to it, where its parent's text does not tell
    children: list[int] = field(default_factory=list)
    room: float = 0.0
    x: float = 0.0
    y: float = 0.0


def _deepest(tree: Tree) -> int:
    """Return the depth to which a tree can be drawn with few enough boxes at the bottom, at least 1."""
    inner = np.bincount(tree.node_depth[~tree.is_leaf], minlength=tree.depth + 1)
    ends = np.cumsum(np.bincount(tree.node_depth[tree.is_leaf], minlength=tree.depth + 1)) + inner
    small = np.flatnonzero(np.maximum.accumulate(ends) <= _MOST_LEAVES)
    return max(int(small[-1]) if small.size else 0, 1)


def _note(tree: Tree, deepest: int, boxes: dict[int, _Box]) -> str:
    shown = int(tree.is_leaf[list(boxes)].sum())
    return f"drawn to depth {deepest} of {tree.depth}: {shown} of {tree.n_leaves} leaves; max_depth draws more"


def _lay_out(tree: Tree, writer: Boxes, max_depth: int) -> dict[int, _Box]:
    """Give each subtree a strip as wide as it needs: boxes then never overlap."""
    leaves_below = tree.is_leaf.astype(np.int64)
    for node in range(tree.node_count - 1, 0, -1):
        leaves_below[tree.parent[node]] += leaves_below[node]
    boxes: dict[int, _Box] = {}
    ways: dict[int, str] = {}
    for node in np.flatnonzero(tree.node_depth <= max_depth).tolist():
        if tree.is_leaf[node]:
            text, fill = writer.leaf(node), writer.fill(node)
        elif tree.node_depth[node] == max_depth:
            text, fill = writer.rest(node, int(leaves_below[node])), "#EEEEEE"
        else:
            text, fill = writer.inner(node), "white"
            ways.update(enumerate(writer.ways(node), int(tree.first_child[node])))
        boxes[node] = _Box(text, fill, *_extent(text), ways.get(node, ""))
        if tree.parent[node] >= 0:
            boxes[int(tree.parent[node])].children.append(node)
    for box in reversed(boxes.values()):
        own = max(box.width, _extent(box.way)[0]) + _GAP
        box.room = max(own, sum(boxes[child].room for child in box.children))
    _place(boxes, tree)
    return boxes


def _place(boxes: dict[int, _Box], tree: Tree) -> None:
    tallest, drop = np.zeros((2, tree.depth + 2))
    for node, box in boxes.items():
        level = tree.node_depth[node]
        tallest[level] = max(tallest[level], box.height)
        drop[level] = max(drop[level], _DROP + _LINE * box.way.count("\n"))
    top = -np.cumsum(np.concatenate(([0.0], tallest[:-1] + drop[1:])))
    boxes[0].x = boxes[0].room / 2
    for node, box in boxes.items():
        box.y = float(top[tree.node_depth[node]])
        left = box.x - sum(boxes[child].room for child in box.children) / 2
        for child in box.children:
            boxes[child].x = left + boxes[child].room / 2
            left += boxes[child].room


def _extent(text: str) -> tuple[float, float]:
    lines = text.split("\n")
    return max(map(_width, lines)) + 2 * _PAD, _LINE * len(lines) + 1.2 * _PAD


@lru_cache(maxsize=4096)
def _width(line: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=_SIZE)
    # Hinting makes text on a screen a little wider than its outlines.
    return 1.05 * float(text_to_path.get_text_width_height_descent(line, font, ismath=False)[0])


def _set_limits(ax: Axes, width: float, height: float) -> None:
    """Let a unit be a point, or less if the axes are too small for that; the tree stands in the middle."""
    space, points = ax.get_window_extent(), 72.0 / ax.figure.dpi
    wide, high = (max(need, has * points) for need, has in ((width, space.width), (height, space.height)))
    ax.set(xlim=((width - wide) / 2, (width + wide) / 2), ylim=(-(height + high) / 2, (high - height) / 2 + 2))
    ax.set_aspect("equal")
    ax.set_axis_off()


def _draw(ax: Axes, boxes: dict[int, _Box]) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.patches import FancyBboxPatch

    edges = [(box, boxes[child]) for box in boxes.values() for child in box.children]
    lines = [[(above.x, above.y - above.height), (below.x, below.y)] for above, below in edges]
    ax.add_collection(LineCollection(lines, colors=_GREY, linewidths=1, zorder=0), autolim=False)
    for box in boxes.values():
        corner = (box.x - box.width / 2, box.y - box.height)
        shape = FancyBboxPatch(
            corner, box.width, box.height, boxstyle="round,pad=0,rounding_size=4", facecolor=box.fill, edgecolor=_GREY
        )
        ax.add_patch(shape)
        _write(ax, box.x, box.y - box.height / 2, box.text, va="center", ma="left" if box.children else "center")
        if box.way:
            behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
            _write(ax, box.x, box.y + 3, box.way, va="bottom", color=_GREY, bbox=behind)


def _write(ax: Axes, x: float, y: float, text: str, **look: Any) -> None:
    from askew.export.fitted_text import FittedText  # late: it needs Matplotlib

    written = FittedText(x, y, text, units=_SIZE, ha="center", linespacing=_LINE / _SIZE, **look)
    ax.add_artist(written)
