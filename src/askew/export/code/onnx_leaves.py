"""The leaves of rows, in operators of ONNX: all rows and all trees take a step at a time. For `askew.export_onnx`.

node   [rows, trees]     numbers of nodes, of all trees in one table; a leaf is its own child
route  [rows, trees]     which child: 0 or 1 of a plane, the largest sum of a linear machine, an entry of a table
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from askew.export.code.onnx_graph import Graph
from askew.export.code.plan import Plan, PlannedTest

_KINDS = {"hyperplane": 1, "linear machine": 2, "categories": 3}


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of a model in a graph."""

    plan: Plan
    graph: Graph

    # --- data

    @cached_property
    def columns(self) -> str:
        """The columns that tests see."""
        graph, plan = self.graph, self.plan
        fills = plan.fills
        values = "rows"
        if any(fill is not None for fill in fills):
            fill = graph.reals([np.nan if fill is None else fill for fill in fills])
            values = graph.add("Where", graph.add("IsNaN", "rows"), fill, "rows")
        if plan.columns_are_features:
            return values
        features = graph.integers([column.feature for column in plan.columns])
        found = graph.look_up(values, features, axis=1)
        codes = [np.nan if column.category is None else float(column.category) for column in plan.columns]
        is_code = graph.constant([column.category is not None for column in plan.columns], np.bool_)
        equal = graph.cast(graph.add("Equal", found, graph.reals(codes)), np.float64)
        shown = graph.add("Where", graph.add("IsNaN", found), found, equal)
        found = graph.add("Where", is_code, shown, found)
        if any(column.is_indicator for column in plan.columns):
            indicators = graph.constant([column.is_indicator for column in plan.columns], np.bool_)
            missing = graph.cast(graph.add("IsNaN", graph.look_up("rows", features, axis=1)), np.float64)
            found = graph.add("Where", indicators, missing, found)
        return found

    def incomplete(self) -> str:
        """Return whether each row lacks a value that nothing stands in for."""
        graph = self.graph
        lacking = graph.cast(graph.add("IsNaN", self.columns), np.int64)
        return graph.cast(graph.add("ReduceMax", lacking, graph.integers([1]), keepdims=0), np.bool_)

    def _taken(self, graph: Graph, table: NDArray[np.int64], leaf: str) -> str:
        """Return the columns of a table of their numbers (leaves x terms), for each row and leaf."""
        width = table.shape[1]
        numbers = graph.shaped(graph.look_up(graph.integers(table), leaf), 0, -1)
        return graph.shaped(graph.add("GatherElements", self.columns, numbers, axis=1), 0, -1, width)

    def _sums(self, graph: Graph, weights: NDArray[np.float64], leaf: str, taken: str) -> str:
        """Return sums of constants (the first weights) and weights times columns (rows x leaves x sums)."""
        leaf_weights = graph.look_up(graph.reals(weights), leaf)
        constant = graph.look_up(leaf_weights, graph.integers([0]), axis=3)
        slopes = graph.look_up(leaf_weights, graph.integers(np.arange(1, weights.shape[2])), axis=3)
        products = graph.add("Mul", slopes, graph.widened(taken, 2))
        return graph.last_sum(graph.add("Concat", constant, products, axis=3), 3)

    # --- tests

    @cached_property
    def tests(self) -> list[PlannedTest | None]:
        """The test of each node, or those of the rule networks, over all parts."""
        if self.plan.parts[0].is_network:
            return [test for part in self.plan.parts for test in part.tests] or [None]
        return [node.test for part in self.plan.parts for node in part.nodes]

    @cached_property
    def width(self) -> int:
        """Number of columns of the widest test."""
        return max((len(test.columns) for test in self.tests if test is not None), default=1) or 1

    @cached_property
    def tested(self) -> NDArray[np.int64]:
        """The columns of each test; filled up with its first, which may be missing once more."""
        table = np.zeros((len(self.tests), self.width), dtype=np.int64)
        for i, test in enumerate(self.tests):
            if test is not None and test.columns:
                table[i] = test.columns[0]
                table[i, : len(test.columns)] = test.columns
        return table

    def route(self, graph: Graph, node: str) -> str:
        """Return which child rows go to (rows x nodes)."""
        taken = self._taken(graph, self.tested, node)
        kinds = [_KINDS[test.kind] if test is not None else 1 for test in self.tests]
        ways = {1: self._plane, 2: self._machine, 3: self._category}
        *others, last = sorted(set(kinds))
        found = ways[last](graph, node, taken)
        for kind in others:
            is_it = graph.look_up(graph.constant(np.array(kinds) == kind), node)
            found = graph.add("Where", is_it, ways[kind](graph, node, taken), found)
        return found

    def _plane(self, graph: Graph, node: str, taken: str) -> str:
        weights, threshold = np.zeros((len(self.tests), self.width)), np.zeros(len(self.tests))
        for i, test in enumerate(self.tests):
            if test is not None and test.kind == "hyperplane":
                weights[i, : len(test.columns)] = test.weights[0]
                threshold[i] = test.threshold
        products = graph.add("Mul", graph.look_up(graph.reals(weights), node), taken)
        below = graph.add("LessOrEqual", graph.last_sum(products, 2), graph.look_up(graph.reals(threshold), node))
        return graph.cast(graph.add("Not", below), np.int64)

    def _machine(self, graph: Graph, node: str, taken: str) -> str:
        most = max(len(test.weights) for test in self.tests if test is not None)
        weights = np.zeros((len(self.tests), most, self.width + 1))
        weights[:, 1:, 0] = -np.inf  # a child that is not there
        for i, test in enumerate(self.tests):
            if test is not None and test.kind == "linear machine":
                weights[i, : len(test.weights), 0] = test.constants
                weights[i, : len(test.weights), 1 : len(test.columns) + 1] = test.weights
        sums = self._sums(graph, weights, node, taken)
        return graph.add("ArgMax", sums, axis=2, keepdims=0, select_last_index=0)

    def _category(self, graph: Graph, node: str, taken: str) -> str:
        goes_to: list[int] = []
        start, size, other = (np.zeros(len(self.tests), dtype=np.int64) for _ in range(3))
        for i, test in enumerate(self.tests):
            if test is not None and test.kind == "categories":
                start[i], size[i], other[i] = len(goes_to), len(test.goes_to), test.otherwise
                goes_to += test.goes_to
        code = graph.look_up(taken, graph.integers(0), axis=2)
        sized = graph.cast(graph.look_up(graph.integers(size), node), np.float64)
        known = graph.add("And", graph.add("GreaterOrEqual", code, graph.reals(0.0)), graph.add("Less", code, sized))
        known = graph.add("And", known, graph.add("Equal", code, graph.add("Floor", code)))
        integers = graph.cast(graph.add("Where", known, code, graph.reals(0.0)), np.int64)
        at = graph.add("Add", graph.look_up(graph.integers(start), node), integers)
        at = graph.add("Where", known, at, graph.integers(0))
        child = graph.look_up(graph.integers(goes_to or [0]), at)
        return graph.add("Where", known, child, graph.look_up(graph.integers(other), node))

    # --- leaves

    def find(self) -> str:
        """Return the leaf that each row reaches in each part (rows x parts)."""
        return self._found

    @cached_property
    def _found(self) -> str:
        return self._regions() if self.plan.parts[0].is_network else self._leaves()

    def _all(self, numbers: Sequence[int] | NDArray[np.int64]) -> str:
        """Return the same numbers for every row."""
        graph = self.graph
        rows = graph.add("Shape", "rows", start=0, end=1)
        shape = graph.add("Concat", rows, graph.integers([1]), axis=0)
        return graph.add("Expand", graph.integers([numbers]), shape)

    def _leaves(self) -> str:
        first: list[int] = []
        inner, leaf, roots = [], [], []
        n_leaves = 0
        for part in self.plan.parts:
            root = len(first)
            roots.append(root)
            for i, node in enumerate(part.nodes):
                first.append(root + (node.children[0] if node.children else i))
                inner.append(int(bool(node.children)))
                leaf.append(n_leaves + node.leaf if not node.children else 0)
            n_leaves += len(part.leaves)
        self.columns  # noqa: B018  made outside of the loop

        def step(graph: Graph, node: str) -> str:
            moved = graph.add("Mul", self.route(graph, node), graph.look_up(graph.integers(inner), node))
            return graph.add("Add", graph.look_up(graph.integers(first), node), moved)

        deepest = max(part.depth for part in self.plan.parts)
        return self.graph.look_up(self.graph.integers(leaf), self.graph.repeated(deepest, self._all(roots), step))

    def _regions(self) -> str:
        graph = self.graph
        sides = self.route(graph, self._all(range(len(self.tests))))
        found, first_test, first_leaf = [], 0, 0
        for part in self.plan.parts:
            most = max(1, *(len(region) for region in part.regions))
            test, side = (np.zeros((len(part.regions), most), dtype=np.int64) for _ in range(2))
            free = np.ones((len(part.regions), most), dtype=bool)
            for i, region in enumerate(part.regions[:-1]):  # the last takes the rest
                for j, (number, way) in enumerate(region):
                    test[i, j], side[i, j], free[i, j] = first_test + number, way, False
            taken = graph.look_up(sides, graph.integers(test.ravel()), axis=1)
            held = graph.add(
                "Or", graph.add("Equal", taken, graph.integers(side.ravel())), graph.constant(free.ravel())
            )
            every = graph.shaped(graph.cast(held, np.int64), 0, len(part.regions), most)
            all_held = graph.add("ReduceMin", every, graph.integers([2]), keepdims=0)
            leaf = graph.add("ArgMax", all_held, axis=1, keepdims=1, select_last_index=0)
            found.append(graph.add("Add", leaf, graph.integers(first_leaf)))
            first_test += len(part.tests)
            first_leaf += len(part.leaves)
        return graph.add("Concat", *found, axis=1)

    # --- predictions of leaves

    def models(self, leaf: str, smoothed: bool = False) -> str:
        """Return the predictions of leaves, by their models where they have one (rows x leaves x outputs)."""
        graph, all_leaves = self.graph, self.plan.leaves
        outputs = len(all_leaves[0].value)
        width = max([len(one.model.columns) for one in all_leaves if one.model is not None], default=1)
        columns = np.zeros((len(all_leaves), width), dtype=np.int64)
        weights = np.zeros((len(all_leaves), outputs, width + 1))
        limits = np.zeros((2, len(all_leaves), 1))
        for i, one in enumerate(all_leaves):
            if one.model is not None:
                columns[i] = one.model.columns[0]
                columns[i, : len(one.model.columns)] = one.model.columns
                weights[i, :, 0] = one.model.constants
                weights[i, :, 1 : len(one.model.columns) + 1] = one.model.weights
                limits[:, i, 0] = one.model.range or (0.0, 0.0)
        values = np.array([one.weights if smoothed else one.value for one in all_leaves])
        value = graph.look_up(graph.reals(values), leaf)
        sums = self._sums(graph, weights, leaf, self._taken(graph, columns, leaf))
        has_model = graph.constant([[one.model is not None] for one in all_leaves], np.bool_)
        usable = graph.look_up(has_model, leaf)
        if self.plan.classes is None:
            low, high = (graph.look_up(graph.reals(end), leaf) for end in limits)
            clipped = graph.add("Min", graph.add("Max", sums, low), high)
            usable = graph.add("And", usable, graph.add("Not", graph.add("IsNaN", sums)))
            return graph.add("Where", usable, clipped, value)
        odd = graph.cast(graph.add("Or", graph.add("IsNaN", sums), graph.add("IsInf", sums)), np.int64)
        finite = graph.add("Equal", graph.add("ReduceMax", odd, graph.integers([2]), keepdims=1), graph.integers(0))
        most = graph.add("ReduceMax", sums, graph.integers([2]), keepdims=1)
        powers = graph.add("Exp", graph.add("Sub", sums, most))
        shares = graph.add("Div", powers, graph.widened(graph.last_sum(powers, 2), 2))
        mass = graph.look_up(graph.reals(np.add.accumulate(values, axis=1)[:, -1:]), leaf)
        return graph.add("Where", graph.add("And", usable, finite), graph.add("Mul", shares, mass), value)

    def label(self, t: int) -> str:
        """Return the class that part `t` predicts."""
        graph = self.graph
        if self.plan.has_models:
            found = graph.look_up(self.find(), graph.integers([t]), axis=1)
            weights = graph.look_up(self.models(found), graph.integers(0), axis=1)
            label = graph.add("ArgMax", weights, axis=1, keepdims=0, select_last_index=0)
        else:
            found = graph.look_up(self.find(), graph.integers(t), axis=1)
            label = graph.look_up(graph.integers([leaf.label for leaf in self.plan.leaves]), found)
        if not self.plan.in_parts:
            return label
        raw = graph.scaled(self._spread(t, smoothed=False))
        in_parts = graph.add("ArgMax", raw, axis=1, keepdims=0, select_last_index=0)
        return graph.add("Where", self.incomplete(), in_parts, label)

    def shares(self, t: int, smoothed: bool) -> str:
        """Return the shares of the classes by part `t` (rows x classes)."""
        graph = self.graph
        if self.plan.has_models:
            found = graph.look_up(self.find(), graph.integers([t]), axis=1)
            shares = graph.scaled(graph.look_up(self.models(found, smoothed), graph.integers(0), axis=1))
        else:
            found = graph.look_up(self.find(), graph.integers(t), axis=1)
            shares = graph.look_up(graph.reals([leaf.entry for leaf in self.plan.leaves]), found)
        if not self.plan.in_parts:
            return shares
        in_parts = graph.scaled(self._spread(t, smoothed))
        return graph.add("Where", graph.widened(self.incomplete(), 1), in_parts, shares)

    def _spread(self, t: int, smoothed: bool) -> str:
        """Return the shares of the classes in all leaves that a row reaches in part."""
        graph, part = self.graph, self.plan.parts[t]
        first_node = sum(len(each.nodes) for each in self.plan.parts[:t])
        first_leaf = sum(len(each.leaves) for each in self.plan.parts[:t])
        size = len(part.nodes)
        parent, way, share = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64), np.ones(size)
        for i, node in enumerate(part.nodes):
            for k, child in enumerate(node.children):
                parent[child], way[child], share[child] = i, k, node.parts[k]
        nodes = self._all(range(first_node, first_node + size))
        lacking = graph.cast(graph.add("IsNaN", self._taken(graph, self.tested, nodes)), np.int64)
        unanswered = graph.cast(graph.add("ReduceMax", lacking, graph.integers([2]), keepdims=0), np.bool_)
        up = graph.integers(parent)
        taken = graph.add("Equal", graph.look_up(self.route(graph, nodes), up, axis=1), graph.integers([way]))
        open_question = graph.look_up(unanswered, up, axis=1)
        factor = graph.add("Where", open_question, graph.reals([share]), graph.cast(taken, np.float64))
        is_root = graph.constant([np.arange(size) == 0], np.bool_)

        def pieces(inner: Graph, above: str) -> str:
            passed = inner.add("Mul", inner.look_up(above, up, axis=1), factor)
            return inner.add("Where", is_root, inner.reals(1.0), passed)

        start = graph.cast(graph.add("Expand", is_root, graph.add("Shape", factor)), np.float64)
        reached = graph.repeated(part.depth, start, pieces)
        leaf_nodes = part.leaves_in_order
        leaf_indices = [first_leaf + part.nodes[i].leaf for i in leaf_nodes]
        if self.plan.has_models:
            weights = self.models(self._all(leaf_indices), smoothed)
            shown = graph.add("Div", weights, graph.widened(graph.last_sum(weights, 2), 2))
        else:
            leaves = [self.plan.leaves[i] for i in leaf_indices]
            shown = graph.reals([[one.entry if smoothed else one.raw for one in leaves]])
        ends = graph.widened(graph.look_up(reached, graph.integers(leaf_nodes), axis=1), 2)
        return graph.last_sum(graph.add("Mul", ends, shown), 1)
