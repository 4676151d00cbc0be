"""Cost-complexity pruning: the weakest links are cut, and held-out rows or cross-validation choose the subtree."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.grow.recipe import Regrowth
from askew.model.tree import Tree
from askew.parameters import Strategy, boolean, integer, none, param, real


@dataclass(frozen=True)
class CostComplexity(Strategy):
    """Cost-complexity pruning (CART), as OC1 uses it: 10% held out, 0-SE rule.

    Parameters
    ----------
    fraction : float, default=0.1
        Share of the rows that is held out to choose the subtree (OC1-94, section 4.1). Rows are drawn by a
        seeded hash of the row itself.
    tolerance : float, default=0.0
        k of the k-SE rule: the smallest tree whose error is within k standard errors of the least
        (OC1-94, section 3.3.2).
    cv : int or None, default=None
        Choose by cross-validation in this many folds instead of holding rows out (CART: 10).
    ccp_alpha : float or None, default=None
        Complexity parameter: cut every link weaker than this instead of choosing by data.
    stratify : bool, default=True
        Hold out the same share of every class, and divide every class among the folds. False: divide all rows together,
        as OC1 does; a small fold may then lack a class.

    References
    ----------
    Breiman, Friedman, Olshen, Stone: Classification and Regression Trees (1984), chapter 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import CARTClassifier
    >>> from askew.prune import CostComplexity
    >>> X, y = load_iris(return_X_y=True)
    >>> CARTClassifier(pruning=CostComplexity(cv=10, tolerance=1), random_state=0).fit(X, y).get_n_leaves()
    4
    """

    fraction: float = param(0.1, real(0.0, 1.0, open_low=True, open_high=True))
    tolerance: float = param(0.0, real(0.0))
    cv: int | None = param(None, integer(2) | none)
    ccp_alpha: float | None = param(None, real(0.0) | none)
    stratify: bool = param(True, boolean)

    @property
    def n_regrown(self) -> int:
        """Number of trees that are grown for cross-validation."""
        return self.cv if self.cv is not None and self.ccp_alpha is None else 0

    def hold_out(self, table: Table, seed: int) -> tuple[Table, Table | None]:
        """Divide the rows at random; cross-validation and a fixed alpha hold none out."""
        if self.cv is not None or self.ccp_alpha is not None:
            return table, None
        out = table.positions(seed, self.stratify) < self.fraction
        if out.all() or not out.any():
            return table, None
        return table.take(~out), table.take(out)

    def prune(
        self,
        tree: Tree,
        grown_on: Table,
        held_out: Table | None,
        regrow: Regrowth,
        seed: int,
    ) -> Tree:
        """Return the chosen subtree; the tree itself if no rows are held out."""
        path = PruningPath.of(tree, grown_on.classification)
        if self.ccp_alpha is not None:
            return path.subtree(path.step_of(self.ccp_alpha))
        if self.cv is not None:
            return self._cross_validated(path, grown_on, regrow, seed)
        if held_out is None:
            return tree
        losses = path.losses(held_out)
        return path.subtree(_choose(losses, held_out.weight, self.tolerance))

    def _cross_validated(self, path: PruningPath, table: Table, regrow: Regrowth, seed: int) -> Tree:
        assert self.cv is not None
        fold = table.folds(seed, self.cv, self.stratify)
        # Between two steps of the path the subtree is the same: evaluate it at the geometric mean.
        unit = _power_of_two(path.alphas)
        alphas = np.append(np.sqrt((path.alphas[:-1] / unit) * (path.alphas[1:] / unit)) * unit, inf)
        losses = np.zeros((alphas.size, table.n_rows))
        for number in range(self.cv):
            out = fold == number
            if not out.any() or out.all():
                continue
            regrow_fold = regrow.part(1 + number, 1 + self.cv)
            fold_path = PruningPath.of(regrow_fold(table.take(~out)), table.classification)
            by_step = fold_path.losses(table.take(out))
            losses[:, out] = by_step[[fold_path.step_of(alpha) for alpha in alphas]]
        training = path.losses(table)
        unlike = _clearly_above(training, losses, table.weight)
        losses[unlike] = training[unlike]
        return path.subtree(_choose(losses, table.weight, self.tolerance))


def _clearly_above(
    training: NDArray[np.float64], validated: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether the training loss of each step exceeds the cross-validated loss by more than two standard errors.

    Fold trees and the final tree then differ by search randomness, and the cross-validated loss says nothing about
    the final tree. With deterministic searches this is rare.
    """
    share = weight / weight.sum()
    above = np.zeros(len(training), dtype=bool)
    for step, difference in enumerate(training - validated):
        unit = _power_of_two(difference)
        mean = (difference / unit) @ share
        above[step] = mean > 2 * np.sqrt(((difference / unit - mean) ** 2) @ share / weight.sum())
    return above


def _choose(losses: NDArray[np.float64], weight: NDArray[np.float64], standard_errors: float) -> int:
    """Return the last step (smallest tree) whose loss is within k standard errors of the minimum (k-SE rule)."""
    share = weight / weight.sum()
    mean = losses @ share
    least = int(np.argmin(mean))
    deviation = losses[least] - mean[least]
    unit = _power_of_two(deviation)
    standard_error = unit * np.sqrt(((deviation / unit) ** 2) @ share / weight.sum())
    rounding = 1e-12 * abs(mean[least])  # equal losses may differ in their last bits
    return int(np.flatnonzero(mean <= mean[least] + standard_errors * standard_error + rounding)[-1])


def _power_of_two(values: NDArray[np.float64]) -> float:
    """Return a power of two near the largest absolute value: dividing by it is exact and prevents overflow."""
    return float(np.ldexp(1.0, np.frexp(np.abs(values).max(initial=0.0))[1]))


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The nested subtrees of weakest-link pruning.

    Attributes
    ----------
    tree : Tree
        The full tree.
    alphas : ndarray
        Complexity parameter at which each subtree begins, ascending; the first is 0.
    risks : ndarray
        Mean loss of each subtree on its training rows.
    collapsed_at : ndarray
        Step at which each node became a leaf or was removed; beyond the last step if never.
    classification : bool
        Whether the loss is the error rate; otherwise the squared error.
    """

    tree: Tree
    alphas: NDArray[np.float64]
    risks: NDArray[np.float64]
    collapsed_at: NDArray[np.int64]
    classification: bool

    @classmethod
    def of(cls, tree: Tree, classification: bool) -> PruningPath:
        """Cut the weakest links until only the root remains."""
        risk = node_risk(tree, classification)
        cutter = _Cutter(tree, risk)
        alphas, risks, step = [0.0], [cutter.below[0]], 0
        collapsed_at = np.full(tree.node_count, np.iinfo(np.int64).max)
        while cutter.leaves[0] > 1:
            alpha, nodes = cutter.cut_weakest()
            if alpha > alphas[-1] + cutter.tolerance:  # links of strength zero are cut in the first subtree
                step += 1
                alphas.append(alpha)
                risks.append(cutter.below[0])
            else:
                risks[-1] = cutter.below[0]
            collapsed_at[nodes] = step
        return cls(tree, np.array(alphas), np.array(risks), collapsed_at, classification)

    def step_of(self, alpha: float) -> int:
        """Return the step whose subtree is optimal at the complexity parameter `alpha`."""
        return int(np.searchsorted(self.alphas, alpha, side="right")) - 1

    @cached_property
    def n_leaves(self) -> NDArray[np.int64]:
        """Number of leaves of each subtree."""
        return np.array([self.leaves_at(step).sum() for step in range(self.alphas.size)], dtype=np.int64)

    def leaves_at(self, step: int) -> NDArray[np.bool_]:
        """Whether each node of the full tree is a leaf of the subtree at a step of the path."""
        parent = self.tree.parent
        ended = self.tree.is_leaf | (self.collapsed_at <= step)
        return np.asarray(ended & ((parent < 0) | (self.collapsed_at[parent] > step)))

    def subtree(self, step: int) -> Tree:
        """Return the subtree at a step of the path."""
        return self.tree.collapse(np.flatnonzero(self.collapsed_at <= step))

    def losses(self, table: Table) -> NDArray[np.float64]:
        """Return the loss of every subtree on every row of a table (steps x rows)."""
        losses = np.empty((self.alphas.size, table.n_rows))
        for step, node in enumerate(self.ends(self.tree.apply(table.X, incomplete=table.incomplete))):
            losses[step] = loss_at(self.tree, node, table)
        return losses

    def ends(self, leaf: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Yield, for each subtree in turn, the node that rows reach whose leaf of the full tree is `leaf`."""
        node, parent = leaf, self.tree.parent
        # A row reaches the highest ancestor of its leaf that is a leaf at this step.
        for step in range(self.alphas.size):
            while True:
                above = parent[node]
                up = (above >= 0) & (self.collapsed_at[above] <= step)
                if not up.any():
                    break
                node = np.where(up, above, node)
            yield node


class _Cutter:
    """Cuts the weakest links of a tree, one level of strength at a time.

    The strength g(t) of an inner node is (risk as a leaf - risk of the leaves below) / (leaves below - 1). A heap
    holds the strengths; stale entries are recognised by the node's version.
    """

    def __init__(self, tree: Tree, risk: NDArray[np.float64]) -> None:
        self.risk: list[float] = risk.tolist()
        self.parent = tree.parent.tolist()
        self.children = [
            range(first, first + count)
            for first, count in zip(tree.first_child.tolist(), tree.n_children.tolist(), strict=True)
        ]
        self.leaves = [1] * tree.node_count
        self.below: list[float] = risk.tolist()
        self.version = [0] * tree.node_count
        self.tolerance = 1e-12 * max(float(risk[0]), np.finfo(float).tiny)
        for node in range(tree.node_count - 1, -1, -1):
            if self.children[node]:
                self.leaves[node] = sum(self.leaves[c] for c in self.children[node])
                self.below[node] = sum(self.below[c] for c in self.children[node])
        self.heap = [(self.strength(n), n, 0) for n in range(tree.node_count) if self.children[n]]
        heapq.heapify(self.heap)

    def strength(self, node: int) -> float:
        return max(0.0, (self.risk[node] - self.below[node]) / (self.leaves[node] - 1))

    def cut_weakest(self) -> tuple[float, list[int]]:
        """Collapse every node of the least strength; return this strength and the nodes."""
        weakest, cut = inf, []
        while self.heap:
            strength, node, version = self.heap[0]
            if version != self.version[node]:
                heapq.heappop(self.heap)
                continue
            if strength > weakest + self.tolerance:
                break
            heapq.heappop(self.heap)
            weakest = min(weakest, strength)
            cut += self.collapse(node)
        return weakest, cut

    def collapse(self, top: int) -> list[int]:
        """Make a node a leaf; return it and the inner nodes below it."""
        inside, stack = [], [top]
        while stack:
            node = stack.pop()
            if self.leaves[node] > 1:
                inside.append(node)
                self.version[node] = -1
                stack.extend(self.children[node])
                if node != top:
                    self.leaves[node] = 1
        fewer, more = self.leaves[top] - 1, self.risk[top] - self.below[top]
        self.leaves[top], self.below[top] = 1, self.risk[top]
        node = self.parent[top]
        while node >= 0:
            self.leaves[node] -= fewer
            self.below[node] += more
            self.version[node] += 1
            heapq.heappush(self.heap, (self.strength(node), node, self.version[node]))
            node = self.parent[node]
        return inside


def node_risk(tree: Tree, classification: bool) -> NDArray[np.float64]:
    """Return the risk R(t) of each node as a leaf: its loss, divided by the total weight.

    For linear leaves it is an estimate of the held-out loss, because on training rows more leaves are always better.
    """
    expected = tree.payload.expected_loss
    if expected is not None:
        return np.asarray(tree.mass * expected / tree.mass[0])
    if classification:
        return np.asarray((tree.mass - tree.value.max(axis=1)) / tree.mass[0])
    return np.asarray(tree.mass * tree.impurity / tree.mass[0])


def loss_at(tree: Tree, node: NDArray[np.int64], table: Table) -> NDArray[np.float64]:
    """Return the loss of each row of a table at the leaf `node`: 1 for an error, or the squared error."""
    if table.classification:
        return np.asarray(tree.payload.labels(node, table.X) != table.y, dtype=np.float64)
    return np.asarray((tree.payload.outputs(node, table.X)[:, 0] - table.y) ** 2)
