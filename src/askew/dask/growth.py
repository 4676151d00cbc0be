"""Growth on a cluster: level by level where rows are spread over workers, and on one worker where they are few."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Concatenate

import numpy as np
from distributed import Future

from askew.dask.cluster import Cluster
from askew.dask.rows import NodeRows
from askew.data.table import Table
from askew.grow.criterion import Criterion, as_criterion
from askew.grow.grow import Found, Growth, Node, NodeRecord, Search, grow
from askew.grow.limits import Limits
from askew.grow.rows import LocalRows
from askew.model.split import Split
from askew.model.tree import Tree

# --- on one worker


def together(pieces: Sequence[Table]) -> Table:
    """Return one table of the rows of several, in an order that depends only on the values of the rows."""
    table = replace(
        pieces[0],
        X=np.concatenate([piece.X for piece in pieces]),
        y=np.concatenate([piece.y for piece in pieces]),
        weight=np.concatenate([piece.weight for piece in pieces]),
        multiplicity=np.concatenate([piece.multiplicity for piece in pieces]),
    )
    return table.take(np.lexsort((table.weight, table.row_hash(0))))


@dataclass(frozen=True, eq=False)
class GatheredNode:
    """A node whose rows are sent to one worker.

    Attributes
    ----------
    search : Search
        How to split.
    criterion : object
        The criterion as the user gave it; workers compile it themselves.
    limits : Limits
        The limits on growth.
    depth, seed, threads : int
        Depth and seed of the node; threads of the task.
    """

    search: Search
    criterion: object
    limits: Limits
    depth: int
    seed: int
    threads: int

    def grow(self, *pieces: Table) -> Tree:
        """Grow the tree below the node."""
        table = together(pieces)
        limits = replace(self.limits, max_depth=self.limits.max_depth - self.depth)
        return grow(table, self.search, self._criterion(table), limits, self.seed, self.threads)

    def find(self, *pieces: Table) -> tuple[Split | None, int]:
        """Find the split of the node; return it and the number of hyperplanes that were evaluated."""
        table = together(pieces)
        criterion = self._criterion(table)
        rows = LocalRows(table, table.all_rows, self.limits, self.threads)
        node = Node.of(rows, criterion, self.depth, self.seed)
        return self.search.find(node, criterion, self.seed), node.n_evaluated

    def _criterion(self, table: Table) -> Criterion:
        return as_criterion(self.criterion, classification=table.classification)


# --- over all workers


class LevelGrowth(Growth):
    """Grows a tree level by level: the next queries of all nodes of a level go to the workers together.

    The rows of a node are sent to one worker if they are few. It grows the tree below the node; or it finds the split
    alone if growth there depends on the rest of the tree.

    Parameters
    ----------
    root : NodeRows
        All rows, with the limits on growth.
    cluster : Cluster
        The partitions.
    search : Search
        How to split nodes whose rows are spread over workers: a search that asks for statistics only.
    local_search : Search
        How to split nodes with few rows.
    criterion : object
        The criterion as the user gave it.
    local_rows : int
        A node with no more rows is sent to one worker.
    on_level : function or None
        Called with a message for each level.
    """

    def __init__(
        self,
        root: NodeRows,
        cluster: Cluster,
        search: Search,
        local_search: Search,
        criterion: object,
        local_rows: int,
        on_level: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(root, search, as_criterion(criterion, classification=root.n_classes > 0))
        self.queries = root.table.queries
        self.cluster, self.local_search, self.given_criterion = cluster, local_search, criterion
        self.local_rows, self.on_level = local_rows, on_level
        # Best-first growth and a least decrease of impurity (a share of the root's) depend on all nodes.
        self.grows_locally = not self.limits.best_first and self.limits.min_impurity_decrease <= 0
        self.subtrees: dict[int, Future] = {}  # by the number of their root

    def run(self, seed: int) -> Tree:
        """Grow the tree."""
        if self.limits.best_first:
            return super().run(seed)
        self.consider([self.add(self.root, 0, seed, 1.0)])
        while self.queue:
            level, self.queue = self.queue, []
            children: list[int] = []
            for _, number, split, parts in level:
                children += self.divide(number, split, parts)
            self.consider(children)
        numbers = sorted(self.subtrees)
        for number, tree in zip(numbers, self.cluster.results([self.subtrees[n] for n in numbers]), strict=True):
            self.graft(number, tree)
        self.records = depth_first(self.records)
        return self.tree()

    def consider(self, numbers: Sequence[int]) -> None:
        """Search nodes, all of them together."""
        self.cluster.traffic.append(0)
        if self.on_level is not None:
            level = len(self.cluster.traffic) - 1
            self.on_level(f"level {level}, {len(numbers)} nodes, {self.cluster.n_rounds} rounds so far")
        nodes = [self.unsearched.pop(number) for number in numbers]
        found = self.queries.run(lambda i: self.examine(numbers[i], nodes[i]), range(len(nodes)))
        for number, node, one in zip(numbers, nodes, found, strict=True):
            self.enqueue(number, node, one)

    def examine(self, number: int, node: Node) -> Found | None:
        """Return gain, split and rows of the children of a node; None if it is a leaf, or the root of a subtree."""
        if self.grows_locally and self.has_few_rows(node) and not self.is_leaf(node):
            self.subtrees[number] = self.gather(node, GatheredNode.grow)
            return None
        return super().examine(number, node)

    def find(self, node: Node) -> Split | None:
        """Search the split of a node, on one worker if its rows are few."""
        if not self.has_few_rows(node):
            return super().find(node)
        split: Split | None
        split, n_evaluated = self.cluster.results([self.gather(node, GatheredNode.find)])[0]
        node.n_evaluated += n_evaluated
        return split

    def has_few_rows(self, node: Node) -> bool:
        """Whether one worker is to have all rows of a node."""
        return node.statistics.n_rows <= self.local_rows

    def gather(self, node: Node, method: Callable[Concatenate[GatheredNode, ...], object]) -> Future:
        """Start a task on one worker that is sent the rows of a node."""
        assert isinstance(node.statistics, NodeRows)
        gathered = GatheredNode(
            self.local_search, self.given_criterion, self.limits, node.depth, node.seed, node.threads
        )
        return self.cluster.gathered(node.statistics.path, method, gathered)

    def graft(self, number: int, tree: Tree) -> None:
        """Replace a node by a tree."""
        numbers = [number, *range(len(self.records), len(self.records) + tree.node_count - 1)]
        grafted = [
            NodeRecord(
                tree.payload.value[node],
                float(tree.n_samples[node]),
                float(tree.mass[node]),
                float(tree.impurity[node]),
                split=None if tree.is_leaf[node] else tree.split(node),
                first_child=0 if tree.is_leaf[node] else numbers[int(tree.first_child[node])],
            )
            for node in range(tree.node_count)
        ]
        self.records[number] = grafted[0]
        self.records += grafted[1:]
        self.n_evaluated += tree.n_hyperplanes


def depth_first(records: Sequence[NodeRecord]) -> list[NodeRecord]:
    """Return the nodes in the order in which `askew.grow.grow.node_by_node` would have made them."""
    order, stack = [0], [0]
    while stack:
        record = records[stack.pop()]
        if record.split is not None:
            children = range(record.first_child, record.first_child + record.split.n_children)
            order += children
            stack += reversed(children)
    number = {old: new for new, old in enumerate(order)}
    moved = [replace(records[old]) for old in order]
    for record in moved:
        if record.split is not None:
            record.first_child = number[record.first_child]
    return moved
