"""A tree or a rule network as text: every node a readable inequality, with class counts and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, isfinite, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.export import wording
from askew.export.fitted import Fitted, fitted_model
from askew.export.formatting import number, printable
from askew.export.names import Columns
from askew.export.wording import Wording, filled
from askew.model.fitted import Combination, FittedModel
from askew.model.rule_network import RuleNetwork
from askew.model.split import HYPERPLANE, LEAF, LINEAR_MACHINE
from askew.parameters import check_values, integer, none

DEEPEST_INDENT = 20  # below it a line has its depth instead, so that text grows with the nodes alone
_WIDEST = 64  # the columns on the right stand no further out than this, and longer lines are broken
_NARROWEST = 36  # but not shorter than this, however deep they are
_FURTHER = "     "  # before the lines on which one continues
_ALL_COUNTS = 10  # of more classes than this, only the largest counts are named


_RULES = {"decimals": integer(0) | none, "max_depth": integer(0) | none, "max_terms": integer(1) | none}


def writer(
    estimator: Fitted,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    max_depth: int | None = None,
    max_terms: int | None = None,
) -> Writer:
    """Return the writer of the only tree of an estimator; see `export_text`. Raise ValueError if there are several."""
    check_values({"decimals": decimals, "max_depth": max_depth, "max_terms": max_terms}, _RULES)
    model = fitted_model(estimator)
    wording = Wording.of(model, feature_names, decimals, max_terms)
    return Writer(model.tree, wording, class_labels(model, class_names), max_depth)


def part_writers(
    model: FittedModel, labels: list[str] | None, wording: Wording, max_depth: int | None = None
) -> list[Writer]:
    """Return the writer of each part of a model.

    Parameters
    ----------
    model : FittedModel
        The model.
    labels : list of str or None
        Names of the classes; None for numbers.
    wording : Wording
        How tests are written; that of any part.
    max_depth : int or None
        As for `export_text`.
    """
    found = []
    for k, part in enumerate(model.parts):
        classes = labels
        if labels is not None and model.combination is Combination.ONE_VS_REST:
            classes = ["rest", labels[k]]
        kind = NetworkWriter if isinstance(part, RuleNetwork) else Writer
        found.append(kind(part, wording.of_part(model, k), classes, max_depth))
    return found


def class_labels(model: FittedModel, class_names: Sequence[str] | None = None) -> list[str] | None:
    """Return a name for each class, as it is printed; None for regression, and for the trees of boosting."""
    names = model.classes if class_names is None else class_names
    several = model.combination is not Combination.SINGLE
    if names is None or model.combination is Combination.SUM or (several and model.classes is None):
        return None
    if len(names) != model.n_outputs:
        raise ValueError(f"class_names must have {model.n_outputs} names, got {len(names)}")
    return [printable(name) for name in names]


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes one tree, a line at a time, with an explicit stack: no recursion on depth."""

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
            # The columns on the right of a line describe its node, if it has one.
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
        """Return the title: the size of the tree."""
        tree = self.tree
        size = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}, depth {tree.depth}"
        return f"{size}{self.legend()}"

    def legend(self) -> str:
        """Return the order of the class weights; empty if not all of them are shown."""
        if self.classes is None or len(self.classes) > _ALL_COUNTS:
            return ""
        return f"; class weights are [{' '.join(self.classes)}]"

    def walk(self) -> Iterator[tuple[int, list[str], int | None]]:
        """Give depth and text of each line, in pieces, and its node."""
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
        found = wording.sums(self.tree, node, self.equation)
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
        """Return the prediction of a node: a class or a number, or the equation of its linear model."""
        return wording.prediction(self.tree, node, self.classes, self.equation, self.number)

    def equation(self, used: NDArray[np.int64], weights: list[float], constant: float) -> str:
        """Return the sum of a leaf's model."""
        return " ".join(self.wording.equation(used, weights, constant))

    def number(self, value: float) -> str:
        """Return a value or weight of a node, rounded to at most a thousandth of the range of values."""
        return number(value, self._decimals)

    @cached_property
    def _decimals(self) -> int:
        if self.wording.decimals is not None:
            return self.wording.decimals
        apart = 0.0 if self.classes is not None else float(np.ptp(self.tree.value))
        return 3 if apart == 0 or not isfinite(apart) else min(max(3, 3 - floor(log10(apart))), 17)

    def columns(self, node: int, digits: int) -> str:
        """Return the columns of a node: samples, share of the weight, classes."""
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
        below: NDArray[np.int64] = self.tree.accumulate(self.tree.is_leaf.astype(np.int64))
        return below


def _wrapped(indent: str, pieces: list[str]) -> tuple[str, list[str]]:
    """Return the first line, and those on which it continues."""
    room = max(_WIDEST - len(indent), _NARROWEST)
    first, *others = filled(pieces, room, room - len(_FURTHER))
    return indent + first, [indent + _FURTHER + line for line in others]


def _indent(depth: int) -> str:
    return "|  " * depth if depth <= DEEPEST_INDENT else "|  " * DEEPEST_INDENT + f"[{depth}] "


class NetworkWriter(Writer):
    """Writes a rule network: for every class its regions, for every region its conditions."""

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.tree.mass.sum())

    def title(self) -> str:
        """Return the title: the size of the network."""
        size = f"{_many(self.tree.n_leaves, 'region')} of {_many(self.tree.n_splits, 'split')}"
        return f"{size}; a row is in the first region that holds it{self.legend()}"

    def walk(self) -> Iterator[tuple[int, list[str], int | None]]:
        """Give depth and text of each line, in pieces, and its region."""
        predicted = [self.prediction(region) for region in range(self.tree.n_leaves)]
        for name in dict.fromkeys(predicted):
            yield 0, [name], None
            for region in (r for r, other in enumerate(predicted) if other == name):
                conditions = self.tree.conditions(region)
                shown = conditions if self.max_depth is None else conditions[: self.max_depth]
                yield 1, [f"region {region + 1}" + ("" if conditions else ": otherwise")], region
                for split, side in shown:
                    yield 2, self.condition(split, side), None
                if len(shown) < len(conditions):
                    yield 2, [f"and {len(conditions) - len(shown)} more"], None

    def condition(self, split: int, side: int) -> list[str]:
        """Return the condition of a side of a split, in pieces."""
        if self.tree.kind[split] == HYPERPLANE:
            return self.wording.inequality(split, side)
        if split not in self._sides:
            self._sides[split] = [[line[0].removeprefix("where "), *line[1:]] for line in self.test(split)[1]]
        return self._sides[split][side]

    @cached_property
    def _sides(self) -> dict[int, list[list[str]]]:
        """The conditions of each side of the splits written so far: regions share splits."""
        return {}


def _many(n: int, thing: str) -> str:
    return f"{n} {thing}{'' if n == 1 else 's'}"


def export_text(
    estimator: Fitted,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    max_depth: int | None = None,
    max_terms: int | None = None,
    shares: bool = False,
) -> str:
    """Return a tree, or the regions of a rule network, as text.

    Each node stands on a line: what it tests (or, after ``=>``, what a leaf predicts), in the units of the
    data; then the samples in it, its share of the training weight, and the weight of every class (of more than
    ten classes, only the three largest). The linear model of a leaf is an equation: the number and the range that it is
    clipped to; of two classes the log odds of the second, which is predicted where they are above 0; of more, a sum for
    each, the largest of which wins. Twenty levels are indented; deeper lines begin with their depth in
    brackets, and an ``else`` belongs to the last ``if`` of the same depth. The trees of
    one-vs-rest models and of votes follow one another.

    What is printed is the model: every row that it was fitted to takes the same path by the printed numbers. `fit`
    finds out how many digits each node needs for that, at least three. All weights of a node have a common factor,
    so that the largest is 1 or all are integers, and those that are too small to matter are left out. Terms stand
    in the order of weight times spread, the largest first; long lines continue on the next, further in.

    A `RuleNetwork` is written as the regions of each class, every region with its conditions, all of which its rows
    fulfil. A row belongs to the first region (by number) that holds it.

    Parameters
    ----------
    estimator : estimator, Pipeline or tree
        A fitted tree estimator, a fitted Pipeline that ends in one, or its ``tree_``.
    feature_names : list of str or None, default=None
        A name for each feature of the data; the names seen in `fit`, or x0, x1, ... Categories are written after it, as
        in ``colour=red``.
    class_names : list of str or None, default=None
        A name for each class; the labels seen in `fit`, or class 0, class 1, ...
    decimals : int or None, default=None
        Digits after the point, at most; of numbers below 1, significant digits. None: as many as are needed. If there
        are fewer, a note gives the share of rows that then take another path.
    max_depth : int or None, default=None
        Nodes below this depth, or conditions beyond this many, are summed up in a line.
    max_terms : int or None, default=None
        Terms of a sum to write, those that matter most; None: all.
    shares : bool, default=False
        Whether to write after each term of a sum, in brackets, its share of the node's decision: weight times spread,
        in per cent of all terms.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> tree = askew.CARTClassifier(max_depth=2).fit(iris.data, iris.target_names[iris.target])
    >>> print(askew.export_text(tree))
    3 leaves, depth 2; class weights are [setosa versicolor virginica]
    if petal length (cm) <= 2.45    150 rows  100.0%  [50 50 50]
    |  => setosa                     50 rows   33.3%  [50 0 0]
    else
    |  if petal width (cm) <= 1.75  100 rows   66.7%  [0 50 50]
    |  |  => versicolor              54 rows   36.0%  [0 49 5]
    |  else
    |  |  => virginica               46 rows   30.7%  [0 1 45]
    """
    check_values({"decimals": decimals, "max_depth": max_depth, "max_terms": max_terms}, _RULES)
    model = fitted_model(estimator)
    wording = Wording.of(model, feature_names, decimals, max_terms, shares)
    return "\n".join(_model_lines(model, class_labels(model, class_names), wording, max_depth))


def _model_lines(
    model: FittedModel, labels: list[str] | None, wording: Wording, max_depth: int | None
) -> Iterator[str]:
    """Give the lines of each member or part, with a title for each if there are several."""
    if model.combination is Combination.VOTE:
        for i, member in enumerate(model.members, 1):
            yield f"tree {i} of {len(model.members)}"
            yield from _model_lines(member, labels, wording, max_depth)
        return
    for k, words in enumerate(part_writers(model, labels, wording, max_depth)):
        if model.combination is Combination.ONE_VS_REST and labels is not None:
            yield f"{labels[k]} against the rest"
        elif model.combination is not Combination.SINGLE:
            yield f"tree {k + 1} of {len(model.parts)}"
        yield from words.lines()
