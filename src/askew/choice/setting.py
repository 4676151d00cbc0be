"""A recipe and a size, and how it is fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askew.choice.candidate import Candidate
from askew.criterion import Criterion
from askew.grow import Progress, grow
from askew.limits import Limits
from askew.prune.cost_complexity import PruningPath
from askew.refinement.soft import SoftRefiner
from askew.table import Table
from askew.tree import Tree


@dataclass(frozen=True)
class Growth:
    """What all trees of a race share."""

    criterion: Criterion
    limits: Limits
    seed: int

    def path(self, candidate: Candidate, table: Table, threads: int, progress: Progress | None = None) -> PruningPath:
        """Grow a candidate on a table, and return all sizes of its tree."""
        tree = grow(table, candidate.search, self.criterion, self.limits, self.seed, threads, progress)
        return PruningPath.of(tree, table.classification)


@dataclass(frozen=True)
class Setting:
    """A recipe and a size: a candidate, pruned to at most so many leaves, and refined or not."""

    candidate: Candidate
    max_leaves: int
    refiner: SoftRefiner | None = None

    @property
    def name(self) -> str:
        """The recipe, in words."""
        return self.candidate.name + ("" if self.refiner is None else f", refined (l2 = {self.refiner.l2:g})")

    def fit(self, table: Table, growth: Growth, threads: int = 1, progress: Progress | None = None) -> Tree:
        """Grow on a table, prune to the size, refine."""
        kept = subtree_of(growth.path(self.candidate, table, threads, progress), self.max_leaves)
        return self.refined(kept, table, growth, threads, progress)

    def refined(
        self, kept: Tree, table: Table, growth: Growth, threads: int = 1, progress: Progress | None = None
    ) -> Tree:
        """Refine a tree, unless the limits forbid what comes of it."""
        if self.refiner is None:
            return kept
        found = self.refiner.refine(kept, table, growth.criterion, growth.seed, threads, progress)
        leaf, limits = found.is_leaf, growth.limits
        small = found.n_samples[leaf].min() < limits.min_samples_leaf or found.mass[leaf].min() < limits.min_weight_leaf
        return kept if small and found.n_leaves > 1 else found


def subtree_of(path: PruningPath, size: int) -> Tree:
    """Return the largest subtree of a path with at most so many leaves."""
    return path.subtree(int(np.argmax(path.n_leaves <= size)))
