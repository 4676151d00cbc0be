"""`grow`: from a table to a tree. The order of growth is a queue, not a class."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2
from typing import Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.limits import Limits
from askew.grow.rows import LocalRows, RowStatistics
from askew.model.split import Split
from askew.model.tree import Tree
from askew.parallel import Progress

_NEARLY_ONE = 1.0 - 1e-9  # shares of work are rounded
Found = tuple[float, Split, Sequence[RowStatistics]]  # gain, split, rows of the children
Pending = tuple[float, int, Split, Sequence[RowStatistics]]  # a split in the queue: minus its gain, node, ...


@dataclass(eq=False)
class Node:
    """A node that is being searched; it is discarded afterwards.

    Attributes
    ----------
    statistics : RowStatistics
        Statistics of the node's rows, also where no machine holds all of them.
    depth : int
        0 for the root.
    seed : int
        Seed of the node, from its path in the tree.
    value, n_samples, mass, impurity, pure : array, float, float, float, bool
        Statistics of the node that `askew.model.tree.Tree` records.
    progress : function or None
        A long search may call it with the share of its work that is done; None if no progress is shown.
    n_evaluated : int
        Number of hyperplanes that the search evaluated; the search adds to it.
    """

    statistics: RowStatistics
    depth: int
    seed: int
    value: NDArray[np.float64]
    n_samples: float
    mass: float
    impurity: float
    pure: bool
    progress: Progress | None = None
    n_evaluated: int = 0

    @classmethod
    def of(cls, rows: RowStatistics, criterion: Criterion, depth: int, seed: int) -> Node:
        """Return the node that has these rows."""
        return cls(rows, depth, seed, *rows.summary(criterion))

    def on(self, table: Table, grown_on: Table | None = None) -> Node:
        """Return the node with its rows in other columns: those of a table of these rows alone, in this order."""
        local = self.local
        all_data = local.grown_on if grown_on is None else grown_on
        rows = LocalRows(table, table.all_rows, local.limits, local.threads, all_data)
        return replace(self, statistics=rows, n_evaluated=0)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.statistics.n_features

    @property
    def classification(self) -> bool:
        """Whether the rows have classes rather than numbers."""
        return self.statistics.n_classes > 0

    @property
    def min_samples_leaf(self) -> float:
        """Samples that each child must have; `grow` refuses a split that gives less."""
        return self.statistics.limits.min_samples_leaf

    @property
    def min_weight_leaf(self) -> float:
        """Weight that each child must have; `grow` refuses a split that gives less."""
        return self.statistics.limits.min_weight_leaf

    @property
    def threads(self) -> int:
        """Number of threads that a search may use; its answer must not depend on it."""
        return self.statistics.threads

    # --- the rows themselves, for searches on one machine

    @property
    def local(self) -> LocalRows:
        """The rows, in the memory of this machine."""
        if not isinstance(self.statistics, LocalRows):
            raise TypeError("this search needs the rows of a node, which are spread over several machines")
        return self.statistics

    @property
    def table(self) -> Table:
        """The table of the rows: the training data of the tree, or parts of its rows (`LocalRows.divide`)."""
        return self.local.table

    @property
    def rows(self) -> NDArray[np.uint32]:
        """Numbers of the rows that are here, ascending."""
        return self.local.rows

    @property
    def grown_on(self) -> Table:
        """All data that the tree is grown on, as the root has it."""
        return self.local.table if self.local.grown_on is None else self.local.grown_on

    @property
    def kernel(self) -> _core.Node:
        """The node as compiled searches take it."""
        return self.local.kernel

    @cached_property
    def X(self) -> NDArray[np.float64]:  # noqa: N802
        """The rows' features (a copy, C-ordered)."""
        return self.table.X[self.rows]

    @cached_property
    def y(self) -> NDArray[np.int32] | NDArray[np.float64]:
        """The rows' class codes or numbers."""
        return self.table.y[self.rows]

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """The rows' weights."""
        return self.table.weight[self.rows]


@runtime_checkable
class Search(Protocol):
    """Finds the split of a node.

    A search may also have ``grow(table, criterion, limits, seed, threads, progress) -> Tree``, when it knows a
    faster way to the tree that `node_by_node` would give.
    """

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split of a node, or None if it is to be a leaf."""
        ...


def is_search(value: object) -> TypeGuard[Search]:
    """Return whether this is a search; a string, which also has a method `find`, is not."""
    return not isinstance(value, type | str) and isinstance(value, Search)


def grow(
    table: Table,
    search: Search,
    criterion: Criterion,
    limits: Limits,
    seed: int,
    threads: int = 1,
    progress: Progress | None = None,
) -> Tree:
    """Grow a tree: the same for every `threads` and for every run with the same seed.

    Parameters
    ----------
    table : Table
        Training data.
    search : Search
        Search for the splits.
    criterion : Criterion
        Criterion that scores splits.
    limits : Limits
        Limits on growth.
    seed : int
        The root's seed; every node's comes from its path.
    threads : int
        Threads that a search may use.
    progress : function or None
        Called with the share of the work that is done, after each node at the latest.
    """
    grow_tree = getattr(search, "grow", None)
    if grow_tree is not None:
        grown: Tree = grow_tree(table, criterion, limits, seed, threads, progress)
        return grown
    return node_by_node(table, search, criterion, limits, seed, threads, progress)


def node_by_node(
    table: Table,
    search: Search,
    criterion: Criterion,
    limits: Limits,
    seed: int,
    threads: int = 1,
    progress: Progress | None = None,
) -> Tree:
    """Grow a tree by `find` at every node, even if the search has a method `grow`."""
    root = LocalRows(table, table.all_rows, limits, threads)
    return Growth(root, search, criterion, progress).run(seed)


def child_seed(seed: int, child: int) -> int:
    """Return the seed of a node's child (splitmix64, as `derive` in core/numeric/rng.hpp)."""
    mask = 0xFFFFFFFFFFFFFFFF
    z = (seed + (child + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


@dataclass(eq=False)
class NodeRecord:
    """A node of a growing tree: its statistics, and the share of all work that its subtree takes."""

    value: NDArray[np.float64]
    n_samples: float
    mass: float
    impurity: float
    depth: int = 0
    seed: int = 0
    work: float = 0.0
    split: Split | None = None
    first_child: int = 0


class Growth:
    """One run of `grow`: pop a split, divide its node, search the children.

    Parameters
    ----------
    root : RowStatistics
        All rows, with the limits on growth.
    search : Search
        Search for the splits.
    criterion : Criterion
        Criterion that scores splits.
    progress : function or None
        Called with the share of the work that is done.
    """

    def __init__(
        self, root: RowStatistics, search: Search, criterion: Criterion, progress: Progress | None = None
    ) -> None:
        self.root, self.search, self.criterion, self.progress = root, search, criterion, progress
        self.limits = root.limits
        self.records: list[NodeRecord] = []
        self.unsearched: dict[int, Node] = {}
        self.queue: list[Pending] = []  # a heap in best-first growth, otherwise a stack
        self.n_evaluated = 0
        self.done = 0.0

    def run(self, seed: int) -> Tree:
        """Grow the tree."""
        self.consider([self.add(self.root, 0, seed, 1.0)])
        leaves = 1
        while self.queue and leaves < self.limits.max_leaf_nodes:
            _, number, split, parts = heapq.heappop(self.queue) if self.limits.best_first else self.queue.pop()
            if leaves + split.n_children - 1 > self.limits.max_leaf_nodes:
                continue  # a split of many children that would make too many leaves: the node stays a leaf
            self.consider(self.divide(number, split, parts)[::-1])
            leaves += split.n_children - 1
        if self.progress is not None and self.done <= _NEARLY_ONE:  # no more leaves are allowed: the rest is not done
            self.progress(1.0)
        return self.tree()

    def add(self, rows: RowStatistics, depth: int, seed: int, work: float) -> int:
        """Add a node that is still to be searched, and return its number."""
        number, node = len(self.records), Node.of(rows, self.criterion, depth, seed)
        self.records.append(NodeRecord(node.value, node.n_samples, node.mass, node.impurity, depth, seed, work))
        self.unsearched[number] = node
        return number

    def divide(self, number: int, split: Split, parts: Sequence[RowStatistics]) -> list[int]:
        """Give a node its children, and return their numbers."""
        record = self.records[number]
        record.split, record.first_child = split, len(self.records)
        total = sum(rows.n_rows for rows in parts)
        return [
            self.add(rows, record.depth + 1, child_seed(record.seed, child), record.work * (rows.n_rows / total))
            for child, rows in enumerate(parts)
        ]

    def consider(self, numbers: Sequence[int]) -> None:
        """Search nodes, one after the other: queue their splits, or leave them leaves."""
        for number in numbers:
            node = self.unsearched.pop(number)
            self.enqueue(number, node, self.examine(number, node))

    def examine(self, number: int, node: Node) -> Found | None:
        """Return gain, split and rows of the children of a node; None if it is a leaf."""
        if self.is_leaf(node):
            return None
        _core.check_interrupt()  # kernels check on large nodes only; in a thread of a pool, nothing else does
        work = self.search_work(number, node)
        node.progress = None if self.progress is None else lambda part: self.report(part * work)
        split = self.find(node)
        node.progress = None
        if split is None:
            return None
        parts = node.statistics.divide(split)
        gain = self.admissible(node, parts)
        return None if gain is None else (gain, split, parts)

    def is_leaf(self, node: Node) -> bool:
        """Whether the limits make a node a leaf."""
        limits = self.limits
        return bool(
            node.pure
            or node.depth >= limits.max_depth
            or node.n_samples < limits.min_samples_split
            or node.n_samples < 2 * limits.min_samples_leaf
            or node.impurity <= limits.impurity_threshold
        )

    def find(self, node: Node) -> Split | None:
        """Search the split of a node."""
        return self.search.find(node, self.criterion, node.seed)

    def enqueue(self, number: int, node: Node, found: Found | None) -> None:
        """Queue the split of a node, if there is one, and report the work that is done."""
        record = self.records[number]
        self.n_evaluated += node.n_evaluated
        if found is None:
            self.done += record.work
        else:
            work = self.search_work(number, node)
            # Lower first: the best gain, then the node that was made first.
            heap_or_stack = heapq.heappush if self.limits.best_first else list.append
            heap_or_stack(self.queue, (-found[0], number, *found[1:]))
            record.work -= work
            self.done += work
        self.report(0.0)

    def search_work(self, number: int, node: Node) -> float:
        """Return the share of all work that the search of a node is, without the nodes below it."""
        # A level of the tree searches all rows once; a tree of n rows has some log2(n) / 2 levels.
        return self.records[number].work / (1.0 + log2(max(node.statistics.n_rows, 1)) / 2)

    def report(self, more: float) -> None:
        """Report the work that is done, including that of the current search."""
        if self.progress is not None:
            share = self.done + more
            self.progress(1.0 if share > _NEARLY_ONE else share)

    def admissible(self, node: Node, parts: Sequence[RowStatistics]) -> float | None:
        """Return the decrease of impurity, or None if the limits forbid the split."""
        least, least_weight = max(1, self.limits.min_samples_leaf), self.limits.min_weight_leaf
        if any(rows.n_samples < least for rows in parts):
            return None
        if least_weight > 0 and any(rows.mass < least_weight for rows in parts):
            return None
        if not self.limits.best_first and self.limits.min_impurity_decrease <= 0:
            return 0.0
        after = 0.0
        for rows in parts:
            _, _, mass, impurity, _ = rows.summary(self.criterion)
            after += mass * impurity
        gain = (node.mass * node.impurity - after) / self.records[0].mass
        return gain if gain >= self.limits.min_impurity_decrease or self.limits.min_impurity_decrease <= 0 else None

    def tree(self) -> Tree:
        """Return the tree of all records."""
        records = self.records
        return Tree.from_nodes(
            [record.split for record in records],
            [record.first_child for record in records],
            value=np.array([record.value for record in records]),
            n_samples=np.array([record.n_samples for record in records]),
            mass=np.array([record.mass for record in records]),
            impurity=np.array([record.impurity for record in records]),
            n_features=self.root.n_features,
            n_hyperplanes=self.n_evaluated,
        )
