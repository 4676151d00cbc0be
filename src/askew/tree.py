"""`Tree`: a fitted tree as immutable flat arrays.

    node            0    1    2    3    4          children are contiguous:
    first_child     1    0    3    0    0          child = first_child + route
    n_children      2    0    2    0    0          0 children: a leaf
    feature_start   0    2    2    3    3    3     node i tests feature[start[i]:start[i+1]]
    weight_start    0    2    2    3    3    3     with weight[start[i]:start[i+1]]

A child always has a higher number than its parent. Binary, k-way and category nodes share one walker
(core/walk.hpp).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from askew import _core
from askew.split import (
    CATEGORY_TABLE,
    HYPERPLANE,
    LEAF,
    LINEAR_MACHINE,
    CategoryTable,
    Hyperplane,
    LinearMachine,
    Split,
)

_DTYPES: dict[str, type[np.generic]] = {
    "kind": np.int8,
    "first_child": np.int64,
    "n_children": np.int64,
    "feature_start": np.int64,
    "weight_start": np.int64,
    "feature": np.int64,
    "weight": np.float64,
    "threshold": np.float64,
    "value": np.float64,
    "n_samples": np.int64,
    "mass": np.float64,
    "impurity": np.float64,
}
_MOST_FEATURES = 2**31 - 1  # the walker holds the number of a feature in 32 bits


@dataclass(frozen=True, eq=False)
class Tree:
    """A fitted tree.

    Attributes
    ----------
    kind : what each node tests: 0 leaf, 1 hyperplane, 2 linear machine, 3 category table
    first_child, n_children : the children of each node
    feature_start, weight_start, feature, weight, threshold : the tests, ragged
    value : what each node predicts: the weight of every class, or a number
    n_samples : samples at each node, as the limits count them
    mass : weight of the rows at each node
    impurity : impurity of each node
    n_features : features of the data
    n_hyperplanes : how many hyperplanes the search looked at
    """

    kind: NDArray[np.int8]
    first_child: NDArray[np.int64]
    n_children: NDArray[np.int64]
    feature_start: NDArray[np.int64]
    weight_start: NDArray[np.int64]
    feature: NDArray[np.int64]
    weight: NDArray[np.float64]
    threshold: NDArray[np.float64]
    value: NDArray[np.float64]
    n_samples: NDArray[np.int64]
    mass: NDArray[np.float64]
    impurity: NDArray[np.float64]
    n_features: int
    n_hyperplanes: int = 0

    def __post_init__(self) -> None:
        for array in self.arrays().values():
            array.setflags(write=False)

    # --- making one

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], n_features: int, n_hyperplanes: int = 0) -> Tree:
        """Make a tree of arrays that came from outside (a file, a pickle, a copy), after checking all of them.

        Raises
        ------
        ValueError
            Says which array is wrong, and where.
        """
        missing = [name for name in _DTYPES if name not in arrays]
        if missing:
            raise ValueError(f"array '{missing[0]}' is missing")
        given = {}
        for name, dtype in _DTYPES.items():
            array = np.asarray(arrays[name])
            if array.dtype != dtype:
                raise ValueError(f"array '{name}' has type {array.dtype}, expected {np.dtype(dtype)}")
            given[name] = array.copy(order="C")  # what has been checked must not change through another name
        tree = cls(**given, n_features=n_features, n_hyperplanes=n_hyperplanes)
        check(tree)
        return tree

    @classmethod
    def from_nodes(
        cls,
        splits: Sequence[Split | None],
        first_child: Sequence[int],
        value: NDArray[np.float64],
        n_samples: NDArray[np.float64],
        mass: NDArray[np.float64],
        impurity: NDArray[np.float64],
        n_features: int,
        n_hyperplanes: int,
    ) -> Tree:
        """Freeze the nodes of a tree that has been grown; a node without a split is a leaf."""
        empty = np.empty(0)
        tests = [empty if s is None else s.features for s in splits]
        weights = [empty if s is None else s.weights.ravel() for s in splits]
        return cls(
            kind=np.array([LEAF if s is None else s.kind for s in splits], dtype=np.int8),
            first_child=np.array(first_child, dtype=np.int64),
            n_children=np.array([0 if s is None else s.n_children for s in splits], dtype=np.int64),
            feature_start=starts([t.size for t in tests]),
            weight_start=starts([w.size for w in weights]),
            feature=np.concatenate(tests).astype(np.int64),
            weight=np.concatenate(weights).astype(np.float64),
            threshold=np.array([0.0 if s is None else s.threshold for s in splits], dtype=np.float64),
            value=value,
            n_samples=np.rint(n_samples).astype(np.int64),  # parts of rows add up to parts
            mass=mass,
            impurity=impurity,
            n_features=n_features,
            n_hyperplanes=n_hyperplanes,
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name."""
        return {name: getattr(self, name) for name in _DTYPES}

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree.from_arrays, (self.arrays(), self.n_features, self.n_hyperplanes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return all(np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Tree({self.n_leaves} leaves, depth {self.depth}, {self.n_features} features)"

    # --- its shape

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return int(self.kind.size)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return np.asarray(self.kind == LEAF)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @cached_property
    def parent(self) -> NDArray[np.int64]:
        """The parent of each node; -1 for the root."""
        parent = np.full(self.node_count, -1, dtype=np.int64)
        inner = np.flatnonzero(~self.is_leaf)
        parent[ranges(self.first_child[inner], self.n_children[inner])] = np.repeat(inner, self.n_children[inner])
        return parent

    @cached_property
    def node_depth(self) -> NDArray[np.int64]:
        """The depth of each node; 0 for the root."""
        depth = [0] * self.node_count
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                depth[node] = depth[parent] + 1
        return np.array(depth, dtype=np.int64)

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf; 0 for a tree of one leaf."""
        return int(self.node_depth.max())

    @property
    def coef(self) -> NDArray[np.float64]:
        """Weights of every inner node (inner nodes x features); NaN where a node is no hyperplane.

        Rows for which ``coef @ x + intercept <= 0`` go to the first child.
        """
        return dense_planes(self, np.flatnonzero(~self.is_leaf))

    @property
    def intercept(self) -> NDArray[np.float64]:
        """Constant of every inner node, as `coef`."""
        inner = ~self.is_leaf
        return np.where(self.kind[inner] == HYPERPLANE, 0.0 - self.threshold[inner], np.nan)

    def test(self, node: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the features and the weights of a node's test."""
        features = self.feature[self.feature_start[node] : self.feature_start[node + 1]]
        return features, self.weight[self.weight_start[node] : self.weight_start[node + 1]]

    def split(self, node: int) -> Split:
        """Return the test of an inner node."""
        features, weights = self.test(node)
        threshold = float(self.threshold[node])
        if self.kind[node] == HYPERPLANE:
            return Hyperplane(features, weights, threshold)
        if self.kind[node] == LINEAR_MACHINE:
            return LinearMachine(features, weights.reshape(-1, features.size + 1))
        return CategoryTable(int(features[0]), weights, int(threshold))

    # --- what it does

    def apply(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.int64]:
        """Return the leaf that each row ends in; if values are missing (`incomplete`), the one with most of it."""
        if incomplete:
            row, leaf, part = self.spread(X)
            order = np.lexsort((leaf, -part, row))  # of equal parts, the first leaf
            return leaf[order[np.searchsorted(row[order], np.arange(X.shape[0]))]]
        self._check_columns(X)
        return _core.apply(*self._walked(), X, threads)

    def spread(self, X: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the parts in which rows with missing values reach leaves: numbers of row and leaf, and the part.

        Where a test has no answer, each child gets the part that its mass is of all children's (Quinlan 1993,
        section 3.2).
        """
        self._check_columns(X)
        return _core.spread(*self._walked(), self.mass, X)

    def _check_columns(self, X: NDArray[np.float64]) -> None:
        if X.ndim != 2 or X.shape[1] != self.n_features:  # the kernel trusts the features to be there
            raise ValueError(f"X must have {self.n_features} columns, found shape {X.shape}")

    def _walked(self) -> tuple[Any, Any, Any, Any, Any, Any, Any, Any]:
        """Return what a walk needs."""
        test = (self.feature_start, self.weight_start, self.feature, self.weight, self.threshold)
        return self.kind, self.first_child, self.n_children, *test

    def decision_path(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> csr_array:
        """Return a sparse matrix (rows x nodes): 1 for every node that a row passes; `incomplete` as in `apply`."""
        leaf = self.apply(X, threads, incomplete)
        used, which = np.unique(leaf, return_inverse=True)
        parent = self.parent
        paths = []
        for node in used.tolist():
            path = []
            while node >= 0:
                path.append(node)
                node = parent[node]
            paths.append(np.array(path[::-1], dtype=np.int64))
        columns = [paths[i] for i in which.tolist()]
        start = starts([path.size for path in columns])
        indices = np.concatenate(columns) if columns else np.empty(0, dtype=np.int64)
        return csr_array((np.ones(indices.size, dtype=np.int64), indices, start), shape=(leaf.size, self.node_count))

    def importance(
        self, scale: NDArray[np.float64], origin: NDArray[np.int64] | None = None, n_origins: int = 0
    ) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity.

        A node's decrease is shared out among the features that it tests, by the size of their weights
        times the `scale` (spread) of the feature, so that units do not matter. Columns of one `origin`
        (the categories of a feature) are one feature, whose size is the root of the sum of their squares:
        a plain sum would favour features of many categories.
        """
        share = np.zeros(self.n_features if origin is None else n_origins)
        inner = np.flatnonzero(~self.is_leaf)
        load = self.mass * self.impurity
        below = np.zeros(self.node_count)
        np.add.at(below, self.parent[1:], load[1:])
        decrease = np.maximum(load - below, 0.0)
        for node in inner.tolist():
            features, weights = self.test(node)
            if self.kind[node] == LINEAR_MACHINE:
                weights = np.ptp(weights.reshape(-1, features.size + 1)[:, :-1], axis=0)
            elif self.kind[node] == CATEGORY_TABLE:
                weights = np.ones(1)
            size = np.abs(weights) * scale[features]
            if origin is not None:
                features, place = np.unique(origin[features], return_inverse=True)
                size = np.sqrt(np.bincount(place, size**2))
            if size.sum() > 0:
                np.add.at(share, features, decrease[node] * (size / size.sum()))
        return share / share.sum() if share.sum() > 0 else share

    def collapse(self, nodes: NDArray[np.integer]) -> Tree:
        """Return the tree in which these nodes are leaves and what was below them is gone."""
        if not nodes.size:
            return self
        leaf = np.zeros(self.node_count, dtype=bool)
        leaf[nodes] = True
        gone = [False] * self.node_count
        cut = leaf.tolist()
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                gone[node] = gone[parent] or cut[parent]
        kept = np.flatnonzero(~np.array(gone))
        inner = ~self.is_leaf[kept] & ~leaf[kept]
        number = np.cumsum(~np.array(gone)) - 1
        n_features = np.where(inner, np.diff(self.feature_start)[kept], 0)
        n_weights = np.where(inner, np.diff(self.weight_start)[kept], 0)
        return Tree(
            kind=np.where(inner, self.kind[kept], LEAF).astype(np.int8),
            first_child=np.where(inner, number[self.first_child[kept]], 0),
            n_children=np.where(inner, self.n_children[kept], 0),
            feature_start=starts(n_features),
            weight_start=starts(n_weights),
            feature=self.feature[ranges(self.feature_start[kept], n_features)],
            weight=self.weight[ranges(self.weight_start[kept], n_weights)],
            threshold=np.where(inner, self.threshold[kept], 0.0),
            value=self.value[kept],
            n_samples=self.n_samples[kept],
            mass=self.mass[kept],
            impurity=self.impurity[kept],
            n_features=self.n_features,
            n_hyperplanes=self.n_hyperplanes,
        )


def dense_planes(tests: Any, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the weights of some tests (nodes x features); NaN where a test is no hyperplane."""
    coef = np.zeros((nodes.size, tests.n_features))
    for i, node in enumerate(nodes.tolist()):
        if tests.kind[node] == HYPERPLANE:
            features, weights = tests.test(node)
            np.add.at(coef[i], features, weights)  # a feature that is named twice counts twice
        else:
            coef[i] = np.nan
    return coef


def check(tree: Tree) -> None:
    """Raise ValueError unless the arrays are a tree: this runs before anything is walked."""
    n = tree.kind.size
    check_number("n_features", tree.n_features, 1, _MOST_FEATURES)
    check_number("n_hyperplanes", tree.n_hyperplanes, 0, np.iinfo(np.int64).max)
    require(tree.kind.ndim == 1 and n >= 1, "'kind' must have one entry a node, at least one")
    for name in ("first_child", "n_children", "threshold", "n_samples", "mass", "impurity"):
        array = getattr(tree, name)
        require(array.shape == (n,), f"'{name}' must have {n} entries, found shape {array.shape}")
    require(tree.value.ndim == 2 and tree.value.shape[0] == n, f"'value' must have {n} rows")
    require(tree.value.shape[1] >= 1, "'value' must have a column")
    require(tree.feature.ndim == 1 and tree.weight.ndim == 1, "'feature' and 'weight' must be flat")
    for name in ("weight", "threshold", "value", "mass"):
        require(bool(np.isfinite(getattr(tree, name)).all()), f"'{name}' holds a number that is not finite")
    # Squares of large numbers overflow: an infinite impurity is honest, and nothing is walked by it.
    require(not np.isnan(tree.impurity).any(), "'impurity' holds NaN")
    for name in ("n_samples", "mass", "impurity"):
        require(bool((getattr(tree, name) >= 0).all()), f"'{name}' holds a negative number")
    check_starts("feature_start", tree.feature_start, n, tree.feature.size)
    check_starts("weight_start", tree.weight_start, n, tree.weight.size)
    in_range = (tree.feature >= 0) & (tree.feature < tree.n_features)
    require(bool(in_range.all()), f"'feature' must be below {tree.n_features}")
    _check_children(tree)
    check_tests(tree)


def check_number(name: str, number: object, low: int, high: int) -> None:
    """Raise ValueError unless this is a whole number in the range."""
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    require(
        whole and low <= int(number) <= high,  # type: ignore[call-overload]
        f"'{name}' must be an int from {low} to {high}, found {number!r}",
    )


def check_starts(name: str, start: NDArray[np.int64], n: int, length: int) -> None:
    """Raise ValueError unless these are the starts of `n` runs in an array of this length."""
    require(start.shape == (n + 1,), f"'{name}' must have {n + 1} entries, found shape {start.shape}")
    require(start[0] == 0 and start[-1] == length, f"'{name}' must run from 0 to {length}")
    require(bool((start[1:] >= start[:-1]).all()), f"'{name}' must not fall")


def _check_children(tree: Tree) -> None:
    """Each node but the root has one parent, with a lower number: no cycle, nothing out of range."""
    n = tree.kind.size
    leaf = tree.is_leaf
    require(bool(np.isin(tree.kind, (0, 1, 2, 3)).all()), "'kind' must be 0, 1, 2 or 3")
    require(bool((tree.n_children[leaf] == 0).all()), "a leaf must have no children")
    require(bool((tree.first_child[leaf] == 0).all()), "'first_child' of a leaf must be 0")
    inner = np.flatnonzero(~leaf)
    first, count = tree.first_child[inner], tree.n_children[inner]
    require(bool((count >= 2).all()) and bool((count <= n).all()), "an inner node must have two children or more")
    require(bool((first > inner).all()) and bool((first < n).all()), "'first_child' is out of range")
    order = np.argsort(first, kind="stable")
    begin, end = first[order], (first + count)[order]
    expected = np.concatenate(([1], end))
    require(
        bool((begin == expected[:-1]).all()) and expected[-1] == n,
        "every node but the root must have exactly one parent",
    )


def check_tests(tree: Any) -> None:
    """Raise ValueError unless every test of a tree (or network) has the features and weights that its kind needs."""
    n_tested, n_weights = np.diff(tree.feature_start), np.diff(tree.weight_start)
    leaf, plane = tree.is_leaf, tree.kind == HYPERPLANE
    machine, table = tree.kind == LINEAR_MACHINE, tree.kind == CATEGORY_TABLE
    require(bool((n_tested[leaf] == 0).all() and (n_weights[leaf] == 0).all()), "a leaf must test nothing")
    require(bool((n_tested[~leaf] >= 1).all()), "an inner node must test a feature")
    require(bool((tree.n_children[plane] == 2).all()), "a hyperplane must have two children")
    require(bool((n_weights[plane] == n_tested[plane]).all()), "a hyperplane must have a weight a feature")
    wanted = tree.n_children[machine] * (n_tested[machine] + 1)
    require(
        bool((n_weights[machine] == wanted).all()),
        "a linear machine must have children x (features + 1) weights",
    )
    require(bool((n_tested[table] == 1).all()), "a category table must test one feature")
    in_table = np.repeat(table, n_weights)
    node = np.append(np.repeat(np.arange(table.size), n_weights)[in_table], np.flatnonzero(table))
    child = np.append(tree.weight[in_table], tree.threshold[table])
    wrong = (child < 0) | (child >= tree.n_children[node]) | (child != np.floor(child))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"the category table of node {node[first]} names child {child[first]:g}, which does not exist")


def require(condition: bool, message: str) -> None:
    """Raise ValueError with a message unless a condition holds."""
    if not condition:
        raise ValueError(message)


def starts(sizes: Any) -> NDArray[np.int64]:
    """Return where each of some runs starts, and where the last ends."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def ranges(start: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return start[0], start[0]+1, ... (count[0] of them), start[1], ... as one array."""
    before = np.repeat(np.cumsum(count) - count, count)
    return np.repeat(start, count) + np.arange(int(count.sum()), dtype=np.int64) - before
