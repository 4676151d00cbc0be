"""Stages of second-order gradient boosting: gradients, a tree for each output, what it adds to the predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.ensemble.bins import Bins
from askew.ensemble.losses import Loss, Quantile
from askew.ensemble.planes import tree_of
from askew.ensemble.rows import DistinctRows
from askew.grow import child_seed
from askew.tree import Tree


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
        return [self._add(output, arrays, leaf[output]) for output, arrays in enumerate(grown)]

    def _sample(self, seed: int) -> NDArray[np.float64]:
        if self.subsample >= 1:
            return self.rows.table.multiplicity
        seeds = np.array([child_seed(seed, 0)], dtype=np.uint64)
        drawn = _core.draw_samples(
            self.rows.key, self.rows.table.multiplicity, seeds, replace=False, share=self.subsample, threads=1
        )
        return np.asarray(drawn[0])

    def _add(self, output: int, arrays: dict[str, Any], leaf: NDArray[np.int64]) -> Tree:
        """Freeze a tree, and add what it predicts to every row, also those that it was not grown on."""
        table = self.rows.table
        tree = tree_of(arrays, table.n_features)
        inside = leaf >= 0
        if not inside.all():
            leaf = leaf.copy()
            leaf[~inside] = tree.apply(np.ascontiguousarray(table.X[~inside]), self.threads)
        if isinstance(self.loss, Quantile):  # no second derivative: the values of leaves are found anew
            left = self.y[inside] - self.raw[output, inside]
            values = self.loss.leaf_values(leaf[inside], left, table.weight[inside], tree.node_count)
            values = np.where(tree.is_leaf, self.rule.shrinkage * values, 0.0)
            tree = tree_of({**arrays, "value": values[:, None]}, table.n_features)
        self.raw[output] += tree.value[leaf, 0]
        return tree


def staged_sums(trees: list[list[Tree]], baseline: NDArray[np.float64], X: NDArray[np.float64], threads: int) -> Any:
    """Yield what is predicted after each stage, before the link (outputs x rows)."""
    raw = np.repeat(baseline[:, None], X.shape[0], axis=1)
    for stage in trees:
        for output, tree in enumerate(stage):
            raw[output] += tree.outputs(X, threads)[:, 0]
        yield raw.copy()
