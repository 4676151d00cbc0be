"""C4.5 by its definitions (Quinlan 1993): the choice of a test, growth with parts of rows, error-based pruning."""

from dataclasses import dataclass, field
from itertools import pairwise
from math import exp, fsum, log, log2, sqrt

import numpy as np


@dataclass
class Node:
    """A node with its class weights; of an inner one `split` tells the child of each row, -1 where it has no answer."""

    counts: np.ndarray
    feature: int = -1
    threshold: float | None = None
    codes: dict | None = None
    children: list = field(default_factory=list)

    def split(self, X):
        column = X[:, self.feature]
        if self.codes is None:
            child = np.where(column <= self.threshold, 0, 1)
        else:
            child = np.array([self.codes.get(value, 0) for value in column])
        return np.where(np.isnan(column), -1, child)

    def leaves(self):
        return sum(child.leaves() for child in self.children) if self.children else 1


# --- the choice of a test


def entropy(counts):
    """Bits of information in a distribution."""
    n = fsum(counts)
    return -fsum(c / n * log2(c / n) for c in counts if c > 0)


def worth(children, unknown=0.0):
    """Information gain and split information of a test, per unit of weight."""
    children = [child for child in children if fsum(child) > 0]
    sizes = [fsum(child) for child in children]
    known, every = fsum(sizes), fsum(sizes) + unknown
    parent = [fsum(column) for column in zip(*children, strict=True)]
    within = fsum(size / known * entropy(child) for size, child in zip(sizes, children, strict=True))
    return known / every * (entropy(parent) - within), entropy([*sizes, unknown])


def least(known, n_classes, min_cases):
    """How many samples a threshold must leave on both sides."""
    return max(min_cases, min(25.0, 0.1 * known / n_classes))


def counts_of(table, rows, part):
    weight = table.weight[rows] * part
    return np.array([weight[table.y[rows] == c].sum() for c in range(table.n_classes)])


@dataclass(frozen=True)
class Test:
    feature: int
    gain: float
    information: float
    threshold: float | None = None
    codes: dict | None = None


def cuts(table, rows, part, feature, min_cases=2, penalty=False):
    """Every admissible cut of a numeric feature."""
    column = table.X[rows, feature]
    known = ~np.isnan(column)
    samples = table.multiplicity[rows] * part
    unknown = float((table.weight[rows] * part)[~known].sum())
    values = np.unique(column[known])
    need = least(samples[known].sum(), table.n_classes, min_cases) if min_cases else 1
    price = log2(values.size - 1) / samples.sum() if penalty and values.size > 2 else 0.0
    for low, high in pairwise(values.tolist()):
        left, right = known & (column <= low), known & (column > low)
        if min(samples[left].sum(), samples[right].sum()) < need:
            continue
        gain, information = worth([counts_of(table, rows[s], part[s]) for s in (left, right)], unknown)
        yield Test(feature, gain - price, information, low * 0.5 + high * 0.5)


def categories(table, rows, part, feature, min_cases=2):
    """One child for each category, if two of them have enough samples."""
    column = table.X[rows, feature]
    known = ~np.isnan(column)
    unknown = float((table.weight[rows] * part)[~known].sum())
    sides = {code: column == code for code in np.unique(column[known]).tolist()}
    enough = [float((table.multiplicity[rows] * part)[side].sum()) >= min_cases for side in sides.values()]
    if sum(enough) < 2:
        return []
    gain, information = worth([counts_of(table, rows[side], part[side]) for side in sides.values()], unknown)
    return [Test(feature, gain, information, codes={code: i for i, code in enumerate(sides)})]


def best_tests(table, rows, part, min_cases=2, penalty=False):
    """The test of most gain of every feature that has one with any."""
    found = []
    for feature in range(table.n_features):
        if table.levels and table.levels[feature]:
            own = categories(table, rows, part, feature, min_cases)
        else:
            own = list(cuts(table, rows, part, feature, min_cases, penalty))
        best = max(own, key=lambda test: test.gain, default=None)
        if best is not None and best.gain > 1e-12:
            found.append(best)
    return found


def choose(tests):
    """The highest gain ratio among tests of at least the average gain."""
    average = fsum(test.gain for test in tests) / len(tests) if tests else 0.0
    good = [test for test in tests if test.gain >= average - 1e-9]
    return max(good, key=lambda test: test.gain / test.information, default=None)


def grow(table, min_cases=2, penalty=False, rows=None, part=None):
    """A tree of C4.5."""
    rows = np.arange(table.n_rows) if rows is None else rows
    part = np.ones(rows.size) if part is None else part
    node = Node(counts_of(table, rows, part))
    test = choose(best_tests(table, rows, part, min_cases, penalty)) if (node.counts > 0).sum() > 1 else None
    if test is None:
        return node
    node.feature, node.threshold, node.codes = test.feature, test.threshold, test.codes
    if test.threshold is not None:
        column = table.X[:, test.feature]
        node.threshold = float(column[column <= test.threshold].max())
    child = node.split(table.X[rows])
    sizes = [float((table.weight[rows] * part)[child == i].sum()) for i in range(child.max() + 1)]
    for i, size in enumerate(sizes):
        here = (child == i) | (child < 0)
        share = np.where(child[here] < 0, part[here] * (size / sum(sizes)), part[here])
        node.children.append(grow(table, min_cases, penalty, rows[here], share))
    return node


def same(node, tree, at=0):
    """Whether a `Tree` is the one below a `Node`."""
    if not np.allclose(node.counts, tree.value[at]) or len(node.children) != tree.n_children[at]:
        return False
    if node.children and tree.test(at)[0][0] != node.feature:
        return False
    if node.children and node.codes is None and tree.threshold[at] != node.threshold:
        return False
    first = int(tree.first_child[at])
    return all(same(child, tree, first + i) for i, child in enumerate(node.children))


# --- error-based pruning


def added_errors(n, e, confidence):
    """What C4.5 adds to the e errors of a leaf with n cases."""
    if e < 1e-6:
        return n * (1 - exp(log(confidence) / n))
    if e < 0.9999:
        none = n * (1 - exp(log(confidence) / n))
        return none + e * (added_errors(n, 1.0, confidence) - none)
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    limits = (0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
    deviations = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)
    i = next(i for i, limit in enumerate(limits) if limit >= confidence)
    low, high = limits[i - 1], limits[i]
    z = deviations[i - 1] + (deviations[i] - deviations[i - 1]) * (confidence - low) / (high - low)
    q = z * z
    p = (e + 0.5 + q / 2 + sqrt(q * ((e + 0.5) * (1 - (e + 0.5) / n) + q / 4))) / (n + q)
    return n * p - e


def read(tree, at=0):
    """A binary axis-parallel `Tree` as nodes."""
    node = Node(tree.value[at].copy())
    if tree.n_children[at]:
        node.feature, node.threshold = int(tree.test(at)[0][0]), float(tree.threshold[at])
        first = int(tree.first_child[at])
        node.children = [read(tree, first), read(tree, first + 1)]
    return node


def prune(node, X, y, weight, confidence=0.25, raising=True, update=True):
    """Prune a tree of complete rows from the bottom up; return the errors it is estimated to make on these rows."""
    counts = np.array([weight[y == c].sum() for c in range(node.counts.size)])
    n = float(counts.sum())
    as_leaf = n - counts.max() + added_errors(n, n - counts.max(), confidence)
    if update:
        node.counts = counts
    if not node.children:
        return as_leaf
    child = node.split(X)
    sides = [child == i for i in range(len(node.children))]
    rest = (confidence, raising, update)
    as_tree = sum(
        prune(below, X[side], y[side], weight[side], *rest) for below, side in zip(node.children, sides, strict=True)
    )
    if not update:
        return as_tree
    branch = node.children[int(np.argmax([weight[side].sum() for side in sides]))]
    as_branch = prune(branch, X, y, weight, confidence, raising, update=False) if raising else np.inf
    if as_leaf <= as_tree + 0.1 and as_leaf <= as_branch + 0.1:
        node.children = []
        return as_leaf
    if as_branch <= as_tree + 0.1:
        as_branch = prune(branch, X, y, weight, *rest)
        node.__dict__.update(branch.__dict__)
        return as_branch
    return as_tree
