"""The writer of trees that all exports to text share: lines, numbers, what a node tests and holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, isfinite, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.errors import InvalidParameterError
from askew.export import leaf_text
from askew.export.columns import Columns
from askew.export.fitted import fitted, fitted_tree, is_classifier_tree
from askew.export.numbers import number, printable
from askew.export.pipeline import final_step
from askew.export.wording import Wording, filled, scale_of
from askew.parameters import integer, none
from askew.split import HYPERPLANE, LEAF, LINEAR_MACHINE

DEEPEST_INDENT = 20  # below it a line tells its depth instead, so that text grows with the nodes alone
_WIDEST = 64  # the columns on the right stand no further out than this, and longer lines are broken
_NARROWEST = 36  # but not shorter than this, however deep they are
_FURTHER = "     "  # before the lines on which one continues
_ALL_COUNTS = 10  # of more classes than this, only the largest counts are named


def writer(
    estimator: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    max_depth: int | None = None,
    max_terms: int | None = None,
    kind: type[Writer] | None = None,
) -> Writer:
    """Return what writes a tree, after checking what was given; the exports share it. See `export_text`."""
    estimator = final_step(estimator)
    rules = {
        "decimals": (integer(0) | none, decimals),
        "max_depth": (integer(0) | none, max_depth),
        "max_terms": (integer(1) | none, max_terms),
    }
    for name, (rule, given) in rules.items():
        if not rule.holds(given):
            raise InvalidParameterError(f"The {name!r} parameter must be {rule.says}. Got {given!r} instead.")
    tree = fitted(estimator) if kind is not None else fitted_tree(estimator)
    columns = Columns.of(estimator, feature_names)
    classes = None
    if class_names is not None or is_classifier_tree(estimator):
        seen = getattr(estimator, "classes_", None)
        classes = class_labels(seen if class_names is None else class_names, tree.n_outputs)
    wording = Wording(tree, columns, scale_of(estimator), decimals, max_terms)
    return (kind or Writer)(tree, wording, classes, max_depth)


def class_labels(names: Any, n: int) -> list[str]:
    """Return a name for each of n classes, as it is printed: those given, or class 0, class 1, ..."""
    if names is None:
        return [f"class {i}" for i in range(n)]
    if len(names) != n:
        raise ValueError(f"class_names must have {n} names, got {len(names)}")
    return [printable(name) for name in names]


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes one tree, a line at a time, with a stack of its own: no recursion on depth."""

    tree: Any  # a tree; of `NetworkWriter` a network
    wording: Wording
    classes: list[str] | None
    max_depth: int | None

    @property
    def names(self) -> Columns:
        """The names of the columns."""
        return self.wording.names

    def lines(self) -> Iterator[str]:
        """Give the title, a line for each node, and a note if decimals are missing."""
        rows = [(_indent(depth), pieces, node) for depth, pieces, node in self.walk()]
        wrapped = [(*_wrapped(indent, pieces), node) for indent, pieces, node in rows]
        widest = max(_WIDEST, max(len(indent) for indent, _, _ in rows) + _NARROWEST)
        width = max(min(len(first), widest) for first, _, node in wrapped if node is not None)
        digits = len(str(self.tree.n_samples.max()))
        yield self.title()
        for first, others, node in wrapped:
            # The columns on the right of a line tell of its node, if it has one.
            columns = [] if node is None else [self.columns(node, digits)]
            for left in (first, *others):
                if columns and len(left) <= width:
                    yield f"{left:<{width}}  {columns.pop()}"
                else:
                    yield left
            if columns:
                yield f"{'':<{width}}  {columns.pop()}"
        if self.wording.note:
            yield self.wording.note

    def title(self) -> str:
        """Return what the tree is, in a line."""
        tree = self.tree
        size = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}, depth {tree.depth}"
        return f"{size}{self.legend()}"

    def legend(self) -> str:
        """Return what the weights of classes are those of; nothing if not all of them are shown."""
        if self.classes is None or len(self.classes) > _ALL_COUNTS:
            return ""
        return f"; class weights are [{' '.join(self.classes)}]"

    def walk(self) -> Iterator[tuple[int, list[str], int | None]]:
        """Give depth and text of each line, in pieces, and the node that it tells of."""
        stack: list[tuple[int, list[str], int | None]] = [(0, [], 0)]  # a node, or a line between nodes
        while stack:
            depth, text, node = stack.pop()
            if node is None:
                yield depth, text, None
            elif self.tree.kind[node] == LEAF:
                yield from self.leaf(depth, node)
            elif self.max_depth is not None and depth >= self.max_depth:
                yield depth, [f"=> {self.prediction(node)}, and {self.leaves_below[node]} leaves below"], node
            else:
                opening, between = self.test(node)
                yield depth, opening, node
                first = int(self.tree.first_child[node])
                for child in reversed(range(len(between))):
                    stack.append((depth + 1, [], first + child))
                    if between[child]:
                        stack.append((depth, between[child], None))

    def leaf(self, depth: int, node: int) -> Iterator[tuple[int, list[str], int | None]]:
        """Give the line of a leaf; where each of several classes has a sum, a line for each."""
        found = leaf_text.sums(self.tree, node, self.equation)
        if self.classes is None or len(found) < 2:
            yield depth, [f"=> {self.prediction(node)}"], node
            return
        yield depth, [f"=> the class with the largest of {len(found)} sums"], node
        for name, text in zip(self.classes, found, strict=True):
            yield depth, [f"     {name}: {text}"], None

    def test(self, node: int) -> tuple[list[str], list[list[str]]]:
        """Return the line of an inner node, and the line before each child (empty: none), all in pieces."""
        if self.tree.kind[node] == HYPERPLANE:
            first, *others = self.wording.inequality(node)
            return [f"if {first}", *others], [[], ["else"]]
        if self.tree.kind[node] == LINEAR_MACHINE:
            sums = self.wording.sums(node)
            lines = [[f"where {first}", *others, "is largest"] for first, *others in sums]
            return [f"by the largest of {len(sums)} sums"], lines
        name = self.names.names[int(self.tree.test(node)[0][0])]
        return [f"by {name}"], [[f"where {name} is {case}"] for case in self.cases(node)]

    def cases(self, node: int) -> list[str]:
        """Return the categories that each child of a category table gets (cached)."""
        if node not in self._cases:
            self._cases[node] = self.names.cases(self.tree, node)
        return self._cases[node]

    @cached_property
    def _cases(self) -> dict[int, list[str]]:
        return {}

    def prediction(self, node: int) -> str:
        """Return what a node predicts: a class or a number, or the equation of its linear model."""
        return leaf_text.prediction(self.tree, node, self.classes, self.equation, self.number)

    def equation(self, used: NDArray[np.int64], weights: list[float], constant: float) -> str:
        """Return the sum of a leaf's model."""
        return " ".join(self.wording.equation(used, weights, constant))

    def number(self, value: float) -> str:
        """Return a value of a node or a weight of its rows: at least to a thousandth of what the values differ by."""
        return number(value, self._decimals)

    @cached_property
    def _decimals(self) -> int:
        if self.wording.decimals is not None:
            return self.wording.decimals
        apart = 0.0 if self.classes is not None else float(np.ptp(self.tree.value))
        return 3 if apart == 0 or not isfinite(apart) else min(max(3, 3 - floor(log10(apart))), 17)

    def columns(self, node: int, digits: int) -> str:
        """Return what a node holds: samples, share of the weight, classes."""
        share = 100 * float(self.tree.mass[node]) / self.total
        rows = int(self.tree.n_samples[node])
        text = f"{rows:>{digits}} {'row ' if rows == 1 else 'rows'}  {share:>5.1f}%"
        value = self.tree.value[node]
        if self.classes is None:
            return f"{text}  value {self.number(float(value[0]))}"
        if len(self.classes) <= _ALL_COUNTS:
            return f"{text}  [{' '.join(self.number(v) for v in value.tolist())}]"
        most = [c for c in np.argsort(-value, kind="stable")[:3].tolist() if value[c] > 0]
        named = [f"{self.classes[c]} {self.number(float(value[c]))}" for c in most]
        rest = float(np.delete(value, most).sum())
        return f"{text}  [{', '.join(named + ([f'others {self.number(rest)}'] if rest > 0 else []))}]"

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.tree.mass[0])

    @cached_property
    def leaves_below(self) -> NDArray[np.int64]:
        """Number of leaves below each node."""
        leaves = self.tree.is_leaf.astype(np.int64).tolist()
        parent = self.tree.parent.tolist()
        for node in range(self.tree.node_count - 1, 0, -1):  # children have higher numbers
            leaves[parent[node]] += leaves[node]
        return np.array(leaves)


def _wrapped(indent: str, pieces: list[str]) -> tuple[str, list[str]]:
    """Return the first line, and those on which it continues."""
    room = max(_WIDEST - len(indent), _NARROWEST)
    first, *others = filled(pieces, room, room - len(_FURTHER))
    return indent + first, [indent + _FURTHER + line for line in others]


def _indent(depth: int) -> str:
    return "|  " * depth if depth <= DEEPEST_INDENT else "|  " * DEEPEST_INDENT + f"[{depth}] "
