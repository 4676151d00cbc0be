"""`Recipe`: search + criterion + limits + pruner. A recipe *is* "CART" or "OC1"."""

from __future__ import annotations

from dataclasses import dataclass

from askew.criterion import Criterion
from askew.grow import Progress, Search, child_seed, grow
from askew.limits import Limits
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

    def fit(self, table: Table, seed: int, threads: int = 1, progress: Progress | None = None) -> Tree:
        """Hold rows out, grow, prune."""

        def grown(rows: Table) -> Tree:
            return grow(rows, self.search, self.criterion, self.limits, seed, threads, progress)

        if self.pruner is None:
            return grown(table)
        lot = child_seed(seed, 0)
        growing, held_out = self.pruner.hold_out(table, lot)
        return self.pruner.prune(grown(growing), growing, held_out, grown, lot)
