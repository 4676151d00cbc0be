"""What LA and GA pruning share: one network for each class, and from what its units select to regions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.grow.grow import child_seed
from askew.grow.recipe import Regrowth
from askew.model.leaf_values import Constant
from askew.model.rule_network import RuleNetwork, distinct_splits
from askew.model.tree import Tree
from askew.parallel import Progress, part
from askew.parameters import Strategy, boolean, integer, param
from askew.prune.cells import Cells
from askew.prune.climb import climbed


@dataclass(frozen=True)
class NetworkPruner(Strategy):
    """Keeps the splits of a tree and learns which of them bound the regions of each class.

    Two classes have one network, for the second of them; the first is the complement. With more than two classes, each
    has one, and the regions of all are put in order: first the one in which its class has the largest share of the rows
    that no earlier region holds (of equal shares, the heavier; then the first class). A row belongs to the first region
    that holds it, so that a row that several classes claim goes to the purest region; what no region holds goes to the
    class that most of these rows have. A region in which its class has no majority is left out.
    """

    n_units: int = param(4, integer(1))
    reduce: bool = param(True, boolean)
    climb: bool = param(False, boolean)

    n_regrown: ClassVar[int] = 1  # none; but it takes about as long as to grow the tree
    constant_leaves: ClassVar[bool] = True

    @abstractmethod
    def _learn(
        self,
        cells: Cells,
        label: int,
        start: NDArray[np.bool_],
        seed: int,
        threads: int,
        progress: Progress | None,
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return the units of a class (units x conditions), and the share of wrong answers as it was learnt."""

    def hold_out(self, table: Table, seed: int) -> tuple[Table, Table | None]:
        """Grow and prune on all rows, as the paper does."""
        if not table.classification:
            raise ValueError(f"{type(self).__name__} prunes classifiers only; use pruning='cost_complexity'")
        return table, None

    def prune(
        self, tree: Tree, grown_on: Table, held_out: Table | None, regrow: Regrowth | None, seed: int
    ) -> RuleNetwork:
        """Return the network; learnt from the rows that were held out, if there are any."""
        table = grown_on if held_out is None else held_out
        self.hold_out(table, seed)
        if not isinstance(tree, Tree):
            raise TypeError(f"{type(self).__name__} prunes a tree. Got {tree!r} instead.")
        if np.isnan(table.X).any():
            raise ValueError(
                f"{type(self).__name__} cannot send rows with missing values down in parts: use missing='mean'"
            )
        if tree.payload.varies:
            raise ValueError(f"{type(self).__name__} makes regions that predict a class: use leaf_model='constant'")
        threads = 1 if regrow is None else regrow.threads
        progress = None if regrow is None else regrow.part(self.n_regrown, 1 + self.n_regrown).progress
        cells = Cells.of(tree, table)
        labels = [1] if table.n_classes == 2 else list(range(table.n_classes))
        units, owners, curves = [], [], []
        for i, label in enumerate(labels):
            start = cells.starting_units(label, self.n_units)
            if start.size == 0:  # the tree never predicts this class, or has no split
                curves.append(np.empty(0))
                continue
            report = None if progress is None else part(progress, i, len(labels))
            learnt, curve = self._learn(cells, label, start, child_seed(seed, label), threads, report)
            units += list(climbed(cells, label, learnt, threads) if self.climb else learnt)
            owners += [label] * len(learnt)
            curves.append(curve)
        return _network(cells, units, owners, curves, self.reduce)


def _network(
    cells: Cells, units: list[NDArray[np.bool_]], owners: list[int], curves: list[NDArray[np.float64]], reduce: bool
) -> RuleNetwork:
    order, left = _in_order(cells, units, owners)
    if reduce:  # the last regions before "otherwise" say nothing if they say the same
        while order and _agrees(owners[order[-1][0]], cells.weight[left].sum(axis=0)):
            left = left | order.pop()[1]
        _leave_out(cells, [units[u] for u, _ in order])
    held = [cells_held for _, cells_held in order] + [left]
    value = np.array([cells.weight[h].sum(axis=0) for h in held])
    if not value[-1].any():  # no row is left for "otherwise"
        value[-1] = cells.weight.sum(axis=0)
    conditions = [np.flatnonzero(units[u]).tolist() for u, _ in order] + [[]]
    used = sorted({int(cells.condition[c, 0]) for region in conditions for c in region})
    number = {split: i for i, split in enumerate(used)}
    _, nodes = distinct_splits(cells.tree)
    return RuleNetwork.from_regions(
        cells.tree,
        nodes[used],
        [[(number[int(split)], int(side)) for split, side in cells.condition[region]] for region in conditions],
        Constant(value),
        np.array([cells.n_samples[h].sum() for h in held]).round(),
        np.array([cells.weight[h].sum() for h in held]),
        curves,
    )


def _agrees(label: int, weight: NDArray[np.float64]) -> bool:
    """Whether rows of these weights are of a class anyway; no rows agree with every class."""
    return not weight.any() or int(weight.argmax()) == label


def _in_order(
    cells: Cells, units: list[NDArray[np.bool_]], owners: list[int]
) -> tuple[list[tuple[int, NDArray[np.bool_]]], NDArray[np.bool_]]:
    """Return the units by falling purity, each with the cells that belong to it, and the cells that are left."""
    left = np.ones(len(cells.weight), dtype=bool)
    waiting = {u: cells.fires(unit) for u, unit in enumerate(units)}
    order = []
    while waiting:
        rank = {}
        for u, fires in waiting.items():
            held = cells.weight[fires & left].sum(axis=0)
            if held.any() and held.argmax() == owners[u]:
                rank[u] = (held[owners[u]] / held.sum(), held[owners[u]], -u)
        if not rank:
            break
        best = max(rank, key=lambda u: rank[u])
        held_cells = waiting.pop(best) & left
        order.append((best, held_cells))
        left = left & ~held_cells
    return order, left


def _leave_out(cells: Cells, units: list[NDArray[np.bool_]]) -> None:
    """Leave out every condition without which a unit still fires in the same cells; changes the units.

    Conditions on splits that few units use go first, so that fewer splits remain.
    """
    for unit in units:
        users = np.sum([_splits_of(cells, other) for other in units], axis=0)
        failed = (~cells.fulfilled[:, unit]).sum(axis=1)
        selected = np.flatnonzero(unit)
        for c in selected[np.lexsort((-selected, users[cells.condition[selected, 0]]))].tolist():
            fails = ~cells.fulfilled[:, c]
            if not (fails & (failed == 1)).any():
                unit[c] = False
                failed -= fails


def _splits_of(cells: Cells, unit: NDArray[np.bool_]) -> NDArray[np.int64]:
    users = np.zeros(int(cells.condition[:, 0].max(initial=-1)) + 1, dtype=np.int64)
    users[cells.condition[unit, 0]] = 1
    return users
