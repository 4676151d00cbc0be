"""The cards of `plot_tree`, one a node: its test or its prediction in words, with its rows.

inner node, with rows            leaf, classes         leaf, numbers

 0.52 petal length    ██  61%     versicolor            152.3
-1    petal width   █     39%     ██████████░░             ▂▅█▂
    ▂▄▆|▅                         n = 54, 91%           ───┴──────
   ▃███|██▅▂                                            n = 31
n = 100 ≤ 4.83
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from askew.export.formatting import elided, number, shortened, shortest
from askew.export.text import class_labels
from askew.export.wording import WeightedTerm, Wording, percent, sums
from askew.model.fitted import FittedModel
from askew.model.split import CATEGORY_TABLE, HYPERPLANE, LINEAR_MACHINE
from askew.model.tree import Tree
from askew.plot.node_rows import NodeHistogram, TreeRows
from askew.plot.palette import on_scale, plain_colours, tint, wrapped
from askew.plot.shapes import GREY, INK, PALE, WHITE, Colour, Drawing, Label, Line, Measure, Rect, lines_of

_WIDTH = 34  # characters of a line
_MOST_SUMS = 4  # of a leaf's model, in a box
MINUS = "\N{MINUS SIGN}"


class Boxes:
    """Writes the text of each box."""

    def __init__(
        self,
        model: FittedModel,
        feature_names: Sequence[str] | None,
        class_names: Sequence[str] | None,
        max_terms: int,
        decimals: int | None,
    ) -> None:
        self.tree: Tree = model.tree
        self.classes = [] if model.classes is None else class_labels(model, class_names) or []
        self.wording = Wording.of(model, feature_names, decimals, max_terms)
        self.columns = self.wording.names

    # --- inner nodes

    def inner(self, node: int) -> str:
        """Return the test of an inner node."""
        tree = self.tree
        if tree.kind[node] == LINEAR_MACHINE:
            each = [_filled(terms) for terms in self.wording.sums(node, MINUS)]
            lines = [f"{k}: {terms}".replace("\n", "\n    ") for k, terms in enumerate(each, 1)]
            return "\n".join(["the largest of", *lines])
        if tree.kind[node] != HYPERPLANE:
            return wrapped(f"{self.columns.names[int(tree.test(node)[0][0])]} = ?", _WIDTH)
        pieces = self.wording.inequality(node, 0, MINUS)
        return _filled([piece.replace("<=", "≤").replace(">=", "≥") for piece in pieces])

    def is_sum(self, node: int) -> bool:
        """Whether a node tests a sum of several terms."""
        plain = self.tree.kind[node] == HYPERPLANE and self.wording.choice(node) is None
        return bool(plain and self.wording.single(node) is None)

    def ways(self, node: int) -> list[str]:
        """Return the label of each child, where the box does not show it."""
        if self.tree.kind[node] == HYPERPLANE and node == 0:  # the others are like the root
            return ["yes", "no"]
        if self.tree.kind[node] == CATEGORY_TABLE:
            return [wrapped(case, 2 * _WIDTH // 3) for case in self.columns.cases(self.tree, node)]
        machine = self.tree.kind[node] == LINEAR_MACHINE
        return [str(k + 1) for k in range(int(self.tree.n_children[node]))] if machine else []

    # --- leaves

    def prediction(self, node: int) -> str:
        """Return the prediction of a leaf."""
        if self.tree.payload.model(node) is not None:
            return self.equations(node)
        value = self.tree.value[node]
        return wrapped(self.classes[int(value.argmax())], _WIDTH) if self.classes else self.number(float(value[0]))

    def equations(self, node: int) -> str:
        """Return the sums of a linear model; of many classes, how many there are."""
        found = sums(
            self.tree, node, lambda used, w, constant: _filled(self.wording.equation(used, w, constant, MINUS))
        )
        if len(found) == 1:
            return f"log odds of {self.classes[1]}:\n{found[0]}" if self.classes else found[0]
        if len(found) > _MOST_SUMS:
            return f"the largest of {len(found)} sums"
        lines = [f"{name}: {text}".replace("\n", "\n    ") for name, text in zip(self.classes, found, strict=True)]
        return "\n".join(["the largest of", *lines])

    def number(self, value: float) -> str:
        """Return a number with the minus sign of print."""
        return number(value, 3 if self.wording.decimals is None else self.wording.decimals).replace("-", MINUS)


def _filled(terms: list[str]) -> str:
    """Join terms to lines of at most the width; a term is broken only if it is wider than a line."""
    lines: list[str] = []
    for term in terms:
        if lines and len(lines[-1]) + 1 + len(term) <= _WIDTH:
            lines[-1] += f" {term}"
        else:
            lines += wrapped(term, _WIDTH).split("\n")
    return "\n".join(lines)


SIZE, SMALL = 9.0, 7.5  # of text, in points
LEADING = 1.25 * SIZE
_ROW = 1.35 * SMALL
_PAD = 7.0
_BAR = 6.0  # height of a bar of shares
_WIDE = 120.0  # least width of a histogram's card
_HIGH = 36.0  # of a histogram
_HALF = 24.0  # of the bars of the weights, on either side of 0
_SPACE = 5.0
_NARROW = 64.0  # least width of a leaf
_LOW = 20.0  # height of a leaf's histogram
_LEAF_BINS = 14


@dataclass(frozen=True, eq=False)
class Cards:
    """Draws the card of each node.

    Attributes
    ----------
    words : Boxes
        Texts of the boxes.
    rows : TreeRows or None
        The rows to show; None for the counts of the training rows that the tree holds.
    measure : callable
        Function that measures the width of a text.
    bins : int
        Number of bins of a histogram.
    longest : int
        Characters of a feature's name in a list of weights, unless names would be the same then.
    """

    words: Boxes
    rows: TreeRows | None
    measure: Measure
    bins: int = 22
    longest: int = 28

    @cached_property
    def colours(self) -> list[Colour]:
        """The colour of each class."""
        return plain_colours(max(len(self.words.classes), 1))

    # --- inner nodes

    def inner(self, node: int) -> Drawing:
        """Return the card of an inner node."""
        if self.rows is None:
            return self._plain(node)
        words = self.words
        kept, others = words.wording.parts(node) if words.is_sum(node) else ([], [])
        text = "" if kept else words.inner(node)
        found = self.rows.histogram(node, words.wording, self.bins)
        table = self._table(kept, others)
        width = max(_WIDE, table.width, self._width(text, SIZE, False))
        card = _card(width, _height(text) + table.height + _HIGH + _SPACE + _ROW, WHITE)
        card.add(*lines_of(text, _PAD, _PAD, SIZE, LEADING, Label(0, 0, "", SIZE)) if text else ())
        card.place(table, _PAD + (width - table.width) / 2, _PAD + _height(text))
        top = _PAD + _height(text) + table.height + _SPACE
        card.place(self.histogram(found, width, _HIGH), _PAD, top)
        card.add(*self._axis(node, found, width, top + _HIGH))
        return card

    def _plain(self, node: int) -> Drawing:
        """Return the card of an inner node without rows: its test, and the classes of the training rows."""
        text = self.words.inner(node)
        width = max(_NARROW, self._width(text, SIZE, False))
        card = _card(width, _height(text) + (_SPACE + _BAR if self.words.classes else 0.0), WHITE)
        card.add(*lines_of(text, _PAD, _PAD, SIZE, LEADING, Label(0, 0, "", SIZE)))
        if self.words.classes:
            card.place(self._shares(node, width), _PAD, _PAD + _height(text) + _SPACE)
        return card

    def _table(self, kept: Sequence[WeightedTerm], others: Sequence[WeightedTerm]) -> Drawing:
        """Return the terms of a sum: weight, name, a bar for its share, on the side that it drives to."""
        if not kept:
            return Drawing()
        weights = [shortest(part.term.weight, MINUS) for part in kept]
        names = [self._short(part.term.name) for part in kept]
        shares = [part.share * float(np.sign(part.term.weight)) for part in kept]
        if others:
            weights.append("")
            names.append(f"+ {len(others)} more")
        first, second = (max(self.measure(text, SMALL, False) for text in texts) for texts in (weights, names))
        zero = first + 3 + second + _SPACE + _HALF
        right = zero + _HALF + 2 + self.measure("100%", SMALL, False)
        table = Drawing(right, _ROW * len(names))
        largest = max(abs(share) for share in shares) or 1.0
        for k, (weight, name) in enumerate(zip(weights, names, strict=True)):
            base = k * _ROW + 0.5 * (_ROW + 0.72 * SMALL)
            share = abs(shares[k]) if weight else sum(part.share for part in others)
            table.add(Label(first + 3, base, name, SMALL), Label(right, base, percent(share), SMALL, "right", GREY))
            if weight:
                table.add(Label(first, base, weight, SMALL, "right"))
                length = _HALF * abs(shares[k]) / largest
                left = zero if shares[k] > 0 else zero - length
                table.add(Rect(left, k * _ROW + 0.2 * _ROW, length, 0.6 * _ROW, GREY))
        table.add(Line(zero, 0, zero, _ROW * len(shares), INK, 0.6))
        return table

    def _short(self, name: str) -> str:
        """Return the short name of a term; a term of several categories keeps its name."""
        return self.short_names.get(name) or elided(name, 2 * self.longest)

    @cached_property
    def short_names(self) -> dict[str, str]:
        """The short name of each column."""
        names = self.words.columns.names
        return dict(zip(names, shortened(names, self.longest), strict=True))

    def histogram(self, found: NodeHistogram, width: float, height: float) -> Drawing:
        """Return a histogram with the line of the threshold in it; bins are stacked by class, or have a colour."""
        drawing = Drawing(width, height)
        n, total = len(found.count), found.count.sum(axis=1)
        step, scale = width / n, (height - 3) / max(float(total.max()), 1.0)
        gap = 0.12 * step if found.threshold is not None else 0.3 * step
        for k in range(n):
            left, base = (n - 1 - k if found.mirrored else k) * step, height
            for c in np.flatnonzero(found.count[k]).tolist():
                high = float(found.count[k, c]) * scale
                fill = self.colours[c] if found.mean is None else self.of_number(float(found.mean[k]))
                drawing.add(Rect(left + gap / 2, base - high, step - gap, high, fill))
                base -= high
        drawing.add(Line(0, height, width, height, GREY, 0.6))
        if found.threshold is not None:
            at = self._at(found, width)
            drawing.add(Line(at, 0, at, height + 2, INK, 1.1))
        return drawing

    def _at(self, found: NodeHistogram, width: float) -> float:
        """Return the position of the threshold."""
        position = int(np.searchsorted(found.edges, found.threshold or 0.0))
        return width * (len(found.count) - position if found.mirrored else position) / len(found.count)

    def _axis(self, node: int, found: NodeHistogram, width: float, top: float) -> list[Label]:
        """Return the caption of a histogram: the number of rows, the threshold or the children."""
        assert self.rows is not None
        base = top + 0.5 * (_ROW + 0.72 * SMALL) + 1
        if found.threshold is None:
            names = [way.split("\n")[0] for way in self.words.ways(node)] or ["yes", "no"]
            step = width / len(names)
            fits = all(self.measure(name, SMALL, False) < step for name in names)
            return [Label(_PAD + (k + 0.5) * step, base, name, SMALL, "center") for k, name in enumerate(names) if fits]
        text = f"{'≥' if found.mirrored else '≤'} {shortest(found.threshold, MINUS)}"
        count = f"n = {self.rows.size(node)}"
        wide, taken = self.measure(text, SMALL, False), self.measure(count, SMALL, False)
        right = min(max(self._at(found, width) + wide / 2, wide), width)
        threshold = Label(_PAD + right, base, text, SMALL, "right")
        if right - wide > taken + 4:
            return [threshold, Label(_PAD, base, count, SMALL, "left", GREY)]
        if right < width - taken - 4:
            return [threshold, Label(_PAD + width, base, count, SMALL, "right", GREY)]
        return [threshold]

    # --- leaves

    def leaf(self, node: int, below: int = 0) -> Drawing:
        """Return the card of a leaf, or of an inner node whose subtree is left out."""
        text, n = self.words.prediction(node), self.size(node)
        more = f"… {below} leaves" if below else ""
        numbers = not self.words.classes
        share = self._share(node)
        count = f"n = {n}{share}"
        bold = self.words.tree.payload.model(node) is None
        width = max(_NARROW, self._width(text, SIZE, bold), self.measure(count, SMALL, False))
        high = (_LOW if self.rows is not None else _BAR) if numbers else _BAR
        card = _card(width, _height(text) + 2 + high + 2 + _ROW * (2 if more else 1), self.fill(node, below))
        like = Label(0, 0, "", SIZE, "center", INK, bold)
        card.add(*lines_of(text, _PAD + width / 2, _PAD, SIZE, LEADING, like))
        top = _PAD + _height(text) + 2
        card.place(self._numbers(node, width) if numbers else self._shares(node, width), _PAD, top)
        like = Label(0, 0, "", SMALL, "center", INK)
        card.add(*lines_of("\n".join(filter(None, [count, more])), _PAD + width / 2, top + high + 2, SMALL, _ROW, like))
        return card

    def size(self, node: int) -> int:
        """Return the number of rows of a node."""
        return int(self.words.tree.n_samples[node]) if self.rows is None else self.rows.size(node)

    def _weights(self, node: int) -> NDArray[np.float64]:
        return self.words.tree.value[node] if self.rows is None else self.rows.counts(self.rows.at(node))

    def _share(self, node: int) -> str:
        """Return the share of the predicted class, unless it is the only one."""
        value = self._weights(node)
        if not self.words.classes or not value.sum() or self.words.tree.payload.model(node) is not None:
            return ""
        share = float(value[int(self.words.tree.value[node].argmax())] / value.sum())
        return "" if share == 1 else f", {100 * share:.{0 if share < 0.995 else 1}f}%"

    def _shares(self, node: int, width: float) -> Drawing:
        """Return a bar that is divided among the classes."""
        value, drawing, left = self._weights(node), Drawing(width, _BAR), 0.0
        for c in np.flatnonzero(value).tolist():
            part = width * float(value[c] / value.sum())
            drawing.add(Rect(left, 0, part, _BAR, self.colours[c]))
            left += part
        if not left:  # no rows
            drawing.add(Rect(0, 0, width, _BAR, WHITE, PALE))
        return drawing

    def _numbers(self, node: int, width: float) -> Drawing:
        """Return the position of a leaf's value among all; with rows, the histogram of their targets too."""
        low, high = self._range
        mean = float(self.words.tree.value[node][0])
        at = width * min(max((mean - low) / ((high - low) or 1.0), 0.0), 1.0)
        if self.rows is None:
            drawing = Drawing(width, _BAR)
            drawing.add(Line(0, _BAR / 2, width, _BAR / 2, GREY, 0.6))
            drawing.add(Rect(at - 2, 0, 4, _BAR, self.of_number(mean), INK))
            return drawing
        drawing = Drawing(width, _LOW)
        count = np.histogram(self.rows.target[self.rows.at(node)], _LEAF_BINS, (low, high if high > low else low + 1))
        step, scale = width / _LEAF_BINS, _LOW / max(int(count[0].max()), 1)
        for k in np.flatnonzero(count[0]).tolist():
            tall = float(count[0][k]) * scale
            drawing.add(Rect((k + 0.06) * step, _LOW - tall, 0.88 * step, tall, self.of_number(mean)))
        drawing.add(Line(0, _LOW, width, _LOW, GREY, 0.6), Line(at, 0, at, _LOW + 2, INK, 1.1))
        return drawing

    @cached_property
    def _range(self) -> tuple[float, float]:
        """The range of the numbers that are predicted, or of those of the rows."""
        values = self.words.tree.value if self.rows is None else self.rows.target
        return (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)

    def of_number(self, value: float) -> Colour:
        """Return the colour of a number."""
        low, high = float(self.words.tree.value.min()), float(self.words.tree.value.max())
        return on_scale((value - low) / ((high - low) or 1.0))

    def fill(self, node: int, below: int = 0) -> Colour:
        """Return the ground of a leaf: that of its class, or of its number."""
        if below:
            return (0.93, 0.93, 0.93)
        value = self.words.tree.value[node]
        if not self.words.classes:
            return tint(self.of_number(float(value[0])), 0.18)
        return tint(self.colours[int(value.argmax())], 0.18)

    def _width(self, text: str, size: float, bold: bool) -> float:
        return max(self.measure(line, size, bold) for line in text.split("\n"))


def _height(text: str) -> float:
    return LEADING * (text.count("\n") + 1) if text else 0.0


def _card(width: float, height: float, fill: Colour) -> Drawing:
    """Return an empty card with room for this size."""
    card = Drawing(width + 2 * _PAD, height + 2 * _PAD)
    card.add(Rect(0, 0, card.width, card.height, fill, GREY, 4.0))
    return card
