"""Growth of a forest: a compiled call for all trees (core/ensemble/forest_growth.hpp), or any search, tree by tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.ensemble.distinct_rows import DistinctRows
from askew.grow.criterion import as_criterion
from askew.grow.grow import Search, child_seed, grow
from askew.grow.limits import Limits
from askew.model.packed import PackedTrees
from askew.model.tree import Tree
from askew.parallel import Progress, in_threads

NATIVE = ("newton", "projection", "axis")  # the splits of the compiled growth


@dataclass(frozen=True)
class Sampling:
    """The sample of each tree.

    Attributes
    ----------
    bootstrap : bool
        Whether rows are drawn with replacement.
    share : float
        Share of the samples that are drawn.
    balanced : bool
        Whether all classes of a sample have the same weight.
    """

    bootstrap: bool
    share: float
    balanced: bool = False

    def draw(self, rows: DistinctRows, seeds: NDArray[np.uint64], threads: int) -> NDArray[np.float64]:
        """Return how often each row is drawn for the tree of each seed (trees x rows)."""
        return _core.draw_samples(rows.key, rows.table.multiplicity, seeds, self.kernel, threads)

    @property
    def kernel(self) -> _core.Sampling:
        """The sampling as the core takes it."""
        return _core.Sampling(replace=self.bootstrap, share=self.share, balanced=self.balanced)


@dataclass(frozen=True)
class ForestGrowth:
    """How the trees of a forest are grown.

    Attributes
    ----------
    split : "newton", "projection", "axis" or Search
        How nodes are split.
    criterion : str or object
        Name of the criterion; for a search, any argument of `askew.grow.criterion.as_criterion`.
    limits : Limits
        Limits of each tree.
    sampling : Sampling
        The sample of each tree.
    max_features : int
        Number of features in a random subset.
    n_draws : int
        Number of random subsets of features at a node.
    l2 : float
        Penalty of the Newton step.
    min_weight_fraction : float, default=0.0
        Least share of the weight of a tree's sample in each child.
    """

    split: str | Search
    criterion: object
    limits: Limits
    sampling: Sampling
    max_features: int
    n_draws: int
    l2: float
    min_weight_fraction: float = 0.0

    def grow(
        self, rows: DistinctRows, seeds: NDArray[np.uint64], threads: int, progress: Progress | None = None
    ) -> list[Tree]:
        """Grow a tree for each seed; the same trees for every number of threads."""
        if isinstance(self.split, str):
            return self._grow_native(self.split, rows, seeds, threads, progress)
        return self._grow_by_search(self.split, rows, seeds, threads, progress)

    def _grow_native(
        self, split: str, rows: DistinctRows, seeds: NDArray[np.uint64], threads: int, progress: Progress | None
    ) -> list[Tree]:
        table = rows.table
        rule = _core.ForestRule(
            split=_core.ForestSplit[split],
            max_features=self.max_features,
            n_draws=self.n_draws,
            l2=self.l2,
            max_depth=self.limits.max_depth,
            min_samples_split=self.limits.min_samples_split,
            min_samples_leaf=self.limits.min_samples_leaf,
            min_weight_fraction=self.min_weight_fraction,
        )
        grown = _core.grow_forest(
            _core.ForestTable(target=table.target, X=table.X, key=rows.key),
            seeds,
            criterion=_core.Criterion.named(str(self.criterion)),
            rule=rule,
            sampling=self.sampling.kernel,
            threads=threads,
            progress=progress,
        )
        return [Tree.from_growth(tree, table.n_features) for tree in grown]

    def _grow_by_search(
        self, search: Search, rows: DistinctRows, seeds: NDArray[np.uint64], threads: int, progress: Progress | None
    ) -> list[Tree]:
        criterion = as_criterion(self.criterion, classification=rows.table.classification)
        done = np.zeros(seeds.size)

        def grow_tree(number: int) -> Tree:
            report = tree_progress(done, number, progress)
            drawn = self.sampling.draw(rows, seeds[number : number + 1], 1)[0]
            table = rows.table
            sample = replace(table, weight=table.weight * drawn / table.multiplicity, multiplicity=drawn)
            sample = sample.take(drawn > 0)
            if self.sampling.balanced:
                mass = np.bincount(sample.y, sample.weight, minlength=table.n_classes)
                factor = mass.sum() / (np.count_nonzero(mass) * np.where(mass > 0, mass, 1.0))
                sample = replace(sample, weight=sample.weight * factor[sample.y])
            least = self.min_weight_fraction * float(sample.weight.sum()) * (1 - 1e-9)
            limits = replace(self.limits, min_weight_leaf=least)
            return grow(sample, search, criterion, limits, child_seed(int(seeds[number]), 1), 1, report)

        return in_threads(grow_tree, seeds.size, threads)


def tree_progress(done: NDArray[np.float64], number: int, progress: Progress | None) -> Progress:
    """Return the progress callback of one tree of many (`done`: share of each), which also checks for interrupts."""

    def report(part: float) -> None:
        _core.check_interrupt()
        done[number] = part
        if progress is not None:
            progress(float(done.mean()))

    return report


def out_of_bag_sums(
    packed: PackedTrees,
    entry: NDArray[np.float64],
    X: NDArray[np.float64],
    drawn: NDArray[np.float64],
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sum the predictions of the trees for which each row is out of bag.

    Parameters
    ----------
    packed : PackedTrees
        The trees.
    entry : ndarray
        Prediction of each node (nodes x columns).
    X : ndarray
        The training rows.
    drawn : ndarray
        How often each row was drawn for each tree (trees x rows).
    threads : int
        Number of threads; the sums do not depend on it.

    Returns
    -------
    sums : ndarray
        Sum of the predictions (rows x columns).
    n_trees : ndarray
        Number of trees for which each row is out of bag.
    """
    out = np.ascontiguousarray(drawn.T == 0)
    return _core.sum_packed(packed.kernel, entry, X, threads, counted=out), out.sum(axis=1)
