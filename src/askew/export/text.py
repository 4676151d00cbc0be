"""A tree as text: every node a readable inequality, with class counts and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.errors import InvalidParameterError
from askew.estimators.ensemble import Ensemble
from askew.estimators.vote import KDTClassifier
from askew.export.columns import Columns
from askew.export.numbers import linear, number, printable
from askew.export.pipeline import final_step
from askew.network import RuleNetwork
from askew.one_vs_rest import OneVsRest
from askew.parameters import integer, none
from askew.split import HYPERPLANE, LEAF, LINEAR_MACHINE
from askew.tree import Tree

DEEPEST_INDENT = 20  # below it a line tells its depth instead, so that text grows with the nodes alone
_WIDEST = 64  # the columns on the right stand no further out than this
_ALL_COUNTS = 10  # of more classes than this, only the largest counts are named


def export_text(
    estimator: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int = 3,
    max_depth: int | None = None,
) -> str:
    """Return a tree, or the regions of a rule network, as text.

    Each node stands on a line: what it tests (or, after ``=>``, what a leaf predicts), in the units of the
    data; then the samples in it, its share of the training weight, and the weight of every class (of more than
    ten classes, only the three largest). Twenty levels are indented; deeper lines begin with their depth in
    brackets, and an ``else`` belongs to the last ``if`` of the same depth. Where each class has a tree of its own, and
    in a vote of trees, they follow one another.

    A `RuleNetwork` is written as the regions of each class, every region with its conditions, all of which its rows
    fulfil. A row belongs to the first region (by number) that holds it.

    Parameters
    ----------
    estimator : a fitted tree estimator, a fitted Pipeline that ends in one, or its ``tree_``
    feature_names : a name for each feature of the data; the names seen in `fit`, or x0, x1, ... Categories are
        written after it, as in ``colour=red``
    class_names : a name for each class; the labels seen in `fit`, or class 0, class 1, ...
    decimals : digits after the point; tiny and huge numbers have this many significant digits, or more
    max_depth : nodes below this depth, or conditions beyond so many, are summed up in a line

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
    from askew.export.network import NetworkWriter  # late: it is a writer itself

    estimator = final_step(estimator)
    if isinstance(estimator, KDTClassifier | Ensemble):
        check_is_fitted(estimator)
        text = []
        trees = estimator.estimators_
        for i, one in enumerate(trees, 1):
            text += [f"tree {i} of {len(trees)}"]
            names = class_names if is_classifier(one) else None  # the trees of boosting hold numbers
            text += [export_text(one, feature_names, names, decimals, max_depth)]
        return "\n".join(text)
    found = fitted(estimator)
    if not isinstance(found, OneVsRest):
        kind = NetworkWriter if isinstance(found, RuleNetwork) else Writer
        return "\n".join(writer(estimator, feature_names, class_names, decimals, max_depth, kind).lines())
    columns = Columns.of(estimator, feature_names)
    classes = _class_names(estimator.classes_ if class_names is None else class_names, len(found.trees))
    text = []
    for name, tree in zip(classes, found.trees, strict=True):
        words = replace(writer(tree, None, ["rest", name], decimals, max_depth), names=columns)
        text += [f"{name} against the rest", *words.lines()]
    return "\n".join(text)


def writer(
    estimator: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int = 3,
    max_depth: int | None = None,
    kind: type[Writer] | None = None,
) -> Writer:
    """Return what writes a tree, after checking what was given; the exports share it. See `export_text`."""
    estimator = final_step(estimator)
    rules = {"decimals": (integer(0), decimals), "max_depth": (integer(0) | none, max_depth)}
    for name, (rule, given) in rules.items():
        if not rule.holds(given):
            raise InvalidParameterError(f"The {name!r} parameter must be {rule.says}. Got {given!r} instead.")
    tree = fitted(estimator) if kind is not None else fitted_tree(estimator)
    columns = Columns.of(estimator, feature_names)
    classes = None
    if class_names is not None or is_classifier_tree(estimator):
        seen = getattr(estimator, "classes_", None)
        classes = _class_names(seen if class_names is None else class_names, tree.n_outputs)
    return (kind or Writer)(tree, columns, classes, decimals, max_depth)


def is_classifier_tree(estimator: Any) -> bool:
    """Whether the values of a tree are weights of classes; a bare tree with one column holds numbers."""
    bare = isinstance(estimator, Tree | RuleNetwork)
    return bool(estimator.n_outputs > 1 if bare else is_classifier(estimator))


def fitted(estimator: Any) -> Any:
    """Return the tree or the network of a fitted estimator; a bare one is its own."""
    if isinstance(estimator, Tree | RuleNetwork):
        return estimator
    check_is_fitted(estimator)
    if isinstance(estimator, KDTClassifier | Ensemble):
        raise ValueError("this export takes one tree, not many: give it one of estimators_, or use export_text")
    return estimator.tree_


def fitted_tree(estimator: Any) -> Tree:
    """Return the tree of a fitted estimator; a bare tree is its own. Raise ValueError for what is no single tree."""
    tree: Tree = fitted(estimator)
    if isinstance(tree, RuleNetwork):
        raise ValueError("this export takes a tree, not a rule network: use export_text or plot_partition")
    if isinstance(tree, OneVsRest):
        raise ValueError("this export takes one tree, not one for each class: use export_text or plot_partition")
    return tree


def _class_names(names: Any, n: int) -> list[str]:
    if names is None:
        return [f"class {i}" for i in range(n)]
    if len(names) != n:
        raise ValueError(f"class_names must have {n} names, got {len(names)}")
    return [printable(name) for name in names]


@dataclass(frozen=True, eq=False)
class Writer:
    """Writes one tree, a line at a time, with a stack of its own: no recursion on depth."""

    tree: Any  # a tree; of `NetworkWriter` a network
    names: Columns
    classes: list[str] | None
    decimals: int
    max_depth: int | None

    def lines(self) -> Iterator[str]:
        """Give the title and a line for each node."""
        # (depth, text, node): the columns on the right of a line tell of its node, if it has one
        rows = list(self.walk())
        longest = max(len(_indent(depth)) + len(text) for depth, text, node in rows if node is not None)
        width = min(_WIDEST, longest)
        digits = len(str(self.tree.n_samples.max()))
        yield self.title()
        for depth, text, node in rows:
            left = _indent(depth) + text
            yield left if node is None else f"{left:<{width}}  {self.columns(node, digits)}"

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

    def walk(self) -> Iterator[tuple[int, str, int | None]]:
        """Give depth and text of each line, and the node that it tells of."""
        stack: list[tuple[int, str, int | None]] = [(0, "", 0)]  # a node, or a line between nodes
        while stack:
            depth, text, node = stack.pop()
            if node is None:
                yield depth, text, None
            elif self.tree.kind[node] == LEAF:
                yield depth, f"=> {self.prediction(node)}", node
            elif self.max_depth is not None and depth >= self.max_depth:
                yield depth, f"=> {self.prediction(node)}, and {self.leaves_below[node]} leaves below", node
            else:
                opening, between = self.test(node)
                yield depth, opening, node
                first = int(self.tree.first_child[node])
                for child in reversed(range(len(between))):
                    stack.append((depth + 1, "", first + child))
                    if between[child]:
                        stack.append((depth, between[child], None))

    def test(self, node: int) -> tuple[str, list[str]]:
        """Return the line of an inner node, and the line before each child (empty: none)."""
        tested, weights = self.tree.test(node)
        threshold = float(self.tree.threshold[node])
        if self.tree.kind[node] == HYPERPLANE:
            return f"if {self.inequality(tested, weights.tolist(), threshold)}", ["", "else"]
        if self.tree.kind[node] == LINEAR_MACHINE:
            rows = weights.reshape(-1, tested.size + 1).tolist()
            sums = [self.sum(tested, row[:-1], row[-1]) for row in rows]
            return f"by the largest of {len(sums)} sums", [f"where {text} is largest" for text in sums]
        name = self.names.names[int(tested[0])]
        return f"by {name}", [f"where {name} is {case}" for case in self.cases(node)]

    def cases(self, node: int) -> list[str]:
        """Return the categories that each child of a category table gets (cached)."""
        if node not in self._cases:
            self._cases[node] = self.names.cases(self.tree, node)
        return self._cases[node]

    @cached_property
    def _cases(self) -> dict[int, list[str]]:
        return {}

    def inequality(self, tested: NDArray[np.int64], weights: list[float], threshold: float, side: int = 0) -> str:
        """Return what holds on a side of a hyperplane: that of the first child, or the other."""
        choice = self.names.choice(tested, weights, threshold)
        if choice is not None:
            return choice if side == 0 else f"not ({choice})"
        used = [(j, weight) for j, weight in zip(tested.tolist(), weights, strict=True) if weight != 0]
        if len(used) == 1 and isfinite(threshold / used[0][1]):  # one feature: divide by its weight
            j, weight = used[0]
            relation = ("<=", ">")[side] if weight > 0 else (">=", "<")[side]
            return f"{self.names.names[j]} {relation} {number(threshold / weight, self.decimals)}"
        return f"{self.sum(tested, weights)} {('<=', '>')[side]} {number(threshold, self.decimals)}"

    def sum(self, tested: NDArray[np.int64], weights: list[float], constant: float = 0.0) -> str:
        """Return a sum of columns."""
        terms = self.names.terms(tested, weights, self.decimals)
        return linear([term.name for term in terms], [term.weight for term in terms], constant, self.decimals)

    def prediction(self, node: int) -> str:
        """Return what a node predicts."""
        value = self.tree.value[node]
        return number(float(value[0]), self.decimals) if self.classes is None else self.classes[int(value.argmax())]

    def columns(self, node: int, digits: int) -> str:
        """Return what a node holds: samples, share of the weight, classes."""
        share = 100 * float(self.tree.mass[node]) / self.total
        rows = int(self.tree.n_samples[node])
        text = f"{rows:>{digits}} {'row ' if rows == 1 else 'rows'}  {share:>5.1f}%"
        value = self.tree.value[node]
        if self.classes is None:
            return f"{text}  value {self.prediction(node)}"
        if len(self.classes) <= _ALL_COUNTS:
            return f"{text}  [{' '.join(number(v, self.decimals) for v in value.tolist())}]"
        most = [c for c in np.argsort(-value, kind="stable")[:3].tolist() if value[c] > 0]
        named = [f"{self.classes[c]} {number(float(value[c]), self.decimals)}" for c in most]
        rest = float(np.delete(value, most).sum())
        return f"{text}  [{', '.join(named + ([f'others {number(rest, self.decimals)}'] if rest > 0 else []))}]"

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


def _indent(depth: int) -> str:
    return "|  " * depth if depth <= DEEPEST_INDENT else "|  " * DEEPEST_INDENT + f"[{depth}] "
