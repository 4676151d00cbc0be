"""`grow`: from a table to a tree. The order of growth is a queue, not a class."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.limits import Limits
from askew.model.split import Split
from askew.model.tree import Tree
from askew.parallel import Progress as Progress

Part = tuple[Table, NDArray[np.uint32]]  # some rows of a table
_NEARLY_ONE = 1.0 - 1e-9  # shares of work are rounded
Pending = tuple[float, int, Split, list[Part]]  # a split in the queue: gain, node, split, rows of the children


@dataclass(eq=False)
class Node:
    """A node that is being trained: some rows of a table. Thrown away when the tree is frozen.

    Attributes
    ----------
    table : the data that the rows are of: what the tree is grown on, or parts of its rows (`Table.divide`)
    rows : numbers of the rows that are here, ascending
    depth : 0 for the root
    n_samples, mass, impurity, value, pure : what `askew.model.tree.Tree` records of it
    min_samples_leaf, min_weight_leaf : samples and weight that each child must have; a split that gives
        less is refused by `grow`
    threads : how many threads a search may use; the answer must not depend on it
    progress : a long search may call it with the share of its work that is done; None if none is shown
    n_evaluated : a search adds the number of hyperplanes that it looked at
    grown_on : all data that the tree is grown on, as the root has it; None if there is no more than `table`
    """

    table: Table
    rows: NDArray[np.uint32]
    depth: int
    seed: int
    value: NDArray[np.float64]
    n_samples: float
    mass: float
    impurity: float
    pure: bool
    min_samples_leaf: float
    threads: int
    progress: Progress | None = None
    n_evaluated: int = 0
    min_weight_leaf: float = 0.0
    grown_on: Table | None = None

    @cached_property
    def kernel(self) -> _core.Node:
        """The node as compiled searches take it."""
        return _core.Node(
            target=self.table.target,
            X=self.table.X,
            rows=self.rows,
            min_samples_leaf=self.min_samples_leaf,
            min_weight_leaf=self.min_weight_leaf,
            threads=self.threads,
        )

    @cached_property
    def X(self) -> NDArray[np.float64]:  # noqa: N802
        """The rows' features (a copy, C-ordered)."""
        return self.table.X[self.rows]

    @cached_property
    def y(self) -> NDArray[Any]:
        """The rows' class codes or numbers."""
        return self.table.y[self.rows]

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """The rows' weights."""
        return self.table.weight[self.rows]


@runtime_checkable
class Search(Protocol):
    """What finds the split of a node.

    A search may also have ``grow(table, criterion, limits, seed, threads, progress) -> Tree``, when it knows a
    faster way to the tree that `node_by_node` would give; and ``improve(node, criterion, seed, start) -> Split or
    None``, when it can search from a given hyperplane: a split that scores better on the node's rows than `start`,
    or None if it finds none (`askew.search.oc1.OC1` has it).
    """

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split of a node, or None if it is to be a leaf."""
        ...


def is_search(value: object) -> TypeGuard[Search]:
    """Return whether this is a search; a string, which has a `find` of its own, is none."""
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
    table, search, criterion, limits : what to grow on, how to split, how to score, when to stop
    seed : the root's seed; every node's comes from its path
    threads : threads that a search may use
    progress : called with the share of the work that is done, after each node at the latest
    """
    whole = getattr(search, "grow", None)
    if whole is not None:
        grown: Tree = whole(table, criterion, limits, seed, threads, progress)
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
    """Grow a tree by `find` at every node, also if the search has a way of its own."""
    return _Growth(table, search, criterion, limits, threads, progress).run(seed)


def child_seed(seed: int, child: int) -> int:
    """Return the seed of a node's child (splitmix64, as `derive` in core/numeric/rng.hpp)."""
    mask = 0xFFFFFFFFFFFFFFFF
    z = (seed + (child + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


class _Growth:
    """One run of `grow`: pop a node, split it, push its children."""

    def __init__(
        self,
        table: Table,
        search: Search,
        criterion: Criterion,
        limits: Limits,
        threads: int,
        progress: Progress | None,
    ) -> None:
        self.table, self.search, self.criterion = table, search, criterion
        self.limits, self.threads, self.progress = limits, threads, progress
        self.nodes: list[Node] = []
        self.splits: list[Split | None] = []
        self.first_child: list[int] = []
        self.queue: list[Pending] = []
        self.subtrees: dict[int, Callable[[], Tree]] = {}  # grown elsewhere
        self.n_evaluated = 0
        self.work: list[float] = []  # estimated share of all work, of each node and those below it
        self.done = 0.0

    def run(self, seed: int) -> Tree:
        self.consider([self.add((self.table, self.table.everything), 0, seed, 1.0)])
        leaves = 1
        while self.queue and leaves < self.limits.max_leaf_nodes:
            added: list[int] = []
            for _, number, split, parts in self.next_splits():
                if leaves + split.n_children - 1 > self.limits.max_leaf_nodes:
                    continue  # a split of many children that would make too many leaves: the node stays a leaf
                added += self.divide(number, split, parts)
                leaves += split.n_children - 1
            self.consider(added[::-1])  # the queue of a depth-first growth is a stack
        for number, subtree in self.subtrees.items():
            self.graft(number, subtree())
        if self.progress is not None and self.done <= _NEARLY_ONE:  # no more leaves are allowed: the rest is not done
            self.progress(1.0)
        return self.frozen()

    def next_splits(self) -> list[Pending]:
        """Take the next split from the queue; all of them where a level is searched at once."""
        if self.limits.best_first:
            return [heapq.heappop(self.queue)]
        if not self.table.by_level:
            return [self.queue.pop()]
        level, self.queue = self.queue, []
        return level

    def divide(self, number: int, split: Split, parts: list[Part]) -> list[int]:
        """Give a node its children, and return their numbers."""
        node = self.nodes[number]
        self.splits[number], self.first_child[number] = split, len(self.nodes)
        left, total = self.work[number], sum(rows.size for _, rows in parts)
        return [
            self.add(part, node.depth + 1, child_seed(node.seed, child), left * (part[1].size / total))
            for child, part in enumerate(parts)
        ]

    def graft(self, number: int, tree: Tree) -> None:
        """Put a tree in the place of a node."""
        place = [number, *range(len(self.nodes), len(self.nodes) + tree.node_count - 1)]
        for own, node in enumerate(place):
            if own:
                self.nodes.append(copy(self.nodes[number]))
                self.splits.append(None)
                self.first_child.append(0)
            self.nodes[node].value = tree.payload.value[own]
            self.nodes[node].n_samples = float(tree.n_samples[own])
            self.nodes[node].mass, self.nodes[node].impurity = float(tree.mass[own]), float(tree.impurity[own])
            if not tree.is_leaf[own]:
                self.splits[node] = tree.split(own)
                self.first_child[node] = place[int(tree.first_child[own])]
        self.n_evaluated += tree.n_hyperplanes

    def frozen(self) -> Tree:
        """Return the tree; its nodes are numbered in the order of a depth-first growth, however it was grown."""
        order = list(range(len(self.nodes)))
        if self.table.by_level and not self.limits.best_first:
            order, stack = [0], [0]
            while stack:
                node = stack.pop()
                split = self.splits[node]
                if split is not None:
                    children = list(range(self.first_child[node], self.first_child[node] + split.n_children))
                    order += children
                    stack += children[::-1]
        number = {node: place for place, node in enumerate(order)}
        nodes = [self.nodes[node] for node in order]
        return Tree.from_nodes(
            [self.splits[node] for node in order],
            [0 if self.splits[node] is None else number[self.first_child[node]] for node in order],
            value=np.array([node.value for node in nodes]),
            n_samples=np.array([node.n_samples for node in nodes]),
            mass=np.array([node.mass for node in nodes]),
            impurity=np.array([node.impurity for node in nodes]),
            n_features=self.table.n_features,
            n_hyperplanes=self.n_evaluated,
        )

    def add(self, part: Part, depth: int, seed: int, work: float) -> int:
        table, rows = part
        value, n_samples, mass, impurity, pure = table.summary(self.criterion, rows)
        self.nodes.append(
            Node(
                table,
                rows,
                depth,
                seed,
                value,
                n_samples,
                mass,
                impurity,
                pure,
                self.limits.min_samples_leaf,
                self.threads,
                min_weight_leaf=self.limits.min_weight_leaf,
                grown_on=self.table,
            )
        )
        self.splits.append(None)
        self.first_child.append(0)
        self.work.append(work)
        return len(self.nodes) - 1

    def consider(self, numbers: list[int]) -> None:
        """Find the splits of nodes and queue them, or leave the nodes leaves."""
        for number, found in zip(numbers, self.table.for_each(self.examine, numbers), strict=True):
            node, own = self.nodes[number], self.own_work(number)
            self.n_evaluated += node.n_evaluated
            self.forget(node)
            if found is None:
                self.done += self.work[number]
            elif callable(found):
                self.subtrees[number] = found
                self.done += self.work[number]
            else:
                # Lower first: the best gain, then the node that was made first.
                heap_or_stack = heapq.heappush if self.limits.best_first else list.append
                heap_or_stack(self.queue, (-found[0], number, *found[1:]))
                self.work[number] -= own
                self.done += own
            self.tell(0.0)

    def examine(self, number: int) -> tuple[float, Split, list[Part]] | Callable[[], Tree] | None:
        """Return gain, split and rows of the children of a node; or the tree below it; None if it is a leaf."""
        node, limits = self.nodes[number], self.limits
        if (
            node.pure
            or node.depth >= limits.max_depth
            or node.n_samples < limits.min_samples_split
            or node.n_samples < 2 * limits.min_samples_leaf
            or node.impurity <= limits.impurity_threshold
        ):
            return None
        below: Callable[[], Tree] | None = node.table.subtree(node, self.search, self.criterion, limits)
        if below is not None:
            return below
        _core.check_interrupt()  # kernels check on large nodes only, and in a team's thread nothing else does
        own = self.own_work(number)
        node.progress = None if self.progress is None else lambda part: self.tell(part * own)
        split = self.search.find(node, self.criterion, node.seed)
        node.progress = None
        if split is None:
            return None
        parts = node.table.divide(node.rows, split)
        gain = self.admissible(node, parts)
        return None if gain is None else (gain, split, parts)

    def own_work(self, number: int) -> float:
        # A level of the tree searches all rows once; a tree of n rows has some log2(n) / 2 levels.
        return self.work[number] / (1.0 + log2(max(self.nodes[number].rows.size, 1)) / 2)

    def forget(self, node: Node) -> None:
        """Let go of the rows of a node, and of what a search copied out of the table; its parts have their own."""
        node.table, node.rows = self.table, np.empty(0, dtype=np.uint32)
        for name in ("kernel", "X", "y", "weight"):
            node.__dict__.pop(name, None)

    def tell(self, more: float) -> None:
        """Report the work that is done, and what the search of the present node adds to it."""
        if self.progress is not None:
            share = self.done + more
            self.progress(1.0 if share > _NEARLY_ONE else share)

    def admissible(self, node: Node, parts: list[Part]) -> float | None:
        """Return the decrease of impurity, or None if the limits forbid the split."""
        least, least_weight = max(1, self.limits.min_samples_leaf), self.limits.min_weight_leaf
        if any(table.samples(rows) < least for table, rows in parts):
            return None
        if least_weight > 0 and any(table.mass(rows) < least_weight for table, rows in parts):
            return None
        if not self.limits.best_first and self.limits.min_impurity_decrease <= 0:
            return 0.0
        after = 0.0
        for table, rows in parts:
            _, _, mass, impurity, _ = table.summary(self.criterion, rows)
            after += mass * impurity
        gain = (node.mass * node.impurity - after) / self.nodes[0].mass
        return gain if gain >= self.limits.min_impurity_decrease or self.limits.min_impurity_decrease <= 0 else None
