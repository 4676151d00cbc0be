"""Shared by LA and GA pruning: the cells of the training rows, one network for each class, and its hill climbing."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.grow import child_seed
from askew.grow.recipe import Regrowth
from askew.model.leaf_values import Constant
from askew.model.rule_network import RuleNetwork, conditions_of, distinct_splits
from askew.model.tree import Tree
from askew.parallel import Progress, part
from askew.parameters import Strategy, boolean, integer, param
from askew.prune.cost_complexity import PruningPath

_BATCH = 4096  # conditions that are evaluated in one call
_EQUAL = 1e-9  # gains that differ by less than this share of the total weight are equal: sums are rounded


@dataclass(frozen=True)
class NetworkPruner(Strategy):
    """Keeps the splits of a tree, and learns which of them bound the regions of each class.

    With two classes, one network learns the second class; all other rows are of the first. With more classes, each
    has a network, and the regions of all are ordered by purity: first the one in which its class has the largest share
    of the rows outside the earlier regions (ties: the heavier region, then the first class). A row belongs to the
    first region that contains it, so that overlaps go to the purest region; rows outside all regions have the majority
    class of these rows. A region in which its class has no majority is left out.
    """

    n_units: int = param(4, integer(1))
    reduce: bool = param(True, boolean)
    climb: bool = param(False, boolean)

    n_regrown: ClassVar[int] = 1  # no tree is grown again, but pruning takes about as long as growing the tree
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
        """Return the units of a class (units x conditions), and the learning curve: errors in each iteration."""

    def hold_out(self, table: Table, seed: int) -> tuple[Table, Table | None]:
        """Grow and prune on all rows, as the paper does."""
        if not table.classification:
            raise ValueError(f"{type(self).__name__} prunes classifiers only; use pruning='cost_complexity'")
        return table, None

    def prune(
        self, tree: Tree, grown_on: Table, held_out: Table | None, regrow: Regrowth | None, seed: int
    ) -> RuleNetwork:
        """Return the network, learnt from the held-out rows if there are any."""
        table = grown_on if held_out is None else held_out
        self.hold_out(table, seed)  # raises an error for regression
        if not isinstance(tree, Tree):
            raise TypeError(f"{type(self).__name__} prunes a tree. Got {tree!r} instead.")
        if np.isnan(table.X).any():
            raise ValueError(
                f"{type(self).__name__} cannot send rows with missing values to several children: use missing='mean'"
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
    order, remaining = _in_order(cells, units, owners)
    if reduce:  # the last regions before "otherwise" are redundant if they predict the same class
        while order and _agrees(owners[order[-1][0]], cells.weight[remaining].sum(axis=0)):
            remaining = remaining | order.pop()[1]
        _drop_redundant(cells, [units[u] for u, _ in order])
    held = [cells_held for _, cells_held in order] + [remaining]
    value = np.array([cells.weight[h].sum(axis=0) for h in held])
    if not value[-1].any():  # no row remains for "otherwise"
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
    """Whether the majority class of rows with these class weights is `label`; without rows, any class agrees."""
    return not weight.any() or int(weight.argmax()) == label


def _in_order(
    cells: Cells, units: list[NDArray[np.bool_]], owners: list[int]
) -> tuple[list[tuple[int, NDArray[np.bool_]]], NDArray[np.bool_]]:
    """Return the units by falling purity, each with the cells that belong to it, and the remaining cells."""
    remaining = np.ones(len(cells.weight), dtype=bool)
    waiting = {u: cells.fires(unit) for u, unit in enumerate(units)}
    order = []
    while waiting:
        rank = {}
        for u, fires in waiting.items():
            held = cells.weight[fires & remaining].sum(axis=0)
            if held.any() and held.argmax() == owners[u]:
                rank[u] = (held[owners[u]] / held.sum(), held[owners[u]], -u)
        if not rank:
            break
        best = max(rank, key=lambda u: rank[u])
        held_cells = waiting.pop(best) & remaining
        order.append((best, held_cells))
        remaining = remaining & ~held_cells
    return order, remaining


def _drop_redundant(cells: Cells, units: list[NDArray[np.bool_]]) -> None:
    """Drop every condition without which a unit still fires in the same cells; changes the units.

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
    """Return 1 for each split that a unit uses, else 0."""
    users = np.zeros(int(cells.condition[:, 0].max(initial=-1)) + 1, dtype=np.int64)
    users[cells.condition[unit, 0]] = 1
    return users


# --- the training rows as the networks see them


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells into which all splits of a tree together divide the training rows.

    No network of these splits can distinguish rows that are on the same side of every split: they are one cell, with
    their total weight. So a row of weight two equals two equal rows, and the order of the rows does not matter.

    Attributes
    ----------
    tree : Tree
        The tree to prune.
    condition : ndarray
        (split, side) of each condition. Every split has a condition for each side, so that the inputs of the network
        are the hyperplanes and their complements.
    fulfilled : ndarray
        Whether each cell fulfils each condition (cells x conditions).
    weight : ndarray
        Weight of each class in each cell (cells x classes).
    n_samples : ndarray
        Samples in each cell.
    """

    tree: Tree
    condition: NDArray[np.int64]
    fulfilled: NDArray[np.bool_]
    weight: NDArray[np.float64]
    n_samples: NDArray[np.float64]

    @classmethod
    def of(cls, tree: Tree, table: Table) -> Cells:
        """Divide the rows of a table by all splits of a tree."""
        network = RuleNetwork.of(tree)
        sides = network.sides(table.X)
        # Without a split all rows are one cell; NumPy cannot compare rows without columns.
        padded = np.ascontiguousarray(sides if network.n_splits else np.zeros((table.n_rows, 1), dtype=np.uint8))
        as_bytes = padded.view(np.dtype((np.void, padded.dtype.itemsize * padded.shape[1]))).ravel()
        _, first, cell = np.unique(as_bytes, return_index=True, return_inverse=True)
        condition = np.array(
            [(split, side) for split in range(network.n_splits) for side in range(int(network.n_children[split]))],
            dtype=np.int64,
        ).reshape(-1, 2)
        weight = np.zeros((first.size, table.n_classes))
        np.add.at(weight, (cell, table.y.astype(np.int64)), table.weight)
        return cls(
            tree,
            condition,
            sides[first][:, condition[:, 0]] == condition[:, 1],
            weight,
            np.bincount(cell, weights=table.multiplicity, minlength=first.size).astype(np.float64),
        )

    @cached_property
    def number(self) -> dict[tuple[int, int], int]:
        """The index of each condition (split, side)."""
        return {(split, side): i for i, (split, side) in enumerate(self.condition.tolist())}

    def fires(self, unit: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each cell fulfils every condition that a unit selects."""
        return np.asarray(self.fulfilled[:, unit].all(axis=1))

    def gain(self, label: int) -> NDArray[np.float64]:
        """Return the gain of assigning each cell to a class: its weight of that class minus that of the others."""
        return np.asarray(2 * self.weight[:, label] - self.weight.sum(axis=1))

    def starting_units(self, label: int, n_units: int) -> NDArray[np.bool_]:
        """Return the initial units of a class (units x conditions): at most `n_units` regions of the tree.

        They are the leaves of the class in the largest subtree of the cost-complexity path that has at most `n_units`
        of them; if it has fewer, the heaviest leaves of the class in the full tree are added.
        """
        tree, of_class = self.tree, self.tree.value.argmax(axis=1) == label
        leaves = np.flatnonzero(tree.is_leaf & of_class)
        chosen: list[int] = []
        path = PruningPath.of(tree, classification=True)
        for step in range(path.alphas.size):
            candidates = np.flatnonzero(path.leaves_at(step) & of_class)
            if 1 <= candidates.size <= n_units:
                chosen = candidates.tolist()
                break
        heaviest = leaves[np.argsort(-tree.mass[leaves], kind="stable")].tolist()
        chosen += [leaf for leaf in heaviest if leaf not in chosen][: n_units - len(chosen)]
        numbers, _ = distinct_splits(tree)
        units = np.zeros((len(chosen), len(self.condition)), dtype=bool)
        for unit, node in zip(units, chosen, strict=True):
            unit[[self.number[c] for c in conditions_of(tree, numbers, node)]] = True
        return units


def pack(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack the last axis into words of 64 bits, the first bit lowest."""
    n_words = -(-bits.shape[-1] // 64)
    packed = np.zeros((*bits.shape[:-1], 8 * n_words), dtype=np.uint8)
    octets = np.packbits(bits, axis=-1, bitorder="little")
    packed[..., : octets.shape[-1]] = octets
    return packed.view("<u8").astype(np.uint64)


# --- hill climbing


def climbed(cells: Cells, label: int, units: NDArray[np.bool_], threads: int = 1) -> NDArray[np.bool_]:
    """Return units of a class that no change of a single condition improves (hill climbing).

    In turn, each unit drops a condition if that loses nothing, otherwise exchanges it for the one with the largest
    gain, or adds one, if the gain is positive.

    Parameters
    ----------
    cells : Cells
        The training rows and the conditions.
    label : int
        The class.
    units : ndarray
        Conditions that each unit selects (units x conditions).
    threads : int, default=1
        Number of threads; the result does not depend on it.
    """
    units, gain, holds = units.copy(), cells.gain(label), pack(cells.fulfilled.T)
    fires = np.array([cells.fires(unit) for unit in units])
    best, equal = float(gain[fires.any(axis=0)].sum()), _EQUAL * float(cells.weight.sum())
    moved = True
    while moved:
        moved = False
        for u, unit in enumerate(units):
            others = np.delete(fires, u, axis=0).any(axis=0)
            already, free = float(gain[others].sum()), np.where(others, 0.0, gain)
            for condition in [*np.flatnonzero(unit).tolist(), None]:  # None: add a condition, drop none
                kept = unit.copy()
                kept[[] if condition is None else [condition]] = False
                held = cells.fires(kept)
                without = already + float(free[held].sum())
                if condition is not None and without >= best - equal:
                    chosen = without
                else:
                    gains = already + _gain_of_each(holds, np.where(held, free, 0.0), threads)
                    chosen = float(gains.max())
                    if chosen <= best + equal:
                        continue
                    kept[int(gains.argmax())] = True
                best, unit[:], moved = max(best, chosen), kept, True
            fires[u] = cells.fires(unit)
    return units


def _gain_of_each(holds: NDArray[np.uint64], gain: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
    """Return the total gain of the cells that fulfil each condition."""
    n = len(holds)
    gains = []
    for first in range(0, n, _BATCH):
        alone = np.eye(min(_BATCH, n - first), n, first, dtype=bool)
        gains.append(_core.network_gains(holds, gain, pack(alone[:, None, :]), threads))
    return np.concatenate(gains)
