"""`Recipe`: search + criterion + limits + refiner + pruner + leaves. A recipe *is* "CART" or "OC1"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.grow import Search, child_seed, grow
from askew.grow.limits import Limits
from askew.model.linear_leaves import fit_leaf_models
from askew.model.one_vs_rest import OneVsRest
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree
from askew.parallel import Progress, part
from askew.parameters import InvalidParameterError


class Refiner(Protocol):
    """Improves all splits of a grown tree together."""

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


@runtime_checkable
class Pruner(Protocol):
    """Makes a grown tree smaller.

    Two more attributes are optional: `n_regrown`, the number of other trees that it grows, for the progress; and
    `constant_leaves`, True if it makes regions that cannot have linear models.
    """

    def hold_out(self, table: Table, seed: int) -> tuple[Table, Table | None]:
        """Divide the rows into those to grow on and those to prune with (None: all are grown on)."""
        ...

    def prune(
        self, tree: Tree, grown_on: Table, held_out: Table | None, regrow: Regrowth, seed: int
    ) -> Tree | RuleNetwork:
        """Return the pruned tree, or the model that replaces it; `regrow` grows another one on other rows."""
        ...


class TreeGrower(Protocol):
    """Grows trees: a recipe, or a selection among several."""

    @property
    def criterion(self) -> Criterion:
        """Scores splits."""
        ...

    def grow(self, table: Table, seed: int, threads: int = 1, progress: Progress | None = None) -> Tree:
        """Grow a tree that is not pruned yet."""
        ...


@dataclass(frozen=True)
class Recipe:
    """The steps that make a tree from a table: grow, refine, fit models, prune.

    Attributes
    ----------
    search : Search
        Finds the split of a node.
    criterion : Criterion
        Scores splits.
    limits : Limits
        When a node becomes a leaf.
    pruner : Pruner or None
        Makes the tree smaller; None keeps all of it.
    refiner : Refiner or None
        Improves all splits of the grown tree together; None keeps them.
    leaf_model : str
        Model of a leaf: "constant" or "linear".
    """

    search: Search
    criterion: Criterion
    limits: Limits
    pruner: Pruner | None = None
    refiner: Refiner | None = None
    leaf_model: str = "constant"

    def fit(
        self, table: Table, seed: int, threads: int = 1, progress: Progress | None = None
    ) -> Tree | RuleNetwork | OneVsRest:
        """Hold rows out, grow, refine, prune."""
        return self._fit_one(table, seed, threads, progress)

    def _fit_one(self, table: Table, seed: int, threads: int, progress: Progress | None) -> Tree | RuleNetwork:
        if self.leaf_model != "constant" and getattr(self.pruner, "constant_leaves", False):
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

    def grow(self, table: Table, seed: int, threads: int = 1, progress: Progress | None = None) -> Tree:
        """Grow a tree, refine it, and fit its leaves."""
        growing = refining = progress
        if self.refiner is not None and progress is not None:
            growing, refining = part(progress, 0, 2), part(progress, 1, 2)
        tree = grow(table, self.search, self.criterion, self.limits, seed, threads, growing)
        if self.refiner is not None:
            tree = self.refiner.refine(tree, table, self.criterion, seed, threads, refining)
        return tree if self.leaf_model == "constant" else fit_leaf_models(tree, table, threads)

    def with_models(self, tree: Tree | RuleNetwork, table: Table, threads: int = 1) -> Tree | RuleNetwork:
        """Return the tree with linear models at its nodes, if its leaves are to have them and have none."""
        if self.leaf_model == "constant" or not isinstance(tree, Tree) or tree.payload.varies:
            return tree
        return fit_leaf_models(tree, table, threads)


@dataclass(frozen=True)
class OneVsRestRecipe(Recipe):
    """Makes a tree for each class of a table against the rest."""

    def fit(self, table: Table, seed: int, threads: int = 1, progress: Progress | None = None) -> OneVsRest:
        """Return the trees of all classes; every tree has a different seed."""
        trees = []
        for k in range(table.n_classes):
            against_rest = replace(table, y=(table.y == k).astype(np.int32), n_classes=2)
            class_progress = None if progress is None else part(progress, k, table.n_classes)
            trees.append(self._fit_one(against_rest, child_seed(seed, k), threads, class_progress))
        return OneVsRest(tuple(trees))


@dataclass(frozen=True)
class Regrowth:
    """Grows a tree as another one was grown, on any rows.

    Attributes
    ----------
    recipe : TreeGrower
        How the tree is grown.
    seed : int
        Seed of the root.
    threads : int
        Number of threads that may be used.
    progress : function or None
        Called with the share of the work that is done; None if no progress is shown.
    """

    recipe: TreeGrower
    seed: int
    threads: int
    progress: Progress | None

    @property
    def criterion(self) -> Criterion:
        """The criterion of the recipe."""
        return self.recipe.criterion

    def part(self, i: int, n: int) -> Regrowth:
        """Return the same, for the i-th of n trees: its progress is 1/n of the total."""
        return self if self.progress is None else replace(self, progress=part(self.progress, i, n))

    def __call__(self, table: Table) -> Tree:
        """Grow a tree on these rows."""
        return self.recipe.grow(table, self.seed, self.threads, self.progress)
