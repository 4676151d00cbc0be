"""The searches of C4.5 and ID3: a test has one feature; two children if it is numeric, else one for each category."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import ClassVar

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
from askew.search.axis import CutRules, presorted_tree

# Criteria that score any number of children.
_MULTIWAY = {"gini", "entropy", "gain_ratio", "max_minority", "sum_minority", "sum_of_variances"}
_LEAST_GAIN = 1e-12


@dataclass(frozen=True, eq=False)
class FeatureTest:
    """The best test of one feature at a node.

    Attributes
    ----------
    split : Split
        The test.
    score : float
        Score of the criterion; lower is better.
    children : ndarray
        Weight of every class in every child (children x classes), of the rows whose value is known.
    unknown : float
        Weight of the rows whose value is missing.
    distinct : int
        Number of distinct values of a numeric feature at the node; 0 for a categorical feature.
    """

    split: Split
    score: float
    children: NDArray[np.float64]
    unknown: float
    distinct: int = 0


class _NodeTests:
    """The best test of each feature of a node, computed from the rows whose value of that feature is known."""

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

    def cut(self, feature: int, criterion: Criterion, min_cases: float, boundaries: bool) -> FeatureTest | None:
        """Return the best threshold of a numeric feature.

        If `min_cases` is positive, each side must have a tenth of the average number of samples per class, at least
        `min_cases` and at most 25 (C4.5). With `boundaries`, only boundary points are tried (ID3).
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
        rows = rows[np.argsort(X[rows, 0], kind="stable")]  # the compiled growth sums in this order: the same bits
        values = X[rows, 0]
        children = self.counts((values > cut[1]).astype(np.int64), rows, 2)
        split = Hyperplane([feature], [1.0], cut[1])
        return FeatureTest(split, cut[2], children, self.unknown(rows), np.unique(values).size)

    def categories(self, feature: int, criterion: Criterion, min_cases: float, group: bool) -> FeatureTest | None:
        """Return the test with one child for each category of the node, or for each group of categories.

        A category that is absent, or too rare for a leaf, joins the most frequent child. At least two children must
        have `min_cases` samples.
        """
        node, table, rows = self.node, self.table, self.known(feature)
        levels = self.levels[feature]
        code = self.columns[feature][rows].astype(np.int64)
        samples = np.bincount(code, table.multiplicity[rows], minlength=levels)
        weight = np.bincount(code, table.weight[rows], minlength=levels)
        frequent = (samples >= max(node.min_samples_leaf, 1)) & (weight >= node.min_weight_leaf)
        if frequent.sum() < 2:
            return None
        unknown = self.unknown(rows)
        child = np.cumsum(frequent) - 1
        child[~frequent] = child[np.argmax(np.where(frequent, weight, -1.0))]
        if group:
            counts = self.counts(child[code], rows, int(frequent.sum()))
            child = _core.group_categories(counts, unknown)[child]
        n_children = int(child.max()) + 1
        in_child = np.bincount(child[code], table.multiplicity[rows], minlength=n_children)
        if np.count_nonzero(in_child >= min_cases) < 2:
            return None
        children = self.counts(child[code], rows, n_children)
        split = CategoryTable(feature, child, default=int(children.sum(axis=1).argmax()))
        return FeatureTest(split, criterion.score(children), children, unknown)

    def best(
        self, criterion: Criterion, min_cases: float = 0.0, group: bool = False, boundaries: bool = False
    ) -> list[FeatureTest]:
        """Return the best test of each feature that has one."""
        self.node.n_evaluated += self.table.n_features
        tests = [
            self.categories(feature, criterion, min_cases, group)
            if levels
            else self.cut(feature, criterion, min_cases, boundaries)
            for feature, levels in enumerate(self.levels)
        ]
        return [test for test in tests if test is not None]


def _lowest(tests: list[FeatureTest]) -> FeatureTest | None:
    """Return the first test with the lowest score; None if all scores are infinite."""
    best = min(tests, key=lambda test: test.score, default=None)
    return None if best is None or best.score == inf else best


def _check(table: Table, criterion: Criterion, name: str) -> None:
    if not table.classification:
        raise InvalidParameterError(f"{name} supports classification only.")
    if any(table.levels) and criterion.name not in _MULTIWAY:
        raise InvalidParameterError(
            f"The 'criterion' parameter must be a str among {sorted(_MULTIWAY)} when features are categories: a "
            f"test of {name} has one child for each category. Got {criterion.name!r} instead."
        )


@dataclass(kw_only=True, eq=False, repr=False)
class C45Parameters:
    """The parameters of `C45`, and of the estimators that search with it.

    Parameters
    ----------
    min_cases : float, default=2
        At least two children must have this many samples. Both sides of a threshold must also have a tenth of the
        average number of samples per class, or 25 if that is less. 0 switches both rules off.
    group_categories : bool, default=False
        Merge categories into one child as long as that raises the gain ratio (section 7.2).
    penalty : bool, default=False
        Subtract log2(values - 1) / samples from the gain of a threshold, as release 8 does (Quinlan 1996). False:
        release 5 (1993).
    """

    min_cases: float = param(2, real(0.0))
    group_categories: bool = param(False, boolean)
    penalty: bool = param(False, boolean)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class C45(C45Parameters, Strategy):
    """The search of C4.5: the test with the best gain ratio.

    For each feature, the test with the largest information gain is found. Among those whose gain is at least the
    average, the test with the highest gain ratio (gain divided by split information) is taken. A numeric feature has
    two children, a categorical one has a child for each category. Rows whose value is missing reduce the gain in
    proportion, count as one more branch in the split information, and go to all children with fractional weights
    (`askew.grow.rows.LocalRows.divide`). With another criterion than "gain_ratio", the test with the best score is
    taken. A threshold is a value of the training data: the largest one that does not exceed the midpoint between the
    two neighbouring values of the node.

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
            best = _lowest(_NodeTests(node).best(criterion, self.min_cases, self.group_categories))
        if best is None or best.split.kind != HYPERPLANE:
            return None if best is None else best.split
        feature = best.split.features
        column = node.grown_on.X[:, feature[0]]
        return Hyperplane(feature, [1.0], float(column[column <= best.split.threshold].max()))

    def _best_ratio(self, node: Node) -> FeatureTest | None:
        tests = _NodeTests(node).best(_entropy(), self.min_cases, self.group_categories)
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
        """Grow a tree; in one compiled call if all features are numeric and no value is missing."""
        _check(table, criterion, "C4.5")
        if any(table.levels) or table.incomplete:
            return node_by_node(table, self, criterion, limits, seed, threads, progress)
        rules: CutRules = {"min_cases": self.min_cases}
        if criterion.name == "gain_ratio":
            criterion, rules = _entropy(), {"min_cases": self.min_cases, "ratio": True, "penalty": self.penalty}
        tree = presorted_tree(table, criterion, limits, seed, threads, progress, **rules)
        return replace(tree, threshold=thresholds_at_values(tree, table))


@dataclass(frozen=True)
class ID3(Strategy):
    """The search of ID3 with numeric features: the test with the largest information gain.

    The threshold of a numeric feature is a boundary point: the midpoint between two neighbouring values whose rows are
    not all of one class. The best threshold is always such a point. A categorical feature has a child for each
    category. If no test has a positive gain, the node becomes a leaf.

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
        best = _lowest(_NodeTests(node).best(criterion, boundaries=True))
        if best is None or (criterion.name == "entropy" and self._gain(best, node) < _LEAST_GAIN):
            return None
        return best.split

    def _gain(self, best: FeatureTest, node: Node) -> float:
        """Return the information gain, weighted by the node's share of all rows (`Limits.min_impurity_decrease`)."""
        return (node.impurity - best.score) * node.mass / float(node.grown_on.weight.sum())

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
    """Return the thresholds of C4.5: the largest value of the training rows that does not exceed the threshold found.

    Parameters
    ----------
    tree : Tree
        A tree whose thresholds are midpoints.
    table : Table
        The training rows.

    Returns
    -------
    threshold : ndarray
        One threshold for each node.
    """
    threshold = tree.threshold.copy()
    cut = np.flatnonzero(tree.kind == HYPERPLANE)
    feature = tree.feature[tree.feature_start[cut]]
    for j in np.unique(feature).tolist():
        nodes = cut[feature == j]
        column = np.sort(table.X[:, j])  # NaN last
        threshold[nodes] = column[np.searchsorted(column, threshold[nodes], side="right") - 1]
    return threshold
