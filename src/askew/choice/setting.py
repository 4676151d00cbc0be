"""A recipe and a size, and how it is fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askew.choice.candidate import Candidate
from askew.choice.columns import narrowed, renumbered
from askew.criterion import Criterion
from askew.grow import Progress, grow
from askew.leaf_models import fit_leaf_models
from askew.limits import Limits
from askew.network import RuleNetwork
from askew.payload import Linear
from askew.prune.cost_complexity import PruningPath
from askew.refinement.soft import SoftRefiner
from askew.table import Table
from askew.tree import Tree

_ITERATIONS = 50  # at each sharpness: more are no better on held-out rows


@dataclass(frozen=True)
class Growth:
    """What all trees of a race share.

    Attributes
    ----------
    criterion, limits, seed : how trees are grown
    asked : the limits that a refined tree keeps to as well
    keep_zeros : whether a refined plane tests no other features than it was grown with
    """

    criterion: Criterion
    limits: Limits
    asked: Limits
    seed: int
    keep_zeros: bool = False

    def path(
        self, candidate: Candidate, table: Table, threads: int = 1, progress: Progress | None = None
    ) -> PruningPath:
        """Grow a candidate on a table, and return all sizes of its tree."""
        table = narrowed(table, candidate.columns)
        tree = grow(table, candidate.search, self.criterion, self.limits, self.seed, threads, progress)
        if candidate.leaf_model == "linear":
            tree = fit_leaf_models(tree, table, threads)
        return PruningPath.of(tree, table.classification)

    def allows(self, tree: Tree) -> bool:
        """Whether the leaves of a tree have as many samples, and as much weight, as the limits ask for."""
        leaf = tree.is_leaf
        enough = tree.n_samples[leaf].min() >= self.asked.min_samples_leaf
        return tree.n_leaves == 1 or bool(enough and tree.mass[leaf].min() >= self.asked.min_weight_leaf)


@dataclass(frozen=True)
class Setting:
    """A recipe and a size: a candidate, pruned to at most so many leaves, and refined with a penalty, or not."""

    candidate: Candidate
    max_leaves: int
    penalty: float | None = None

    @property
    def name(self) -> str:
        """The recipe, in words."""
        return self.candidate.name + ("" if self.penalty is None else f", refined (l2 = {self.penalty:g})")

    def fit(self, table: Table, growth: Growth, threads: int = 1, progress: Progress | None = None) -> Tree:
        """Grow on a table, prune to the size, refine."""
        return self.finished(growth.path(self.candidate, table, threads, progress), table, growth, threads)

    def finished(self, path: PruningPath, table: Table, growth: Growth, threads: int = 1) -> Tree:
        """Return the tree of this size, refined, unless the limits forbid what comes of that; it tests all columns."""
        columns = self.candidate.columns
        tree = self._refined(subtree_of(path, self.max_leaves), narrowed(table, columns), growth, threads)
        return tree if columns is None else renumbered(tree, np.array(columns, dtype=np.int64), table.n_features)

    def _refined(self, kept: Tree, table: Table, growth: Growth, threads: int) -> Tree:
        refiner = self.candidate.finish
        if self.penalty is not None:
            l2 = self.penalty / float(table.multiplicity.sum())
            refiner = SoftRefiner(l2=l2, max_iter=_ITERATIONS, guarded=False, keep_zeros=growth.keep_zeros)
        if refiner is None:
            return kept
        found = refiner.refine(kept, table, growth.criterion, growth.seed, threads)
        return found if growth.allows(found) else kept


def subtree_of(path: PruningPath, size: int) -> Tree:
    """Return the largest subtree of a path with at most so many leaves."""
    return path.subtree(int(np.argmax(path.n_leaves <= size)))


def terms_of(tree: Tree | RuleNetwork) -> int:
    """Return the number of weights that are not zero, of the nodes and of linear leaves."""
    models = tree.payload
    if not isinstance(models, Linear) or not isinstance(tree, Tree):
        return int(tree.weight.size)
    return int(tree.weight.size + np.diff(models.model_start)[tree.is_leaf].sum())
