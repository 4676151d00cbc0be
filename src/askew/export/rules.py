"""A tree as rules: one for each leaf, with the conditions on the way to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import numpy as np

from askew.errors import InvalidParameterError
from askew.export.columns import Columns
from askew.export.numbers import number
from askew.export.text import class_names_of, fitted_tree, sum_of
from askew.parameters import integer
from askew.split import HYPERPLANE, LINEAR_MACHINE
from askew.tree import Tree


def export_rules(
    estimator: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int = 3,
) -> str:
    """Return a tree as rules, as C4.5 prints them: one for each leaf.

    A rule joins the conditions from the root to its leaf; several conditions on one feature become one. It ends with
    the samples of the leaf and, for classes, the share of their weight for which the rule is right. Exactly one rule
    holds for each row (of which no value is missing).

    Parameters
    ----------
    estimator : a fitted tree estimator, or its ``tree_``
    feature_names : a name for each feature; the names seen in `fit`, or x0, x1, ...
    class_names : a name for each class; the labels seen in `fit`, or class 0, class 1, ...
    decimals : digits after the point, as in `export_text`

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
    if not integer(0).holds(decimals):
        raise InvalidParameterError(f"The 'decimals' parameter must be {integer(0).says}. Got {decimals!r} instead.")
    tree = fitted_tree(estimator)
    rules = _Rules(tree, Columns.of(estimator, feature_names), class_names_of(estimator, class_names), decimals)
    leaves = rules.leaves()
    lines = [f"{len(leaves)} {'rule' if len(leaves) == 1 else 'rules'}"]
    for leaf in leaves:
        conditions = rules.conditions(leaf)
        lines += [f"if {' and '.join(conditions)}" if conditions else "always", f"  then {rules.conclusion(leaf)}"]
    return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class _Rules:
    tree: Tree
    columns: Columns
    classes: list[str] | None
    decimals: int

    def leaves(self) -> list[int]:
        """Return the leaves from left to right."""
        found, stack = [], [0]
        while stack:
            node = stack.pop()
            if self.tree.is_leaf[node]:
                found.append(node)
            first = int(self.tree.first_child[node])
            stack.extend(range(first + int(self.tree.n_children[node]) - 1, first - 1, -1))
        return found

    def conditions(self, leaf: int) -> list[str]:
        """Return what holds on the way to a leaf: intervals of single features, and other tests as they come."""
        path = []
        while leaf > 0:
            parent = int(self.tree.parent[leaf])
            path.append((parent, leaf - int(self.tree.first_child[parent])))
            leaf = parent
        between: dict[str, tuple[float, float]] = {}  # feature -> above, not above
        found: dict[str, None] = {}  # each test once, in the order of the path
        for node, child in reversed(path):
            single = self.single(node)
            if single is None:
                found[self.other(node, child)] = None
                continue
            name, threshold = single
            low, high = between.get(name, (-inf, inf))
            between[name] = (low, min(high, threshold)) if child == 0 else (max(low, threshold), high)
            found[name] = None
        return [self.interval(text, *between[text]) if text in between else text for text in found]

    def single(self, node: int) -> tuple[str, float] | None:
        """Return name and threshold of a test of one feature, if its weight is positive."""
        features, weights = self.tree.test(node)
        if self.tree.kind[node] != HYPERPLANE or np.count_nonzero(weights) != 1:
            return None
        at = int(np.flatnonzero(weights)[0])
        threshold = float(self.tree.threshold[node]) / float(weights[at])
        if weights[at] < 0 or not isfinite(threshold) or self.choice(node) is not None:
            return None
        return self.columns.names[int(features[at])], threshold

    def choice(self, node: int) -> str | None:
        features, weights = self.tree.test(node)
        return self.columns.choice(features, weights.tolist(), float(self.tree.threshold[node]))

    def interval(self, name: str, low: float, high: float) -> str:
        if low == -inf:
            return f"{name} <= {number(high, self.decimals)}"
        if high == inf:
            return f"{name} > {number(low, self.decimals)}"
        return f"{number(low, self.decimals)} < {name} <= {number(high, self.decimals)}"

    def other(self, node: int, child: int) -> str:
        """Return what a row says to a test of several features or of categories, to go to a child."""
        features, weights = self.tree.test(node)
        threshold = float(self.tree.threshold[node])
        if self.tree.kind[node] == HYPERPLANE:
            choice = self.choice(node)
            if choice is not None:
                return choice if child == 0 else f"not ({choice})"
            text = sum_of(self.columns, features, weights.tolist(), 0.0, self.decimals)
            return f"{text} {'<=' if child == 0 else '>'} {number(threshold, self.decimals)}"
        if self.tree.kind[node] == LINEAR_MACHINE:
            row = weights.reshape(-1, features.size + 1)[child].tolist()
            text = sum_of(self.columns, features, row[:-1], row[-1], self.decimals)
            return f"{text} is the largest of {int(self.tree.n_children[node])} sums"
        return f"{self.columns.names[int(features[0])]} is {self.columns.cases(self.tree, node)[child]}"

    def conclusion(self, leaf: int) -> str:
        value, rows = self.tree.value[leaf], int(self.tree.n_samples[leaf])
        samples = f"{rows} {'row' if rows == 1 else 'rows'}"
        if self.classes is None:
            return f"{number(float(value[0]), self.decimals)} ({samples})"
        right = 100 * float(value.max() / value.sum())
        return f"{self.classes[int(value.argmax())]} ({samples}, {right:.1f}% right)"
