"""`Recipe`: search + criterion + limits + pruner. A recipe *is* "CART" or "OC1"."""

from __future__ import annotations

from dataclasses import dataclass

from askew.criterion import Criterion
from askew.grow import Progress, Search, child_seed, grow
from askew.limits import Limits
from askew.network import RuleNetwork
from askew.prune import Pruner
from askew.table import Table
from askew.tree import Tree


@dataclass(frozen=True)
class Recipe:
    """How a tree is made of a table."""

    search: Search
    criterion: Criterion
    limits: Limits
    pruner: Pruner | None

    def fit(self, table: Table, seed: int, threads: int = 1, progress: Progress | None = None) -> Tree | RuleNetwork:
        """Hold rows out, grow, prune."""
        regrow = Regrowth(self, seed, threads, progress)
        if self.pruner is None:
            return regrow(table)
        lot = child_seed(seed, 0)
        growing, held_out = self.pruner.hold_out(table, lot)
        return self.pruner.prune(regrow(growing), growing, held_out, regrow, lot)


@dataclass(frozen=True)
class Regrowth:
    """Grows a tree by a recipe, on any rows."""

    recipe: Recipe
    seed: int
    threads: int
    progress: Progress | None

    @property
    def criterion(self) -> Criterion:
        """The criterion of the recipe."""
        return self.recipe.criterion

    def __call__(self, table: Table) -> Tree:
        """Grow a tree on these rows."""
        recipe = self.recipe
        return grow(table, recipe.search, recipe.criterion, recipe.limits, self.seed, self.threads, self.progress)
