"""`plot_tree`: a drawing of a fitted tree with the inequality of every node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.export.columns import Columns, Term
from askew.export.numbers import number, printable
from askew.export.palette import axes, colours, pyplot, tint
from askew.export.text import fitted_tree
from askew.split import CATEGORY_TABLE, HYPERPLANE, LINEAR_MACHINE
from askew.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In points (1/72 inch) at the font size of 9: the text is measured, everything else follows from it.
_SIZE = 9.0
_PAD, _GAP, _DROP = 9.0, 10.0, 30.0
_LARGEST = 40 * 72.0
_MINUS = "\N{MINUS SIGN}"


def plot_tree(
    estimator: Any,
    ax: Axes | None = None,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_terms: int = 6,
    decimals: int = 3,
) -> Axes:
    """Draw a fitted tree: the inequality of each node, and what each leaf predicts.

    Rows for which a node's inequality holds go to the left. A leaf's colour is that of its class, the stronger
    the purer.

    Parameters
    ----------
    estimator : a fitted tree
    ax : Matplotlib axes to draw in; by default new ones in a figure of the size that the tree needs
    max_depth : draw no deeper; what is left out is counted in its place
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
    check_is_fitted(estimator)
    fitted_tree(estimator)
    writer = _Writer(estimator, feature_names, class_names, max_terms, decimals)
    boxes = _lay_out(estimator.tree_, writer, np.inf if max_depth is None else max_depth)
    width, height = boxes[0].room, max(-box.y + box.height for box in boxes.values())
    shrink = min(1.0, _LARGEST / width)
    ax = axes(ax, (max(width * shrink / 72, 2.0), max(height * shrink / 72, 1.0)))
    ax.set(xlim=(0, width), ylim=(-height, 2))
    ax.set_axis_off()
    _draw(ax, boxes, _font(ax, width, height))
    return ax


@dataclass
class _Box:
    """A node's box: text, size, the room its subtree takes, and the place of its upper edge's middle."""

    text: str
    fill: Any
    width: float
    height: float
    ways: list[str] = field(default_factory=list)  # what leads to each child, where the text does not tell
    children: list[int] = field(default_factory=list)
    room: float = 0.0
    x: float = 0.0
    y: float = 0.0


class _Writer:
    """What stands in each box."""

    def __init__(
        self,
        estimator: Any,
        feature_names: Sequence[str] | None,
        class_names: Sequence[str] | None,
        max_terms: int,
        decimals: int,
    ) -> None:
        self.tree: Tree = estimator.tree_
        self.scale = getattr(estimator, "feature_scale_", np.ones(self.tree.n_features))
        self.columns = Columns.of(estimator, feature_names)
        labels = getattr(estimator, "classes_", []) if class_names is None else class_names
        self.classes = [printable(label) for label in labels] if is_classifier(estimator) else []
        if self.classes and len(self.classes) != self.tree.n_outputs:
            raise ValueError(f"{self.tree.n_outputs} class_names are needed. Got {len(self.classes)} instead.")
        self.colours = colours(max(len(self.classes), 1))
        self.max_terms, self.decimals = max_terms, decimals

    def inner(self, node: int) -> str:
        tree = self.tree
        tested, weights = tree.test(node)
        if tree.kind[node] == LINEAR_MACHINE:
            return f"linear machine of {tested.size} features"
        if tree.kind[node] != HYPERPLANE:
            return f"{self.columns.names[int(tested[0])]} = ?"
        threshold = float(tree.threshold[node])
        choice = self.columns.choice(tested, weights.tolist(), threshold)
        if choice is not None:
            return choice
        if tested.size == 1:
            relation = "≤" if weights[0] > 0 else "≥"
            return f"{self.columns.names[int(tested[0])]} {relation} {self.number(threshold / float(weights[0]))}"
        parts = self.columns.terms(tested, weights.tolist(), self.decimals)
        size = np.array([np.linalg.norm(weights[part.places] * self.scale[tested[part.places]]) for part in parts])
        order = np.argsort(-size, kind="stable")[: self.max_terms]
        terms = [self.term(parts[k]) for k in np.sort(order)]
        if len(parts) > len(terms):
            terms.append(f"+ {len(parts) - len(terms)} more")
        terms[0] = terms[0].removeprefix("+ ").replace(f"{_MINUS} ", _MINUS, 1)
        lines = [" ".join(terms[k : k + 2]) for k in range(0, len(terms), 2)]
        return "\n".join(lines) + f" ≤ {self.number(threshold)}"

    def ways(self, node: int) -> list[str]:
        if self.tree.kind[node] == HYPERPLANE and node == 0:  # the others are like the root
            return ["yes", "no"]
        return self.columns.cases(self.tree, node) if self.tree.kind[node] == CATEGORY_TABLE else []

    def leaf(self, node: int) -> str:
        value, n = self.tree.value[node], int(self.tree.n_samples[node])
        if not self.classes:
            return f"{self.number(float(value[0]))}\nn = {n}"
        share = value.max() / value.sum()
        purity = "" if share == 1 else f", {100 * share:.{0 if share < 0.995 else 1}f}%"
        return f"{self.classes[int(value.argmax())]}\nn = {n}{purity}"

    def rest(self, node: int, n_leaves: int) -> str:
        return f"{self.leaf(node)}\n… {n_leaves} leaves"

    def fill(self, node: int) -> Any:
        value = self.tree.value[node]
        if not self.classes:
            low, high = float(self.tree.value.min()), float(self.tree.value.max())
            return tint(pyplot().get_cmap("viridis")((value[0] - low) / ((high - low) or 1.0)), 0.5)
        return tint(self.colours[int(value.argmax())], 0.15 + 0.4 * value.max() / value.sum())

    def term(self, part: Term) -> str:
        size = "" if abs(part.weight) == 1 else f"{self.number(abs(part.weight))} "
        return f"{_MINUS if part.weight < 0 else '+'} {size}{part.name}"

    def number(self, value: float) -> str:
        return number(value, self.decimals).replace("-", _MINUS)


def _lay_out(tree: Tree, writer: _Writer, max_depth: float) -> dict[int, _Box]:
    """Give each subtree a strip as wide as it needs: boxes then never overlap."""
    drawn = [node for node in range(tree.node_count) if tree.node_depth[node] <= max_depth]
    leaves_below = tree.is_leaf.astype(np.int64)
    for node in range(tree.node_count - 1, 0, -1):
        leaves_below[tree.parent[node]] += leaves_below[node]
    boxes: dict[int, _Box] = {}
    for node in drawn:
        if tree.is_leaf[node]:
            text, fill = writer.leaf(node), writer.fill(node)
        elif tree.node_depth[node] == max_depth:
            text, fill = writer.rest(node, int(leaves_below[node])), "#EEEEEE"
        else:
            text, fill = writer.inner(node), "white"
        ways = writer.ways(node) if fill == "white" else []
        boxes[node] = _Box(text, fill, *_extent(text), ways)
        if tree.parent[node] >= 0:
            boxes[int(tree.parent[node])].children.append(node)
    for box in reversed(boxes.values()):
        box.room = max(box.width + _GAP, sum(boxes[child].room for child in box.children))
    _place(boxes, tree)
    return boxes


def _place(boxes: dict[int, _Box], tree: Tree) -> None:
    tallest = np.zeros(tree.depth + 1)
    for node, box in boxes.items():
        level = tree.node_depth[node]
        tallest[level] = max(tallest[level], box.height)
    top = -np.concatenate(([0.0], np.cumsum(tallest + _DROP)))
    boxes[0].x = boxes[0].room / 2
    for node, box in boxes.items():
        box.y = float(top[tree.node_depth[node]])
        left = box.x - sum(boxes[child].room for child in box.children) / 2
        for child in box.children:
            boxes[child].x = left + boxes[child].room / 2
            left += boxes[child].room


def _extent(text: str) -> tuple[float, float]:
    from matplotlib.textpath import TextPath

    lines = text.split("\n")
    # TextPath reads $ as mathematics; width is all that is wanted of it.
    widths = [TextPath((0, 0), line.replace("$", "S"), size=_SIZE).get_extents().width for line in lines]
    return max(widths) + 2 * _PAD, 1.25 * _SIZE * len(lines) + 1.2 * _PAD


def _font(ax: Axes, width: float, height: float) -> float:
    """Return the font size at which the text fills its boxes, however large the axes are."""
    figure: Any = ax.figure
    figure.canvas.draw()
    space = ax.get_window_extent()
    points = 72.0 / figure.dpi
    return _SIZE * float(min(space.width * points / width, space.height * points / height, 1.0))


def _draw(ax: Axes, boxes: dict[int, _Box], size: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    for box in boxes.values():
        for child in box.children:
            below = boxes[child]
            ax.plot([box.x, below.x], [box.y - box.height, below.y], color="#555555", linewidth=1, zorder=0)
        for child, word in zip(box.children, box.ways, strict=False):
            x, y = (box.x + boxes[child].x) / 2, (box.y - box.height + boxes[child].y) / 2
            side = "right" if boxes[child].x < box.x else "left"
            ax.text(x, y, f" {word} ", ha=side, va="bottom", fontsize=size, color="#555555", parse_math=False)
        corner = (box.x - box.width / 2, box.y - box.height)
        shape = FancyBboxPatch(
            corner,
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=4",
            facecolor=box.fill,
            edgecolor="#555555",
        )
        ax.add_patch(shape)
        middle = box.y - box.height / 2
        ax.text(box.x, middle, box.text, ha="center", va="center", fontsize=size, linespacing=1.25, parse_math=False)
