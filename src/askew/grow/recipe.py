"""`Recipe`: search + criterion + limits + refiner + pruner + leaves. A recipe *is* "CART" or "OC1"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.grow import Progress, Search, child_seed, grow
from askew.grow.limits import Limits
from askew.model.leaf_values import Linear
from askew.model.linear_leaves import fit_leaf_models
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree
from askew.parallel import part
from askew.parameters import InvalidParameterError
from askew.prune import Pruner
from askew.prune.network import NetworkPruner


class Refiner(Protocol):
    """What improves all splits of a grown tree together."""

    def refine(
        self,
        tree: Tree,
        table: Table,
        criterion: Criterion,
        seed: int,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Tree:
        """Return the refined tree; never worse on the rows of the table than the one that came in."""
        ...


@dataclass(frozen=True)
class Recipe:
    """How a tree is made of a table: grow, refine, fit models, prune.

    Attributes
    ----------
    search, criterion, limits : how the tree is grown
    pruner : what makes it smaller; None to keep all of it
    refiner : what improves all splits of the grown tree together; None to keep them
    leaf_model : what a leaf predicts: "constant" or "linear"
    """

    search: Search
    criterion: Criterion
    limits: Limits
    pruner: Pruner | None = None
    refiner: Refiner | None = None
    leaf_model: str = "constant"

    def fit(self, table: Table, seed: int, threads: int = 1, progress: Progress | None = None) -> Tree | RuleNetwork:
        """Hold rows out, grow, refine, prune."""
        if self.leaf_model != "constant" and isinstance(self.pruner, NetworkPruner):
            raise InvalidParameterError(
                f"The 'leaf_model' parameter must be 'constant' with {type(self.pruner).__name__}, whose regions "
                f"predict a class. Got {self.leaf_model!r} instead."
            )
        regrow = Regrowth(self, seed, threads, progress)
        if self.pruner is None:
            return regrow(table)
        held_out_seed = child_seed(seed, 0)
        growing, held_out = self.pruner.hold_out(table, held_out_seed)
        grown = regrow.part(0, 1 + getattr(self.pruner, "n_regrown", 0))(growing)
        pruned = self.pruner.prune(grown, growing, held_out, regrow, held_out_seed)
        return self.with_models(pruned, growing, threads)

    def with_models(self, tree: Tree | RuleNetwork, table: Table, threads: int = 1) -> Tree | RuleNetwork:
        """Return the tree with linear models at its nodes, if its leaves are to have them and have none."""
        if self.leaf_model == "constant" or not isinstance(tree, Tree) or isinstance(tree.payload, Linear):
            return tree
        return fit_leaf_models(tree, table, threads)


@dataclass(frozen=True)
class Regrowth:
    """Grows a tree by a recipe, refines it, and fits its leaves, on any rows."""

    recipe: Recipe
    seed: int
    threads: int
    progress: Progress | None

    @property
    def criterion(self) -> Criterion:
        """The criterion of the recipe."""
        return self.recipe.criterion

    def part(self, i: int, n: int) -> Regrowth:
        """Return the same, for the i-th of n trees: its progress is that part of the whole."""
        return self if self.progress is None else replace(self, progress=part(self.progress, i, n))

    def __call__(self, table: Table) -> Tree:
        """Grow a tree on these rows, refine it, and fit its leaves."""
        recipe = self.recipe
        growing, refining = (self, self) if recipe.refiner is None else (self.part(0, 2), self.part(1, 2))
        tree = grow(table, recipe.search, recipe.criterion, recipe.limits, self.seed, self.threads, growing.progress)
        if recipe.refiner is not None:
            tree = recipe.refiner.refine(tree, table, recipe.criterion, self.seed, self.threads, refining.progress)
        return tree if recipe.leaf_model == "constant" else fit_leaf_models(tree, table, self.threads)
