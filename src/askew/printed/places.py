"""Which rows are at each test: those that it has to send the right way."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from askew.network import RuleNetwork
from askew.table import Table
from askew.tree import Tree


class Places(Protocol):
    """The rows at each split."""

    def at(self, split: int) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """Return the rows at a split, those of its first child first, and how many go to each child."""
        ...


class TreePlaces:
    """The rows at the nodes of a tree, sorted by their leaves from left to right: those of every node stand together.

    A row that goes down in parts, because values are missing, stands in each of its leaves.

    Attributes
    ----------
    order : the rows
    begin, n : where those of each node begin, and how many there are
    """

    def __init__(self, tree: Tree, table: Table, threads: int) -> None:
        if table.incomplete:
            row, leaf, _ = tree.spread(table.X)
        else:
            row, leaf = None, tree.apply(table.X, threads)
        n = np.bincount(leaf, minlength=tree.node_count).tolist()
        for node, parent in enumerate(tree.parent[:0:-1].tolist(), start=1):  # children have higher numbers
            n[parent] += n[-node]
        begin = [0] * tree.node_count
        after = begin.copy()  # where the next child of each node begins
        for node, parent in enumerate(tree.parent.tolist()):
            if node:
                begin[node] = after[node] = after[parent]
                after[parent] += n[node]
        self.tree, self.n, self.begin = tree, np.array(n), np.array(begin)
        order = np.argsort(self.begin[leaf], kind="stable")
        self.order = order if row is None else row[order]

    def at(self, split: int) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """Return the rows at a node, those of its first child first, and how many go to each child."""
        first = int(self.tree.first_child[split])
        counts = self.n[first : first + int(self.tree.n_children[split])]
        return self.order[self.begin[split] : self.begin[split] + self.n[split]], counts


class NetworkPlaces:
    """All rows take a side of each split of a network."""

    def __init__(self, network: RuleNetwork, table: Table) -> None:
        self.network, self.taken = network, network.sides(table.X)

    def at(self, split: int) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """Return all rows, those of the first side first, and how many take each side."""
        side = self.taken[:, split]
        return np.argsort(side, kind="stable"), np.bincount(side, minlength=int(self.network.n_children[split]))
