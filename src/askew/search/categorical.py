"""The searches of C4.5 and ID3: one feature a test, two children for a number, one for each category."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.criterion import Criterion, as_criterion
from askew.grow.grow import Node, node_by_node
from askew.grow.limits import Limits
from askew.model.split import HYPERPLANE, CategoryTable, Hyperplane, Split
from askew.model.tree import Tree
from askew.parallel import Progress
from askew.parameters import InvalidParameterError, Strategy, boolean, documented, param, real
from askew.search.axis import presorted_tree

# Criteria that score any number of children.
_ANY_NUMBER = {"gini", "entropy", "gain_ratio", "max_minority", "sum_minority", "sum_of_variances"}
_LEAST_GAIN = 1e-12


@dataclass(frozen=True, eq=False)
class Test:
    """The best test of one feature at a node.

    Attributes
    ----------
    split : the test
    score : of the criterion; lower is better
    children : weight of every class in every child (children x classes), of the rows with an answer
    unknown : weight of the rows without an answer, because the value is missing
    distinct : how many values a numeric feature has here; 0 for categories
    """

    split: Split
    score: float
    children: NDArray[np.float64]
    unknown: float
    distinct: int = 0


class _Tests:
    """The tests of a node. Rows whose value is missing are left out, feature by feature."""

    def __init__(self, node: Node) -> None:
        self.node, self.table = node, node.table.take(node.rows)
        self.columns = np.ascontiguousarray(self.table.X.T)
        self.levels = self.table.levels or (0,) * self.table.n_features

    def known(self, feature: int) -> NDArray[np.uint32]:
        return np.flatnonzero(~np.isnan(self.columns[feature])).astype(np.uint32)

    def unknown(self, known: NDArray[np.uint32]) -> float:
        if known.size == self.table.n_rows:
            return 0.0
        return float(np.delete(self.table.weight, known).sum())

    def counts(self, child: NDArray[np.int64], rows: NDArray[np.uint32], n_children: int) -> NDArray[np.float64]:
        """Return the weight of every class in every child, summed in the order of the rows."""
        k = self.table.n_classes
        cell = child * k + self.table.y[rows].astype(np.int64)
        counts: NDArray[np.float64] = np.bincount(cell, self.table.weight[rows], minlength=n_children * k).astype(float)
        return counts.reshape(n_children, k)

    def cut(self, feature: int, criterion: Criterion, min_cases: float, boundaries: bool) -> Test | None:
        """Return the best cut of a numeric feature.

        With `min_cases` each side has at least a tenth of a class's average share of the samples, but no more than
        25 and no fewer than this (C4.5). With `boundaries` only boundary points are tried (ID3).
        """
        node, table, rows = self.node, self.table, self.known(feature)
        least = node.min_samples_leaf
        if min_cases > 0:
            cases = float(table.multiplicity[rows].sum())
            least = max(least, _core.least_samples(cases, n_classes=table.n_classes, least=min_cases))
        X = self.columns[feature][:, None]
        kernel = _core.Node(
            target=table.target,
            X=X,
            rows=rows,
            min_samples_leaf=least,
            min_weight_leaf=node.min_weight_leaf,
            threads=1,
        )
        cut = _core.axis_cut(criterion.kernel, kernel, boundaries=boundaries)
        if cut is None:
            return None
        rows = rows[np.argsort(X[rows, 0], kind="stable")]  # as the compiled growth sums them, to the same bits
        values = X[rows, 0]
        children = self.counts((values > cut[1]).astype(np.int64), rows, 2)
        split = Hyperplane([feature], [1.0], cut[1])
        return Test(split, cut[2], children, self.unknown(rows), np.unique(values).size)

    def categories(self, feature: int, criterion: Criterion, min_cases: float, group: bool) -> Test | None:
        """Return the test with one child for each category that occurs here, or for each group of them.

        A category that does not occur, or not often enough for a leaf, goes with the most frequent child.
        Two children must have `min_cases` samples.
        """
        node, table, rows = self.node, self.table, self.known(feature)
        levels = self.levels[feature]
        code = self.columns[feature][rows].astype(np.int64)
        samples = np.bincount(code, table.multiplicity[rows], minlength=levels)
        weight = np.bincount(code, table.weight[rows], minlength=levels)
        own = (samples >= max(node.min_samples_leaf, 1)) & (weight >= node.min_weight_leaf)
        if own.sum() < 2:
            return None
        unknown = self.unknown(rows)
        child = np.cumsum(own) - 1
        child[~own] = child[np.argmax(np.where(own, weight, -1.0))]
        if group:
            counts = self.counts(child[code], rows, int(own.sum()))
            child = _core.group_categories(counts, unknown)[child]
        n_children = int(child.max()) + 1
        in_child = np.bincount(child[code], table.multiplicity[rows], minlength=n_children)
        if np.count_nonzero(in_child >= min_cases) < 2:
            return None
        children = self.counts(child[code], rows, n_children)
        split = CategoryTable(feature, child, default=int(children.sum(axis=1).argmax()))
        return Test(split, criterion.score(children), children, unknown)

    def best(
        self, criterion: Criterion, min_cases: float = 0.0, group: bool = False, boundaries: bool = False
    ) -> list[Test]:
        """Return the best test of each feature that has one."""
        self.node.n_evaluated += self.table.n_features
        found = [
            self.categories(feature, criterion, min_cases, group)
            if levels
            else self.cut(feature, criterion, min_cases, boundaries)
            for feature, levels in enumerate(self.levels)
        ]
        return [test for test in found if test is not None]


def _lowest(tests: list[Test]) -> Test | None:
    """Return the test with the lowest score; of equals, the first; none if all scores are infinite."""
    best = min(tests, key=lambda test: test.score, default=None)
    return None if best is None or best.score == inf else best


def _check(table: Table, criterion: Criterion, name: str) -> None:
    if not table.classification:
        raise InvalidParameterError(f"{name} supports classification only.")
    if any(table.levels) and criterion.name not in _ANY_NUMBER:
        raise InvalidParameterError(
            f"The 'criterion' parameter must be a str among {sorted(_ANY_NUMBER)} when features are categories: a "
            f"test of {name} has one child for each. Got {criterion.name!r} instead."
        )


@dataclass(kw_only=True, eq=False, repr=False)
class C45Parameters:
    """The parameters of `C45`, and of the estimators that search with it.

    Parameters
    ----------
    min_cases : float, default=2
        Two children at least must have this many samples. The sides of a threshold must both have it, and a tenth
        of a class's average share of the samples, of which no more than 25 are asked. 0: neither rule holds.
    group_categories : bool, default=False
        Put categories together into one child as long as that raises the gain ratio (section 7.2).
    penalty : bool, default=False
        Lower the gain of a threshold by log2(values - 1) / samples, as release 8 does (Quinlan 1996). False is release
        5 (1993).
    """

    min_cases: float = param(2, real(0.0))
    group_categories: bool = param(False, boolean)
    penalty: bool = param(False, boolean)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class C45(C45Parameters, Strategy):
    """The search of C4.5: the test with the best gain ratio.

    Of every feature the test with the most information gain is taken; of these, among those whose gain is not below
    the average, the one with the highest ratio of gain and split information. A number is cut in two, categories
    have a child each. Rows whose value is missing count for less in the gain, are one more branch in the split
    information, and go to all children in part (`askew.grow.rows.LocalRows.divide`). With another criterion than
    "gain_ratio" the test with the best score is taken. A threshold is a value of the training data: the largest that
    is not above the middle between the two neighbouring values of the node.

    References
    ----------
    Quinlan: C4.5: Programs for Machine Learning (1993), chapters 2, 3 and 7.
    Quinlan: Improved Use of Continuous Attributes in C4.5, JAIR 4 (1996).

    Examples
    --------
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.categorical import C45
    >>> X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    >>> ObliqueTreeClassifier(search=C45(), criterion="gain_ratio").fit(X, y).get_n_leaves()
    2
    """

    classification_only: ClassVar[bool] = True

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split of a node."""
        _check(node.table, criterion, "C4.5")
        if criterion.name == "gain_ratio":
            best = self._best_ratio(node)
        else:
            best = _lowest(_Tests(node).best(criterion, self.min_cases, self.group_categories))
        if best is None or best.split.kind != HYPERPLANE:
            return None if best is None else best.split
        feature, whole = best.split.features, node.grown_on
        column = whole.X[:, feature[0]]
        return Hyperplane(feature, [1.0], float(column[column <= best.split.threshold].max()))

    def _best_ratio(self, node: Node) -> Test | None:
        tests = _Tests(node).best(_entropy(), self.min_cases, self.group_categories)
        if not tests:
            return None
        infos = np.array([_core.gain_info(test.children, test.unknown) for test in tests])
        if self.penalty:
            for info, test in zip(infos, tests, strict=True):
                info[0] -= _core.price_of_threshold(distinct=test.distinct, n_samples=node.n_samples, mass=info[2])
        best = _core.best_ratio(infos)
        return None if best is None else tests[best]

    def grow(
        self,
        table: Table,
        criterion: Criterion,
        limits: Limits,
        seed: int,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Tree:
        """Grow a tree; in one go where all features are numbers and none is missing."""
        _check(table, criterion, "C4.5")
        if any(table.levels) or table.incomplete:
            return node_by_node(table, self, criterion, limits, seed, threads, progress)
        rule: dict[str, Any] = {"min_cases": self.min_cases}
        if criterion.name == "gain_ratio":
            criterion, rule = _entropy(), {**rule, "ratio": True, "penalty": self.penalty}
        tree = presorted_tree(table, criterion, limits, seed, threads, progress, **rule)
        return replace(tree, threshold=thresholds_at_values(tree, table))


@dataclass(frozen=True)
class ID3(Strategy):
    """The search of ID3 with numeric features: the test with the most information gain.

    A number is cut in two at a boundary point: half-way between neighbouring values, unless all rows with these two
    values are of one class. The best cut is always such a point. Categories have a child each. A test
    without a gain is not taken.

    References
    ----------
    Quinlan: Induction of Decision Trees. Machine Learning 1 (1986).
    Fayyad, Irani: On the Handling of Continuous-Valued Attributes in Decision Tree Generation. Machine Learning 8
    (1992).

    Examples
    --------
    >>> from askew import ObliqueTreeClassifier
    >>> ObliqueTreeClassifier(search="id3", criterion="entropy").fit([[1], [2], [3]], [0, 0, 1]).get_n_leaves()
    2
    """

    classification_only: ClassVar[bool] = True

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split of a node."""
        _check(node.table, criterion, "ID3")
        best = _lowest(_Tests(node).best(criterion, boundaries=True))
        if best is None or (criterion.name == "entropy" and self._gain(best, node) < _LEAST_GAIN):
            return None
        return best.split

    def _gain(self, best: Test, node: Node) -> float:
        """Return the gain of a test of the entropy, as a share of all rows (`Limits.min_impurity_decrease`)."""
        whole = node.grown_on
        return (node.impurity - best.score) * node.mass / float(whole.weight.sum())

    def grow(
        self,
        table: Table,
        criterion: Criterion,
        limits: Limits,
        seed: int,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Tree:
        """Grow a tree, until its leaves are pure or no test has a gain."""
        _check(table, criterion, "ID3")
        if any(table.levels) or table.incomplete:
            return node_by_node(table, self, criterion, limits, seed, threads, progress)
        if criterion.name == "entropy":
            limits = replace(limits, min_impurity_decrease=max(limits.min_impurity_decrease, _LEAST_GAIN))
        return presorted_tree(table, criterion, limits, seed, threads, progress, boundaries=True)


def _entropy() -> Criterion:
    return as_criterion("entropy", classification=True)


def thresholds_at_values(tree: Tree, table: Table) -> NDArray[np.float64]:
    """Return the thresholds of C4.5: the largest value in the training rows that is not above the one found."""
    threshold = tree.threshold.copy()
    cut = np.flatnonzero(tree.kind == HYPERPLANE)
    feature = tree.feature[tree.feature_start[cut]]
    for j in np.unique(feature).tolist():
        nodes = cut[feature == j]
        column = np.sort(table.X[:, j])  # NaN last
        threshold[nodes] = column[np.searchsorted(column, threshold[nodes], side="right") - 1]
    return threshold
