"""Soft refinement: all hyperplanes of a grown tree are fitted together as a soft tree, then made hard again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.limits import Limits
from askew.grow.rows import LocalRows, recounted
from askew.model.edit import rearranged
from askew.model.split import HYPERPLANE, Hyperplane, Split
from askew.model.tree import Tree
from askew.parallel import Progress, part
from askew.parameters import Rule, Strategy, boolean, integer, param, real
from askew.prune.cost_complexity import loss_at

_MOST_EXPONENT = 1000  # of products, so that sums of them are finite
_HUGE = 1e150  # products of larger values overflow
_MARGIN = 2.0  # initial mean distance of a node's rows from its hyperplane, in units of the logistic function

_POSITIVE = Rule(
    "a tuple of positive numbers",
    lambda v: isinstance(v, tuple) and len(v) > 0 and all(isinstance(s, int | float) and s > 0 for s in v),
)


@dataclass(frozen=True)
class SoftRefiner(Strategy):
    """Refine all hyperplanes of a tree at once.

    A row goes to the right child of a node with probability ``1 / (1 + exp(-f))``, where f is its distance from the
    hyperplane, and reaches a leaf with the product of these probabilities along the path. L-BFGS minimises the mean
    negative log-likelihood (for regression the mean squared error) of this soft tree plus a penalty over all
    hyperplanes and leaves together, with increasing sharpness. Then rows are routed by the signs again, the leaves are
    counted again, thresholds are set where the criterion is best, and branches that no row reaches, or that predict the
    same, are removed. The tree is kept only if its training loss has not risen.

    Parameters
    ----------
    l2 : float, default=0.001
        Factor of the squared weights, of columns with deviation 1, in the loss, which is a mean over the rows.
    l1 : float, default=0.0
        Factor of the absolute weights: above 0, weights of little use become zero.
    sharpness : tuple of float, default=(1.0, 2.0, 4.0)
        Factors of the distances, one for each run of L-BFGS.
    max_iter : int, default=100
        Largest number of iterations of each run.
    guarded : bool, default=True
        Return the original tree if the training loss of the refined one is higher. False: always return the refined
        tree, to compare both on held-out rows; a strong penalty may raise the training loss and lower the held-out one.
    keep_zeros : bool, default=False
        Whether weights that are zero remain zero.

    References
    ----------
    Jordan, Jacobs: Hierarchical Mixtures of Experts and the EM Algorithm. Neural Computation 6 (1994).
    Suarez, Lutsko: Globally Optimal Fuzzy Decision Trees for Classification and Regression. IEEE Transactions on
    Pattern Analysis and Machine Intelligence 21 (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from askew import CEDTClassifier
    >>> from askew.refinement.soft import SoftRefiner
    >>> X, y = load_wine(return_X_y=True)
    >>> refined = CEDTClassifier(max_leaf_nodes=3, refinement=SoftRefiner(l2=0.01), random_state=0).fit(X, y)
    >>> refined.get_n_leaves()
    3
    """

    l2: float = param(0.001, real(0.0))
    l1: float = param(0.0, real(0.0))
    sharpness: tuple[float, ...] = param((1.0, 2.0, 4.0), _POSITIVE)
    max_iter: int = param(100, integer(1))
    guarded: bool = param(True, boolean)
    keep_zeros: bool = param(False, boolean)

    def refine(
        self,
        tree: Tree,
        table: Table,
        criterion: Criterion,
        seed: int,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Tree:
        """Return the refined tree, or the original one if its training loss is lower.

        Trees with other splits than hyperplanes, and tables with missing or huge values, are not refined.
        """
        inner = ~tree.is_leaf
        if not inner.any() or not (tree.kind[inner] == HYPERPLANE).all() or table.incomplete:
            return tree
        if np.abs(table.X).max() > _HUGE:
            return tree
        soft = _SoftFit(tree, table, threads)
        planes, leaves = soft.start()
        for turn, sharpness in enumerate(self.sharpness):
            run_progress = None if progress is None else part(progress, turn, len(self.sharpness))
            planes, leaves = self._fit(soft, planes, leaves, sharpness, run_progress)
        rounded = _hardened(soft, planes, table, criterion)
        if not self.guarded:
            return rounded
        candidates = [rounded, _hardened(soft, planes, table, criterion, scan=threads)]
        losses = [training_loss(one, table) for one in candidates]
        best = int(np.argmin(losses))
        return candidates[best] if losses[best] <= training_loss(tree, table) else tree

    def _fit(
        self,
        soft: _SoftFit,
        planes: NDArray[np.float64],
        leaves: NDArray[np.float64],
        sharpness: float,
        progress: Progress | None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Minimise the penalised loss at one sharpness."""
        return _core.soft_fit(
            soft.kernel,
            planes,
            leaves,
            sharpness=sharpness,
            l2=self.l2,
            l1=self.l1,
            keep_zeros=self.keep_zeros,
            max_iter=self.max_iter,
            threads=soft.threads,
            progress=progress,
        )


class _SoftFit:
    """A tree and its training rows for the soft loss: columns with mean 0 and deviation 1."""

    def __init__(self, tree: Tree, table: Table, threads: int) -> None:
        self.tree, self.table, self.threads = tree, table, threads
        self.share = table.weight / table.weight.sum()
        self.shift, self.scale = _core.measure_columns(
            table.target, table.X, table.all_rows, _core.Scaling.standard, threads
        )
        self.inner = np.flatnonzero(~tree.is_leaf)
        self.leaf = np.flatnonzero(tree.is_leaf)
        number = np.empty(tree.node_count, dtype=np.int64)
        number[self.inner] = np.arange(self.inner.size)
        number[self.leaf] = -1 - np.arange(self.leaf.size)
        self.left, self.right = number[tree.first_child[self.inner]], number[tree.first_child[self.inner] + 1]

    def scaled_rows(self) -> NDArray[np.float64]:
        """Return the rows with scaled columns (not cached: the kernel keeps a copy)."""
        usable = self.scale > 0
        X = np.zeros(self.table.X.shape)
        X[:, usable] = (self.table.X[:, usable] - self.shift[usable]) / self.scale[usable]
        return X

    @cached_property
    def y(self) -> NDArray[np.float64]:
        """The target with mean 0 and deviation 1, so that the loss has the same scale for all data."""
        mean, deviation = self.y_scale
        return np.asarray((self.table.y - mean) / deviation)

    @cached_property
    def y_scale(self) -> tuple[float, float]:
        mean = float(self.share @ self.table.y)
        deviation = float(np.sqrt(self.share @ (self.table.y - mean) ** 2))
        return mean, deviation if deviation > 0 else 1.0

    def start(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the hyperplanes of the tree on the scaled columns, and the logits or values of its leaves."""
        planes = np.zeros((self.inner.size, self.table.n_features + 1))
        coef, intercept = self._without_overflow(self.tree.coef, self.tree.intercept)
        planes[:, :-1] = coef * self.scale
        planes[:, -1] = intercept + coef @ self.shift
        planes = np.ldexp(planes, -np.frexp(np.abs(planes).max(axis=1))[1][:, None])  # tiny columns: tiny distances
        value = np.abs(self.scaled_rows() @ planes[:, :-1].T + planes[:, -1])
        here = self.tree.decision_path(self.table.X)[:, self.inner].toarray() * self.share[:, None]
        mean = (value * here).sum(axis=0) / np.maximum(here.sum(axis=0), 1e-300)
        planes *= (_MARGIN / np.where(mean > 1e-300, mean, 1.0))[:, None]
        if not self.table.classification:
            mean_y, deviation = self.y_scale
            return planes, np.ascontiguousarray((self.tree.value[self.leaf] - mean_y) / deviation)
        counts = self.tree.value[self.leaf]
        share = (counts + 1 / counts.shape[1]) / (counts.sum(axis=1, keepdims=True) + 1)  # none is zero
        return planes, np.log(share)

    def _without_overflow(
        self, coef: NDArray[np.float64], intercept: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return hyperplanes divided by a power of two, if their products with the columns would overflow.

        Such weights come from nodes at which a column is tiny that is larger elsewhere.
        """
        column = np.frexp(np.maximum(self.scale, np.abs(self.shift)))[1]
        exponent = np.maximum((np.frexp(coef)[1] + column).max(axis=1), np.frexp(intercept)[1])
        down = np.minimum(_MOST_EXPONENT - exponent, 0)
        return np.ldexp(coef, down[:, None]), np.ldexp(intercept, down)

    @cached_property
    def kernel(self) -> _core.SoftTree:
        """The rows and the shape of the tree, for the compiled core."""
        classes = self.table.classification
        return _core.SoftTree(
            X=self.scaled_rows(),
            label=self.table.y.astype(np.int32, copy=False) if classes else None,
            y=None if classes else self.y,
            weight=self.share,
            left=self.left,
            right=self.right,
            n_outputs=self.tree.n_outputs,
        )

    def splits(self, planes: NDArray[np.float64]) -> list[Split | None]:
        """Return the hyperplanes as splits in the units of the data, by node; None for a leaf."""
        splits: list[Split | None] = [None] * self.tree.node_count
        for node, plane in zip(self.inner.tolist(), planes, strict=True):
            weights = np.divide(plane[:-1], self.scale, out=np.zeros(plane.size - 1), where=self.scale > 0)
            used = np.flatnonzero(weights)
            if used.size:
                threshold = float(weights @ self.shift - plane[-1])
                size = float(np.abs(weights).max())
                splits[node] = Hyperplane(used, weights[used] / size, threshold / size)
        return splits


def _hardened(soft: _SoftFit, planes: NDArray[np.float64], table: Table, criterion: Criterion, scan: int = 0) -> Tree:
    """Return the hard tree of these hyperplanes; with `scan` threads, thresholds are optimised again."""
    tree, splits = soft.tree, soft.splits(planes)
    rows = {0: table.all_rows} if scan else {}
    for node in range(tree.node_count):
        here, split = rows.pop(node, None), splits[node]
        if here is None or here.size == 0 or not isinstance(split, Hyperplane):
            continue
        split = splits[node] = _rescanned(split, here, table, criterion, scan)
        route = split.route(table.X, here)
        first = int(tree.first_child[node])
        rows[first], rows[first + 1] = here[route == 0], here[route == 1]
    return _reduced(tree.with_splits(splits), table, criterion)


def _rescanned(
    split: Hyperplane, rows: NDArray[np.uint32], table: Table, criterion: Criterion, threads: int
) -> Hyperplane:
    """Return the hyperplane with the threshold at which the criterion is best for these rows."""
    node = LocalRows(table, rows, Limits(), threads).kernel
    thresholds, scores = _core.plane_cuts(
        criterion.kernel, node, features=split.features, planes=np.ascontiguousarray(split.weights)[None, :]
    )
    return Hyperplane(split.features, split.weights, float(thresholds[0])) if np.isfinite(scores[0]) else split


def _reduced(tree: Tree, table: Table, criterion: Criterion) -> Tree:
    """Return the tree, counted again, without branches that no row reaches and siblings that predict the same."""
    reached = tree.accumulate(np.bincount(tree.apply(table.X), minlength=tree.node_count))
    now = np.where(tree.is_leaf, -1, np.arange(tree.node_count))
    for node in range(tree.node_count - 1, -1, -1):
        if tree.is_leaf[node]:
            continue
        children = np.arange(2) + tree.first_child[node]
        alive = children[reached[children] > 0]
        if alive.size < 2:
            now[node] = now[alive[0]] if alive.size else -1
    counted = recounted(rearranged(tree, now), table, criterion)
    if not table.classification:
        return counted
    label = counted.value.argmax(axis=1)
    same = counted.is_leaf.copy()
    for node in range(counted.node_count - 1, -1, -1):
        if not counted.is_leaf[node]:
            first = int(counted.first_child[node])
            same[node] = bool(same[first] and same[first + 1] and label[first] == label[first + 1])
    return counted.collapse(np.flatnonzero(same & ~counted.is_leaf))


def training_loss(tree: Tree, table: Table) -> float:
    """Return the loss of a hard tree on the rows: the weight of errors, or the squared error."""
    return float(table.weight @ loss_at(tree, tree.apply(table.X), table))
