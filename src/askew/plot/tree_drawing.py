"""A tree as shapes: cards on their levels, ribbons as wide as the share of the rows between them, a legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from askew.model.fitted import FittedModel
from askew.model.tree import Tree
from askew.plot.node_rows import TreeRows
from askew.plot.shapes import GREY, WHITE, Drawing, Label, Measure, Rect, Ribbon, Shape, lines_of
from askew.plot.tree_cards import LEADING, SIZE, SMALL, Boxes, Cards

_GAP, _DROP = 9.0, 30.0
_WIDEST = 12.0  # of a ribbon: all rows
_THINNEST = 0.7
_MOST_LEAVES = 60  # of a larger tree, the upper part is drawn
_MOST_CLASSES = 12  # in a legend
_SCALE, _STEPS = 120.0, 24  # length of the scale of numbers, and its colours
_NOTE = 240.0  # least width of a note
_TERMS = ((8, 6), (20, 4), (60, 3))  # up to this many leaves, this many terms


def draw_tree(
    model: FittedModel,
    rows: TreeRows | None,
    measure: Measure,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_terms: int | None = None,
    decimals: int | None = None,
) -> Drawing:
    """Return the picture of a fitted tree; see `askew.plot_tree`."""
    tree = model.tree
    deepest = deepest_of(tree) if max_depth is None else max_depth
    shown = np.flatnonzero(tree.node_depth <= deepest).tolist()
    ends = sum(bool(tree.is_leaf[node]) or tree.node_depth[node] == deepest for node in shown)
    if max_terms is None:
        max_terms = next((terms for leaves, terms in _TERMS if ends <= leaves), _TERMS[-1][1])
    words = Boxes(model, feature_names, class_names, max_terms, decimals)
    small = ends > _TERMS[0][0]
    cards = Cards(words, rows, measure, bins=18 if small else 24, longest=24 if small else 28)
    drawing = _joined(tree, cards, shown, deepest)
    notes = [words.wording.note]
    if max_depth is None and deepest < tree.depth:
        notes.insert(0, _cut(tree, deepest, shown))
    _add_legend(drawing, cards)
    _add_notes(drawing, cards, [note for note in notes if note])
    return drawing


def deepest_of(tree: Tree) -> int:
    """Return the depth to which a tree can be drawn with few enough boxes at the bottom, at least 1."""
    inner = np.bincount(tree.node_depth[~tree.is_leaf], minlength=tree.depth + 1)
    ends = np.cumsum(np.bincount(tree.node_depth[tree.is_leaf], minlength=tree.depth + 1)) + inner
    small = np.flatnonzero(np.maximum.accumulate(ends) <= _MOST_LEAVES)
    return max(int(small[-1]) if small.size else 0, 1)


def _cut(tree: Tree, deepest: int, shown: list[int]) -> str:
    leaves = int(tree.is_leaf[shown].sum())
    return f"drawn to depth {deepest} of {tree.depth}: {leaves} of {tree.n_leaves} leaves; max_depth draws more"


def _joined(tree: Tree, cards: Cards, shown: list[int], deepest: int) -> Drawing:
    """Return all cards, each on its level, and the ribbons between them."""
    below = tree.accumulate(tree.is_leaf.astype(np.int64))
    boxes: dict[int, Drawing] = {}
    ways: dict[int, str] = {}
    children: dict[int, list[int]] = {}
    for node in shown:
        if tree.is_leaf[node] or tree.node_depth[node] == deepest:
            boxes[node] = cards.leaf(node, 0 if tree.is_leaf[node] else int(below[node]))
            continue
        boxes[node] = cards.inner(node)
        first = int(tree.first_child[node])
        children[node] = list(range(first, first + int(tree.n_children[node])))
        if cards.rows is None or cards.words.ways(node) != ["yes", "no"]:  # a histogram shows its sides
            ways.update(zip(children[node], cards.words.ways(node), strict=False))
    wide = {
        node: max(box.width, *(cards.measure(line, SMALL, False) + 4 for line in ways.get(node, "").split("\n")))
        for node, box in boxes.items()
    }
    x, width = lay_out(wide, children, _GAP)
    tallest, drop = np.zeros((2, tree.depth + 2))
    for node, box in boxes.items():
        level = tree.node_depth[node]
        tallest[level] = max(tallest[level], box.height)
        drop[level] = max(drop[level], _DROP + LEADING * ways.get(node, "").count("\n") if node in ways else _DROP)
    top = np.cumsum(np.concatenate(([0.0], tallest[:-1] + drop[1:])))
    bottom = {node: float(top[tree.node_depth[node]] + box.height) for node, box in boxes.items()}
    drawing = Drawing(width, max(bottom.values()))
    for node, some in children.items():
        level = int(tree.node_depth[node])
        edge = float(top[level] + tallest[level])  # ribbons bend below all boxes of the level
        drawing.add(*_ribbons(cards, node, some, x, bottom[node], edge, float(top[level + 1])))
    for node, box in boxes.items():
        drawing.place(box, x[node] - box.width / 2, float(top[tree.node_depth[node]]))
        if node in ways:
            drawing.add(*_way(cards, ways[node], x[node], float(top[tree.node_depth[node]])))
    return drawing


def _ribbons(
    cards: Cards, node: int, children: list[int], x: dict[int, float], start: float, edge: float, end: float
) -> list[Ribbon]:
    """Return the ribbons from a node to its children, side by side where they leave it."""
    total = max(cards.size(0), 1)
    widths = [max(_WIDEST * cards.size(child) / total, _THINNEST) for child in children]
    left, found = x[node] - sum(widths) / 2, []
    for child, width in zip(children, widths, strict=True):
        middle = left + width / 2
        if edge > start:
            found.append(Ribbon(middle, start, middle, edge, width))
        found.append(Ribbon(middle, edge, x[child], end, width))
        left += width
    return found


def _way(cards: Cards, text: str, x: float, top: float) -> list[Shape]:
    """Return the label of the way to a child, above it, on a white ground."""
    lines = text.split("\n")
    wide = max(cards.measure(line, SMALL, False) for line in lines) + 4
    high = 1.2 * SMALL * len(lines)
    ground = Rect(x - wide / 2, top - 4 - high, wide, high, WHITE)
    return [ground, *lines_of(text, x, top - 4 - high, SMALL, 1.2 * SMALL, Label(0, 0, "", SMALL, "center", GREY))]


def _add_legend(drawing: Drawing, cards: Cards) -> None:
    """Add the colours of the classes beneath, in as many lines as they need."""
    names = cards.words.classes
    if not names:
        _add_scale(drawing, cards)
    if len(names) < 2 or len(names) > _MOST_CLASSES:
        return
    wide = [12 + cards.measure(name, SIZE, False) + 12 for name in names]
    drawing.width = max(drawing.width, *wide)
    lines: list[list[int]] = [[]]
    for k in range(len(names)):
        if lines[-1] and sum(wide[i] for i in lines[-1]) + wide[k] > drawing.width:
            lines.append([])
        lines[-1].append(k)
    drawing.height += SIZE
    for line in lines:
        left = (drawing.width - sum(wide[k] for k in line) + 12) / 2
        for k in line:
            drawing.add(Rect(left, drawing.height + (LEADING - 8) / 2, 8, 8, cards.colours[k]))
            drawing.add(*lines_of(names[k], left + 12, drawing.height, SIZE, LEADING, Label(0, 0, "", SIZE)))
            left += wide[k]
        drawing.height += LEADING


def _add_scale(drawing: Drawing, cards: Cards) -> None:
    """Add the colours of the numbers beneath, from the smallest that is predicted to the largest."""
    low, high = float(cards.words.tree.value.min()), float(cards.words.tree.value.max())
    if not low < high:
        return
    ends = [cards.words.number(low), cards.words.number(high)]
    step, room = _SCALE / _STEPS, [cards.measure(end, SMALL, False) + 4 for end in ends]
    drawing.width = max(drawing.width, _SCALE + sum(room))
    left, top = (drawing.width - _SCALE - sum(room)) / 2 + room[0], drawing.height + SIZE
    for k in range(_STEPS):
        colour = cards.of_number(low + (k + 0.5) / _STEPS * (high - low))
        drawing.add(Rect(left + k * step, top + (LEADING - 7) / 2, step, 7, colour))
    like = Label(0, 0, "", SMALL)
    drawing.add(*lines_of(ends[0], left - 4, top, SMALL, LEADING, replace(like, anchor="right")))
    drawing.add(*lines_of(ends[1], left + _SCALE + 4, top, SMALL, LEADING, like))
    drawing.height = top + LEADING


def _add_notes(drawing: Drawing, cards: Cards, notes: list[str]) -> None:
    """Add notes at the bottom, in lines that are no wider than the picture."""
    if not notes:
        return
    drawing.width = max(drawing.width, _NOTE)
    lines: list[str] = []
    for note in notes:
        lines.append("")
        for word in note.split(" "):
            longer = f"{lines[-1]} {word}".lstrip()
            lines[-1:] = [longer] if cards.measure(longer, SIZE, False) <= drawing.width else [lines[-1], word]
    like = Label(0, 0, "", SIZE, "center", GREY)
    drawing.add(*lines_of("\n".join(lines), drawing.width / 2, drawing.height + SIZE, SIZE, LEADING, like))
    drawing.height += SIZE + LEADING * len(lines)


_Outline = tuple[list[float], list[float]]  # the left and the right edge of each level, from the subtree's root on


def lay_out(
    width: Mapping[int, float], children: Mapping[int, Sequence[int]], gap: float
) -> tuple[dict[int, float], float]:
    """Return the middle of each box, and the width of all; nodes are numbered so that children come after parents.

    The upper edges of the boxes of a level stand on one line. A subtree is described by its outline,
    left and right on every level; subtrees side by side are moved together until their outlines are a gap apart (as in
    Reingold & Tilford 1981, for boxes of any width). No two boxes overlap then.
    """
    offset: dict[int, float] = {}  # of each child from its parent's middle
    outlines: dict[int, _Outline] = {}
    for node in sorted(width, reverse=True):
        below = [outlines.pop(child) for child in children.get(node, ())]
        outlines[node] = _outline_above(width[node], below, children.get(node, ()), offset, gap)
    left, right = outlines[0]
    x = {0: -min(left)}
    for node in sorted(width):
        for child in children.get(node, ()):
            x[child] = x[node] + offset[child]
    return x, max(right) - min(left)


def _outline_above(
    width: float, below: list[_Outline], children: Sequence[int], offset: dict[int, float], gap: float
) -> _Outline:
    """Return the outline of a node above the outlines of its children, and note where these stand."""
    if not below:
        return [-width / 2], [width / 2]
    positions, (left, right) = [0.0], below[0]
    left, right = list(left), list(right)
    for one_left, one_right in below[1:]:
        apart = max(end - start for end, start in zip(right, one_left, strict=False)) + gap
        positions.append(apart)
        left += [start + apart for start in one_left[len(left) :]]
        right[: len(one_right)] = [end + apart for end in one_right]
    middle = (positions[0] + positions[-1]) / 2
    for child, position in zip(children, positions, strict=True):
        offset[child] = position - middle
    return [-width / 2, *(start - middle for start in left)], [width / 2, *(end - middle for end in right)]
