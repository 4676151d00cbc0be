"""A tree as rules: one for each leaf, with the conditions on the way to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from askew.export.fitted import Fitted
from askew.export.formatting import shortest
from askew.export.text import Writer, writer
from askew.export.wording import filled
from askew.model.split import HYPERPLANE, LINEAR_MACHINE
from askew.model.tree import Tree

_WIDEST = 110


def export_rules(
    estimator: Fitted,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    max_terms: int | None = None,
) -> str:
    """Return a tree as rules, as C4.5 prints them: one for each leaf.

    A rule joins the conditions from the root to its leaf; several conditions on one feature become one. It ends with
    the samples of the leaf and, for classes, the share of their weight for which the rule is right (of linear models,
    an estimate for other rows). Exactly one rule holds for each row (of which no value is missing): for the rows of the
    training data, that of their leaf, since numbers have as many digits as that needs (see `askew.export_text`). Where
    conditions are too long for one line, each has a line.

    Parameters
    ----------
    estimator : estimator, Pipeline or tree
        A fitted tree estimator, or its ``tree_``.
    feature_names : list of str or None, default=None
        A name for each feature; the names seen in `fit`, or x0, x1, ...
    class_names : list of str or None, default=None
        A name for each class; the labels seen in `fit`, or class 0, class 1, ...
    decimals : int or None, default=None
        Digits after the point, as in `export_text`.
    max_terms : int or None, default=None
        Terms of a sum to write, those that matter most; None: all.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> tree = askew.C45Classifier().fit(iris.data, iris.target_names[iris.target])
    >>> print(askew.export_rules(tree))
    5 rules
    if petal length (cm) <= 1.9
      then setosa (50 rows, 100.0% right)
    if 1.9 < petal length (cm) <= 4.9 and petal width (cm) <= 1.7
      then versicolor (48 rows, 97.9% right)
    if petal length (cm) > 4.9 and petal width (cm) <= 1.5
      then virginica (3 rows, 100.0% right)
    if petal length (cm) > 4.9 and 1.5 < petal width (cm) <= 1.7
      then versicolor (3 rows, 66.7% right)
    if petal length (cm) > 1.9 and petal width (cm) > 1.7
      then virginica (46 rows, 97.8% right)
    """
    rules = _Rules(writer(estimator, feature_names, class_names, decimals, max_terms=max_terms))
    lines = []
    for leaf, conditions in rules.walk():
        lines += [*_joined(conditions), f"  then {rules.conclusion(leaf)}"]
    n, note = rules.tree.n_leaves, rules.text.wording.note
    return "\n".join([f"{n} {'rule' if n == 1 else 'rules'}", *lines, *([note] if note else [])])


def _joined(conditions: list[str]) -> list[str]:
    """Return the lines of a rule: one, or one for each condition if that would be too long, broken where these are."""
    if not conditions:
        return ["always"]
    line = f"if {' and '.join(conditions)}"
    if len(line) <= _WIDEST:
        return [line]
    lines = []
    for start, condition in zip(["if", *["   and"] * (len(conditions) - 1)], conditions, strict=True):
        first, *others = filled(condition.split(" "), _WIDEST - len(start) - 1)
        lines += [f"{start} {first}", *(f"       {other}" for other in others)]
    return lines


#: Column, or another test in words -> above, not above (of a column); each once, in the order of the path.
_Conditions = dict[int | str, tuple[float, float]]


class _Undo(NamedTuple):
    """The state of a condition before a child was entered; None: it was absent."""

    test: int | str
    before: tuple[float, float] | None

    def take_back(self, held: _Conditions) -> None:
        if self.before is None:
            del held[self.test]
        else:
            held[self.test] = self.before


@dataclass(frozen=True, eq=False)
class _Rules:
    text: Writer

    @property
    def tree(self) -> Tree:
        tree: Tree = self.text.tree
        return tree

    def walk(self) -> Iterator[tuple[int, list[str]]]:
        """Give the leaves from left to right, with the conditions on the path to each.

        One walk for all leaves: a condition is added when a child is entered and taken back when it is left, so that
        it is made once, not once for every leaf below.
        """
        held: _Conditions = {}
        stack: list[tuple[int, int, int] | _Undo] = [(0, -1, 0)]  # node, parent, which child; or what to take back
        while stack:
            step = stack.pop()
            if isinstance(step, _Undo):
                step.take_back(held)
                continue
            node, parent, child = step
            if parent >= 0:
                stack.append(self.enter(held, parent, child))
            if self.tree.is_leaf[node]:
                yield node, [self.said(test, between) for test, between in held.items()]
            first = int(self.tree.first_child[node])
            stack += [(first + i, node, i) for i in reversed(range(int(self.tree.n_children[node])))]

    def enter(self, held: _Conditions, node: int, child: int) -> _Undo:
        """Add the condition of a child to those of the path to its parent."""
        single = self.single(node)
        test = self.other(node, child) if single is None else single[0]
        before = held.get(test)
        low, high = before or (-inf, inf)
        if single is not None:
            low, high = (low, min(high, single[1])) if child == 0 else (max(low, single[1]), high)
        held[test] = (low, high)
        return _Undo(test, before)

    def said(self, test: int | str, between: tuple[float, float]) -> str:
        return test if isinstance(test, str) else self.interval(test, *between)

    def single(self, node: int) -> tuple[int, float] | None:
        """Return column and threshold of a test of one column, if its weight is positive."""
        found = self.text.wording.single(node) if self.tree.kind[node] == HYPERPLANE else None
        return None if found is None or found[1] < 0 else (found[0], found[2])

    def interval(self, column: int, low: float, high: float) -> str:
        name = self.text.names.names[column]
        if low == -inf:
            return f"{name} <= {shortest(high)}"
        if high == inf:
            return f"{name} > {shortest(low)}"
        return f"{shortest(low)} < {name} <= {shortest(high)}"

    def other(self, node: int, child: int) -> str:
        """Return the condition of a child, for a test of several features or of categories."""
        if self.tree.kind[node] == HYPERPLANE:
            return " ".join(self.text.wording.inequality(node, child))
        if self.tree.kind[node] == LINEAR_MACHINE:
            sums = self.text.wording.sums(node)
            return f"{' '.join(sums[child])} is the largest of {len(sums)} sums"
        return f"{self.text.names.names[int(self.tree.test(node)[0][0])]} is {self.text.cases(node)[child]}"

    def conclusion(self, leaf: int) -> str:
        rows = int(self.tree.n_samples[leaf])
        right = "" if self.text.classes is None else f", {100 * self.right(leaf):.1f}% right"
        return f"{self.text.prediction(leaf)} ({rows} {'row' if rows == 1 else 'rows'}{right})"

    def right(self, leaf: int) -> float:
        """Return the share of rows for which a leaf is right; of a linear model, as it is expected on other rows."""
        return self.tree.payload.accuracy(leaf)
