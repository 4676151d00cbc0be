"""Error-based pruning: a subtree stays only if a pessimistic estimate of its errors is lower than without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew import _core
from askew.criterion import Criterion
from askew.errors import InvalidParameterError
from askew.parameters import boolean, check_parameters, real
from askew.split import Split
from askew.table import Table
from askew.tree import Tree

if TYPE_CHECKING:
    from askew.prune import Regrow

_RULES = {"confidence": real(0.0, 1.0, open_low=True), "raising": boolean}
_SLACK = 0.1  # errors by which a smaller tree may be worse
# The upper limits of the normal distribution that C4.5 interpolates between.
_CONFIDENCE = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
_DEVIATION = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)


@dataclass(frozen=True)
class ErrorBased:
    """Error-based pruning (C4.5), for classification.

    The errors of a leaf are estimated by the upper confidence limit of a binomial distribution, from the rows that the
    tree was grown on; none are held out. From the bottom up each subtree is replaced by a leaf, or by its largest
    branch (subtree raising), where that is estimated to make no more than 0.1 errors more.

    Parameters
    ----------
    confidence : float, default=0.25
        CF of C4.5: the probability that a leaf makes more errors than estimated. Lower prunes more.
    raising : bool, default=True
        Whether a subtree may be replaced by its largest branch.

    References
    ----------
    Quinlan: C4.5: Programs for Machine Learning (1993), chapter 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import CARTClassifier, ErrorBased
    >>> X, y = load_iris(return_X_y=True)
    >>> CARTClassifier().fit(X, y).get_n_leaves(), CARTClassifier(pruning=ErrorBased()).fit(X, y).get_n_leaves()
    (9, 7)
    """

    confidence: float = 0.25
    raising: bool = True

    def __post_init__(self) -> None:
        check_parameters(self, _RULES)

    def hold_out(self, table: Table, seed: int) -> tuple[Table, Table | None]:
        """Hold no rows out."""
        if not table.classification:
            raise InvalidParameterError(
                "Error-based pruning counts errors: it is for classification, not for regression."
            )
        return table, None

    def prune(self, tree: Tree, grown_on: Table, held_out: Table | None, regrow: Regrow, seed: int) -> Tree:
        """Return the pruned tree."""
        pruning = _Pruning(tree, grown_on, self)
        pruning.run()
        if not pruning.raised:
            return tree.collapse(np.flatnonzero(pruning.now < 0))
        return recounted(pruning.tree_left(), grown_on, regrow.criterion)


def estimated_errors(cases: ArrayLike, errors: ArrayLike, confidence: float) -> NDArray[np.float64]:
    """Return the errors that a leaf is expected to make among as many new cases: C4.5's upper limit.

    Parameters
    ----------
    cases, errors : weight of all rows of a leaf, and of those that are not of its class
    confidence : CF

    Examples
    --------
    >>> from askew.prune.error_based import estimated_errors
    >>> estimated_errors([6, 9, 16], [0, 0, 1], 0.25).round(3)
    array([1.238, 1.285, 2.507])
    """
    n, e = np.broadcast_arrays(np.asarray(cases, dtype=np.float64), np.asarray(errors, dtype=np.float64))
    none = n * -np.expm1(np.log(confidence) / n)
    # Between no error and one the limit is linear.
    few = none + e * (_limit(n, np.ones_like(n), confidence) - none)
    return np.asarray(np.where(e < 1e-6, none, np.where(e < 0.9999, few, _limit(n, e, confidence))) + e)


def _limit(n: NDArray[np.float64], e: NDArray[np.float64], confidence: float) -> NDArray[np.float64]:
    """Return what is added to one error or more."""
    square = _deviation(confidence) ** 2
    at = np.minimum(e + 0.5, n)  # beyond n another formula holds
    root = np.sqrt(square * (at * (1 - at / n) + square / 4))
    rate = (at + square / 2 + root) / (n + square)
    return np.where(e + 0.5 >= n, 0.67 * (n - e), n * rate - e)


@cache
def _deviation(confidence: float) -> float:
    return float(np.interp(confidence, _CONFIDENCE, _DEVIATION))


@dataclass(frozen=True, eq=False)
class _Move:
    """Parts of rows and the leaves of a branch that they reach; what these leaves get, and how their errors change."""

    rows: NDArray[np.int64]
    part: NDArray[np.float64]
    leaf: NDArray[np.int64]
    reached: NDArray[np.int64]
    counts: NDArray[np.float64]
    change: float


class _Pruning:
    """A tree that is being pruned.

    Node i stands for the test of node ``now[i]`` of the tree, or is a leaf (-1). Each leaf keeps the rows that are in
    it, with the part of each. Children have higher numbers than their parents, also after a branch has been raised.
    """

    def __init__(self, tree: Tree, table: Table, rule: ErrorBased) -> None:
        self.tree, self.X, self.y, self.rule = tree, table.X, table.y.astype(np.int64), rule
        self.raised = False
        # Estimates are about cases: weights that are not repetitions are scaled to as many as there are samples.
        scale = (
            1.0 if np.array_equal(table.weight, table.multiplicity) else table.multiplicity.sum() / table.weight.sum()
        )
        self.weight = table.weight * scale
        self.counts = tree.value * scale
        self.now = np.where(tree.is_leaf, -1, np.arange(tree.node_count))
        self.parent = tree.parent.copy()
        self.as_leaf = self.estimate(self.counts)
        self.errors = self.as_leaf.copy()  # of the subtrees, once they are settled
        self.rows = self.sort_rows(*self.route(np.arange(table.n_rows), np.ones(table.n_rows), 0))

    def estimate(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        cases = counts.sum(axis=-1)
        return estimated_errors(cases, np.maximum(cases - counts.max(axis=-1), 0.0), self.rule.confidence)

    def route(
        self, rows: NDArray[np.int64], part: NDArray[np.float64], start: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Send parts of rows down from a node; return rows, parts and the leaves that they reach."""
        entry, leaf, share = self.tree.spread(np.ascontiguousarray(self.X[rows]), start, self.now)
        return rows[entry], part[entry] * share, leaf

    @staticmethod
    def sort_rows(
        rows: NDArray[np.int64], part: NDArray[np.float64], leaf: NDArray[np.int64]
    ) -> dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Return the rows and parts of each leaf."""
        order = np.argsort(leaf, kind="stable")
        leaves, start = np.unique(leaf[order], return_index=True)
        pieces = zip(np.split(rows[order], start[1:]), np.split(part[order], start[1:]), strict=True)
        return dict(zip(leaves.tolist(), pieces, strict=True))

    def children(self, node: int) -> range:
        test = int(self.now[node])
        first = int(self.tree.first_child[test])
        return range(first, first + int(self.tree.n_children[test])) if test >= 0 else range(0)

    def below(self, node: int) -> Iterator[int]:
        """Go through a node and all below it, parents before children."""
        stack = [node]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(self.children(node))

    def run(self) -> None:
        agenda = np.flatnonzero(~self.tree.is_leaf).tolist()  # the last first: children before parents
        while agenda:
            agenda.extend(self.settle(agenda.pop()))

    def settle(self, node: int) -> list[int]:
        """Leave a node as it is, or make it a leaf, or raise a branch; return the nodes to settle anew."""
        children = self.children(node)
        as_tree = sum(self.errors[child] for child in children)
        branch = children[int(np.argmax(self.counts[children.start : children.stop].sum(axis=1)))]
        move = self.move(children, branch) if self.rule.raising and self.now[branch] >= 0 else None
        as_branch = inf if move is None else self.errors[branch] + move.change
        if self.as_leaf[node] <= min(as_tree, as_branch) + _SLACK:
            self.make_leaf(node)
        elif move is not None and as_branch <= as_tree + _SLACK:
            return self.raise_branch(node, branch, move)
        else:
            self.errors[node] = as_tree
        return []

    def move(self, children: range, branch: int) -> _Move:
        """Say where the rows of the other children end in a branch."""
        leaves = [leaf for child in children if child != branch for leaf in self.below(child) if self.now[leaf] < 0]
        rows = np.concatenate([self.rows[leaf][0] for leaf in leaves])
        part = np.concatenate([self.rows[leaf][1] for leaf in leaves])
        rows, part, leaf = self.route(rows, part, branch)
        reached, place = np.unique(leaf, return_inverse=True)
        k = self.counts.shape[1]
        cell = place * k + self.y[rows]
        counts = np.bincount(cell, part * self.weight[rows], minlength=reached.size * k).astype(float).reshape(-1, k)
        after = self.estimate(self.counts[reached] + counts)
        return _Move(rows, part, leaf, reached, counts, float((after - self.errors[reached]).sum()))

    def make_leaf(self, node: int) -> None:
        pieces = [self.rows.pop(leaf) for leaf in self.below(node) if self.now[leaf] < 0]
        self.rows[node] = (np.concatenate([p[0] for p in pieces]), np.concatenate([p[1] for p in pieces]))
        self.now[node] = -1
        self.errors[node] = self.as_leaf[node]

    def raise_branch(self, node: int, branch: int, move: _Move) -> list[int]:
        """Put a branch in the place of its parent; what is below it sees more rows, and is to be settled anew."""
        for leaf, (rows, part) in self.sort_rows(move.rows, move.part, move.leaf).items():
            own_rows, own_part = self.rows[leaf]
            self.rows[leaf] = (np.concatenate([own_rows, rows]), np.concatenate([own_part, part]))
        grown = set()
        for leaf, counts in zip(move.reached.tolist(), move.counts, strict=True):
            at = leaf
            while at != branch:
                self.counts[at] += counts
                grown.add(at)
                at = int(self.parent[at])
        changed = np.array(sorted(grown))
        self.as_leaf[changed] = self.estimate(self.counts[changed])
        self.errors[move.reached] = self.as_leaf[move.reached]
        for child in self.children(branch):
            self.parent[child] = node
        self.now[node] = self.now[branch]
        self.raised = True
        return sorted(inner for inner in self.below(node) if self.now[inner] >= 0)

    def tree_left(self) -> Tree:
        """Return the tree that is left; what it says of its nodes is that of the nodes whose tests they have."""
        order, first_child = [0], []
        for node in order:  # grows as it is gone through
            first_child.append(len(order) if self.now[node] >= 0 else 0)
            order.extend(self.children(node))
        kept = np.array(order)
        tests: list[Split | None] = [self.tree.split(int(self.now[i])) if self.now[i] >= 0 else None for i in order]
        tree = self.tree
        return Tree.from_nodes(
            tests,
            first_child,
            tree.value[kept],
            tree.n_samples[kept],
            tree.mass[kept],
            tree.impurity[kept],
            tree.n_features,
            tree.n_hyperplanes,
        )


def recounted(tree: Tree, table: Table, criterion: Criterion) -> Tree:
    """Return the tree with the samples, weights and impurities of its nodes taken from these rows."""
    parts = {0: (table, np.arange(table.n_rows, dtype=np.uint32))}  # of nodes whose parents have been counted
    summaries = []
    for node in range(tree.node_count):
        own, rows = parts.pop(node)
        summaries.append(_core.summary(criterion.kernel, own.target, rows)[:4])
        if not tree.is_leaf[node]:
            first = int(tree.first_child[node])
            parts.update(enumerate(own.divide(rows, tree.split(node)), start=first))
    value, n_samples, mass, impurity = (np.array(column) for column in zip(*summaries, strict=True))
    return replace(tree, value=value, n_samples=np.rint(n_samples).astype(np.int64), mass=mass, impurity=impurity)
