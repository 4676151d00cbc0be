"""The rows as LA and GA pruning see them: what matters of a row is the side that it takes of every split."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.model.rule_network import RuleNetwork, conditions_of, distinct_splits
from askew.model.tree import Tree
from askew.prune.cost_complexity import PruningPath


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells into which all splits of a tree together divide the rows (algorithms: bitsets over patterns).

    Rows that take the same sides cannot be separated by any network of these splits: they are one cell, whose
    weights are summed up. A row of weight two and two equal rows are thus the same, and the order of the rows does
    not matter.

    Attributes
    ----------
    tree : Tree
        The tree.
    condition : ndarray
        (split, side) of every condition: every split has one for each of its sides, so that a hyperplane stands with
        its complement.
    fulfilled : ndarray
        Whether each cell fulfils each condition (cells x conditions).
    weight : ndarray
        Weight of every class in each cell (cells x classes).
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
        """Divide the rows of a table by the splits of a tree."""
        network = RuleNetwork.of(tree)
        taken = network.sides(table.X)
        # Without a split all rows are one cell; NumPy has no rows of no columns to compare.
        padded = np.ascontiguousarray(taken if network.n_splits else np.zeros((table.n_rows, 1), dtype=np.uint8))
        whole = padded.view(np.dtype((np.void, padded.dtype.itemsize * padded.shape[1]))).ravel()
        _, first, cell = np.unique(whole, return_index=True, return_inverse=True)
        condition = np.array(
            [(split, side) for split in range(network.n_splits) for side in range(int(network.n_children[split]))],
            dtype=np.int64,
        ).reshape(-1, 2)
        weight = np.zeros((first.size, table.n_classes))
        np.add.at(weight, (cell, table.y.astype(np.int64)), table.weight)
        return cls(
            tree,
            condition,
            taken[first][:, condition[:, 0]] == condition[:, 1],
            weight,
            np.bincount(cell, weights=table.multiplicity, minlength=first.size).astype(np.float64),
        )

    @cached_property
    def number(self) -> dict[tuple[int, int], int]:
        """The number of the condition (split, side)."""
        return {(split, side): i for i, (split, side) in enumerate(self.condition.tolist())}

    def fires(self, unit: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each cell fulfils every condition that a unit selects."""
        return np.asarray(self.fulfilled[:, unit].all(axis=1))

    def gain(self, label: int) -> NDArray[np.float64]:
        """Return what is gained by giving each cell to a class: its weight of that class less that of the others."""
        return np.asarray(2 * self.weight[:, label] - self.weight.sum(axis=1))

    def starting_units(self, label: int, n_units: int) -> NDArray[np.bool_]:
        """Return units to start from: at most `n_units` regions of a class, taken from the tree (units x conditions).

        They are the leaves of the class in the largest subtree of the cost-complexity path that has no more than
        `n_units` of them; if it has fewer, the heaviest leaves of the class in the whole tree follow.
        """
        tree, own = self.tree, self.tree.value.argmax(axis=1) == label
        leaves = np.flatnonzero(tree.is_leaf & own)
        chosen: list[int] = []
        path = PruningPath.of(tree, classification=True)
        for step in range(path.alphas.size):
            found = np.flatnonzero(_leaves_at(path, step) & own)
            if 1 <= found.size <= n_units:
                chosen = found.tolist()
                break
        heaviest = leaves[np.argsort(-tree.mass[leaves], kind="stable")].tolist()
        chosen += [leaf for leaf in heaviest if leaf not in chosen][: n_units - len(chosen)]
        numbers, _ = distinct_splits(tree)
        units = np.zeros((len(chosen), len(self.condition)), dtype=bool)
        for unit, node in zip(units, chosen, strict=True):
            unit[[self.number[c] for c in conditions_of(tree, numbers, node)]] = True
        return units


def _leaves_at(path: PruningPath, step: int) -> NDArray[np.bool_]:
    """Whether each node is a leaf of a subtree of the path."""
    parent = path.tree.parent
    ended = path.tree.is_leaf | (path.collapsed_at <= step)
    return np.asarray(ended & ((parent < 0) | (path.collapsed_at[parent] > step)))


def pack(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack the last axis into words of 64 bits, the first in the lowest place."""
    n_words = -(-bits.shape[-1] // 64)
    packed = np.zeros((*bits.shape[:-1], 8 * n_words), dtype=np.uint8)
    octets = np.packbits(bits, axis=-1, bitorder="little")
    packed[..., : octets.shape[-1]] = octets
    return packed.view("<u8").astype(np.uint64)
