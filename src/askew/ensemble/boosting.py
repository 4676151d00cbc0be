"""Second-order gradient boosting: stages of trees, their scores, early stopping, warm start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.ensemble.bins import Bins
from askew.ensemble.distinct_rows import DistinctRows
from askew.ensemble.losses import Loss, Quantile
from askew.grow.grow import child_seed
from askew.model.leaf_values import Constant
from askew.model.packed import PackedTrees, output_entries
from askew.model.tree import Tree
from askew.parallel import Progress


@dataclass(frozen=True)
class BoostingRule:
    """How a tree of a stage is grown.

    Attributes
    ----------
    n_planes : int
        Planes that are tried at a node; 0: cuts of one feature alone.
    max_features : int
        Features of a plane; without planes, features that are tried at a node.
    max_leaves, max_depth, min_samples_leaf : float
        Limits of a tree.
    l2 : float
        Penalty of a leaf's value.
    plane_l2 : float
        Penalty of a plane's weights.
    shrinkage : float
        Factor of a leaf's value (the learning rate).
    """

    n_planes: int
    max_features: int
    max_leaves: float
    max_depth: float
    min_samples_leaf: float
    l2: float
    plane_l2: float
    shrinkage: float


@dataclass(frozen=True)
class Schedule:
    """How many stages there are, and which rows each learns from.

    Attributes
    ----------
    max_iter : int
        Number of stages, at most.
    n_iter_no_change : int
        Stages after which boosting stops, if the loss on the held-out rows has not fallen by `tol`.
    tol : float
        Smallest decrease of that loss.
    subsample : float
        Share of the samples that a stage learns from.
    max_bins : int
        Bins of a feature, at most.
    """

    max_iter: int
    n_iter_no_change: int
    tol: float
    subsample: float
    max_bins: int


@dataclass(eq=False)
class Stages:
    """The stages of a boosting, as far as they have been fitted.

    Attributes
    ----------
    baseline : ndarray
        Constant prediction that the stages add to, one number for each output.
    trees : list of list of Tree
        The trees of each stage, one for each output.
    train_score, validation_score : list of float
        Mean loss after each stage, on the training rows and on the held-out rows; the first without any tree.
    """

    baseline: NDArray[np.float64]
    trees: list[list[Tree]] = field(default_factory=list)
    train_score: list[float] = field(default_factory=list)
    validation_score: list[float] = field(default_factory=list)

    def raw(self, X: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
        """Return the predictions before the link (outputs x rows)."""
        raw = np.repeat(self.baseline[:, None], X.shape[0], axis=1)
        trees = [tree for stage in self.trees for tree in stage]
        if not trees:
            return raw
        sums = PackedTrees.of(trees).sums(output_entries(trees, self.baseline.size), X, threads)
        return raw + sums.T

    def stops(self, schedule: Schedule) -> bool:
        """Whether the loss on the held-out rows has stopped falling."""
        patience, score = schedule.n_iter_no_change, self.validation_score
        if len(score) <= patience:
            return False
        return min(score[-patience:]) > min(score[:-patience]) - schedule.tol


def boost(
    rows: DistinctRows,
    held_out: Table | None,
    loss: Loss,
    rule: BoostingRule,
    schedule: Schedule,
    *,
    monotonic: NDArray[np.int8] | None = None,
    before: Stages | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Stages:
    """Add stages until there are enough, or the loss on the held-out rows stops falling.

    Parameters
    ----------
    rows : DistinctRows
        The training rows.
    held_out : Table or None
        Rows to stop by; None: all stages are added.
    loss, rule, schedule : Loss, BoostingRule, Schedule
        What is minimised, and how.
    monotonic : ndarray or None
        Sign of the effect of each column, 0 for any.
    before : Stages or None
        Stages to go on from (a warm start).
    seed, threads : int
        The trees are the same for every number of threads.
    progress : callable or None
        Called with the share of the stages that are done.

    Returns
    -------
    stages : Stages
        All stages, those of `before` included; `before` is not changed.
    """
    y = rows.table.y.astype(np.float64)
    stages = Stages(loss.baseline(y, rows.table.weight)) if before is None else _copied(before)
    kernel = Bins.of(rows.table.X, rows.table.multiplicity, schedule.max_bins).kernel(rows.table.X, monotonic)
    growth = _StageGrowth(rows, y, loss, rule, schedule.subsample, kernel, stages.raw(rows.table.X, threads), threads)
    held_raw = None if held_out is None else stages.raw(held_out.X, threads)

    def score() -> None:
        stages.train_score.append(loss.mean(y, growth.raw, rows.table.weight))
        if held_out is not None and held_raw is not None:
            stages.validation_score.append(loss.mean(held_out.y.astype(np.float64), held_raw, held_out.weight))

    if before is None:
        score()
    for number in range(len(stages.trees), schedule.max_iter):
        if held_out is not None and stages.stops(schedule):
            break
        _core.check_interrupt()
        stage = growth.next(child_seed(child_seed(seed, 0), number))
        stages.trees.append(stage)
        if held_out is not None and held_raw is not None:
            for output, tree in enumerate(stage):
                held_raw[output] += tree.outputs(held_out.X, threads)[:, 0]
        score()
        if progress is not None:
            progress((number + 1) / schedule.max_iter)
    return stages


def _copied(stages: Stages) -> Stages:
    return Stages(stages.baseline, list(stages.trees), list(stages.train_score), list(stages.validation_score))


@dataclass(eq=False)
class _StageGrowth:
    """Grows the trees of one stage after another; `raw` holds the predictions so far (outputs x rows)."""

    rows: DistinctRows
    y: NDArray[np.float64]
    loss: Loss
    rule: BoostingRule
    subsample: float
    kernel: _core.BinnedTable
    raw: NDArray[np.float64]
    threads: int

    def next(self, seed: int) -> list[Tree]:
        """Grow the trees of one more stage, and add their predictions to `raw`."""
        table = self.rows.table
        gradient, hessian = self.loss.gradients(self.y, self.raw, table.weight)
        drawn = self._sample(seed)
        rule = _core.BoostRule(**vars(self.rule))
        grown, leaf = _core.grow_stage(
            self.kernel, gradient, hessian, drawn, rule, seed=child_seed(seed, 1), threads=self.threads
        )
        return [self._add(output, tree, leaf[output]) for output, tree in enumerate(grown)]

    def _sample(self, seed: int) -> NDArray[np.float64]:
        if self.subsample >= 1:
            return self.rows.table.multiplicity
        seeds = np.array([child_seed(seed, 0)], dtype=np.uint64)
        sampling = _core.Sampling(replace=False, share=self.subsample, balanced=False)
        drawn = _core.draw_samples(self.rows.key, self.rows.table.multiplicity, seeds, sampling, 1)
        return np.asarray(drawn[0])

    def _add(self, output: int, grown: _core.GrownTree, leaf: NDArray[np.int64]) -> Tree:
        """Return the grown tree, and add its predictions to `raw` for all rows, sampled or not."""
        table = self.rows.table
        tree = Tree.from_growth(grown, table.n_features)
        inside = leaf >= 0
        if not inside.all():
            leaf = leaf.copy()
            leaf[~inside] = tree.apply(np.ascontiguousarray(table.X[~inside]), self.threads)
        if isinstance(self.loss, Quantile):  # no second derivative: leaf values are quantiles of the residuals
            residual = self.y[inside] - self.raw[output, inside]
            values = self.loss.leaf_values(leaf[inside], residual, table.weight[inside], tree.node_count)
            values = np.where(tree.is_leaf, self.rule.shrinkage * values, 0.0)
            tree = replace(tree, payload=Constant(values[:, None]))
        self.raw[output] += tree.value[leaf, 0]
        return tree


def staged_sums(
    stages: Sequence[Sequence[Tree]], baseline: NDArray[np.float64], X: NDArray[np.float64], threads: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the predictions after each stage, before the link (outputs x rows)."""
    raw = np.repeat(baseline[:, None], X.shape[0], axis=1)
    for stage in stages:
        for output, tree in enumerate(stage):
            raw[output] += tree.outputs(X, threads)[:, 0]
        yield raw.copy()
