"""Second-order gradient boosting: stages, their trees and scores, early stopping, warm start."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.ensemble.bins import Bins
from askew.ensemble.distinct_rows import DistinctRows
from askew.ensemble.losses import Loss, Quantile
from askew.grow.grow import Progress, child_seed
from askew.model.leaf_values import Constant
from askew.model.tree import Tree

if TYPE_CHECKING:
    from askew.estimators.boosting import Boosting


@dataclass(frozen=True)
class BoostingRule:
    """How a tree of a stage is grown.

    Attributes
    ----------
    n_planes : planes that are tried at a node; 0: cuts of one feature alone
    max_features : features of a plane; without planes, features that are tried at a node
    max_leaves, max_depth, min_samples_leaf : limits of a tree
    l2 : penalty of a leaf's value
    plane_l2 : penalty of a plane's weights
    shrinkage : what a leaf's value is multiplied by
    """

    n_planes: int
    max_features: int
    max_leaves: float
    max_depth: float
    min_samples_leaf: float
    l2: float
    plane_l2: float
    shrinkage: float


@dataclass(eq=False)
class Stages:
    """The stages of one boosting, as far as they have come.

    Attributes
    ----------
    rows : what is learnt from
    loss, rule : what is minimised, and how
    kernel : the rows as the compiled growth takes them
    raw : what is predicted for each row so far (outputs x rows)
    """

    rows: DistinctRows
    loss: Loss
    rule: BoostingRule
    kernel: _core.BinnedTable
    raw: NDArray[np.float64]
    subsample: float = 1.0
    threads: int = 1
    y: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.y = self.rows.table.y.astype(np.float64)

    @classmethod
    def start(
        cls,
        rows: DistinctRows,
        loss: Loss,
        rule: BoostingRule,
        raw: NDArray[np.float64],
        *,
        max_bins: int,
        monotonic: NDArray[np.int8] | None,
        subsample: float,
        threads: int,
    ) -> Stages:
        """Begin, or go on, from predictions."""
        bins = Bins.of(rows.table.X, rows.table.multiplicity, max_bins)
        return cls(rows, loss, rule, bins.kernel(rows.table.X, monotonic), raw.copy(), subsample, threads)

    def next(self, seed: int) -> list[Tree]:
        """Grow the trees of one more stage, and add what they predict."""
        table = self.rows.table
        gradient, hessian = self.loss.gradients(self.y, self.raw, table.weight)
        drawn = self._sample(seed)
        grown, leaf = _core.grow_stage(
            self.kernel,
            gradient,
            hessian,
            drawn,
            n_planes=self.rule.n_planes,
            max_features=self.rule.max_features,
            max_leaves=self.rule.max_leaves,
            max_depth=self.rule.max_depth,
            min_samples_leaf=self.rule.min_samples_leaf,
            l2=self.rule.l2,
            plane_l2=self.rule.plane_l2,
            shrinkage=self.rule.shrinkage,
            seed=child_seed(seed, 1),
            threads=self.threads,
        )
        return [self._add(output, tree, leaf[output]) for output, tree in enumerate(grown)]

    def _sample(self, seed: int) -> NDArray[np.float64]:
        if self.subsample >= 1:
            return self.rows.table.multiplicity
        seeds = np.array([child_seed(seed, 0)], dtype=np.uint64)
        drawn = _core.draw_samples(
            self.rows.key, self.rows.table.multiplicity, seeds, replace=False, share=self.subsample, threads=1
        )
        return np.asarray(drawn[0])

    def _add(self, output: int, grown: _core.GrownTree, leaf: NDArray[np.int64]) -> Tree:
        """Freeze a tree, and add what it predicts to every row, also those that it was not grown on."""
        table = self.rows.table
        tree = Tree.from_growth(grown, table.n_features)
        inside = leaf >= 0
        if not inside.all():
            leaf = leaf.copy()
            leaf[~inside] = tree.apply(np.ascontiguousarray(table.X[~inside]), self.threads)
        if isinstance(self.loss, Quantile):  # no second derivative: the values of leaves are found anew
            left = self.y[inside] - self.raw[output, inside]
            values = self.loss.leaf_values(leaf[inside], left, table.weight[inside], tree.node_count)
            values = np.where(tree.is_leaf, self.rule.shrinkage * values, 0.0)
            tree = replace(tree, payload=Constant(values[:, None]))
        self.raw[output] += tree.value[leaf, 0]
        return tree


def staged_sums(trees: list[list[Tree]], baseline: NDArray[np.float64], X: NDArray[np.float64], threads: int) -> Any:
    """Yield what is predicted after each stage, before the link (outputs x rows)."""
    raw = np.repeat(baseline[:, None], X.shape[0], axis=1)
    for stage in trees:
        for output, tree in enumerate(stage):
            raw[output] += tree.outputs(X, threads)[:, 0]
        yield raw.copy()


class StagedFit:
    """One run of `Boosting.fit`."""

    def __init__(self, model: Boosting, loss: Loss, rows: DistinctRows, held_out: Table | None) -> None:
        self.model, self.loss, self.rows, self.held_out = model, loss, rows, held_out
        self.trees: list[list[Tree]] = []
        self.train_score: list[float] = []
        self.validation_score: list[float] = []

    def begin(self, before: Boosting | None, monotonic: NDArray[np.int8] | None) -> None:
        """Start from a constant, or go on from the stages that are there."""
        table, model = self.rows.table, self.model
        y = table.y.astype(np.float64)
        if before is None:
            self.baseline = self.loss.baseline(y, table.weight)
        else:
            if before.n_iter_ > model.max_iter:
                raise ValueError(
                    f"max_iter={model.max_iter} must be at least {before.n_iter_}, the number of stages that are "
                    "there, when warm_start is True"
                )
            self.baseline, self.trees = before.baseline_, before._stages()
            self.train_score, self.validation_score = before.train_score_.tolist(), before.validation_score_.tolist()
        self.stages = Stages.start(
            self.rows,
            self.loss,
            model._rule(table),
            self._raw(table.X, before),
            max_bins=int(model.max_bins),
            monotonic=monotonic,
            subsample=float(model.subsample),
            threads=model._threads(),
        )
        if self.held_out is not None:
            self.held_raw = self._raw(self.held_out.X, before)
        if before is None:
            self._score()

    def _raw(self, X: NDArray[np.float64], before: Boosting | None) -> NDArray[np.float64]:
        raw = np.repeat(self.baseline[:, None], X.shape[0], axis=1)
        return raw if before is None else raw + before._sums(X).T

    def run(self, seed: int, progress: Progress | None) -> None:
        """Add stages until there are enough, or the loss on the rows held out does not fall."""
        for number in range(len(self.trees), self.model.max_iter):
            if self._stops():
                return
            _core.check_interrupt()
            stage = self.stages.next(child_seed(child_seed(seed, 0), number))
            self.trees.append(stage)
            if self.held_out is not None:
                for output, tree in enumerate(stage):
                    self.held_raw[output] += tree.outputs(self.held_out.X, self.model._threads())[:, 0]
            self._score()
            if progress is not None:
                progress((number + 1) / self.model.max_iter)

    def _score(self) -> None:
        self.train_score.append(self.loss.mean(self.stages.y, self.stages.raw, self.rows.table.weight))
        if self.held_out is not None:
            y = self.held_out.y.astype(np.float64)
            self.validation_score.append(self.loss.mean(y, self.held_raw, self.held_out.weight))

    def _stops(self) -> bool:
        patience, score = int(self.model.n_iter_no_change), self.validation_score
        if self.held_out is None or len(score) <= patience:
            return False
        return min(score[-patience:]) > min(score[:-patience]) - self.model.tol
