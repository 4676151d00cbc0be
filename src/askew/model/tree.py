"""`Tree`: a fitted tree as immutable flat arrays.

    node            0    1    2    3    4          children are contiguous:
    first_child     1    0    3    0    0          child = first_child + route
    n_children      2    0    2    0    0          0 children: a leaf

The tests of the nodes are ragged arrays (`askew.model.split_arrays`). A child always has a higher number than its
parent. Binary, k-way and category nodes share one walker (core/tree/tree_walk.hpp).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from askew import _core
from askew.model.leaf_values import Constant, class_shares
from askew.model.split import (
    HYPERPLANE,
    LEAF,
    LINEAR_MACHINE,
    CategoryTable,
    Hyperplane,
    LinearMachine,
    Split,
)
from askew.model.split_arrays import SplitArrays, ranges, starts
from askew.model.validate import check_tree

# What a walk down a tree needs.
WALKED = ("kind", "first_child", "n_children", "feature_start", "weight_start", "feature", "weight", "threshold")


@dataclass(frozen=True, eq=False, kw_only=True)
class Tree(SplitArrays):
    """A fitted tree.

    Attributes
    ----------
    kind : ndarray of int8
        Type of each node: 0 leaf, 1 hyperplane, 2 linear machine, 3 category table.
    first_child, n_children : ndarray of int64
        First child and number of children of each node; 0 for a leaf.
    feature_start, weight_start, feature, weight, threshold : ndarray
        The tests of the nodes, as ragged arrays.
    payload : Payload
        Predictions of the nodes.
    n_samples : ndarray of int64
        Number of samples at each node, as the limits count them.
    mass : ndarray of float64
        Weight of the rows at each node.
    impurity : ndarray of float64
        Impurity of each node.
    n_features : int
        Number of features of the data.
    n_hyperplanes : int
        Number of hyperplanes that the search evaluated.
    """

    dtypes: ClassVar[Mapping[str, type[np.generic]]] = {
        **SplitArrays.dtypes,
        "first_child": np.int64,
        "impurity": np.float64,
    }

    first_child: NDArray[np.int64]
    impurity: NDArray[np.float64]

    def _check(self) -> None:
        check_tree(self)

    # --- making one

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
            payload=Constant(value),
            n_samples=np.rint(n_samples).astype(np.int64),  # not integers if rows go to several children in part
            mass=mass,
            impurity=impurity,
            n_features=n_features,
            n_hyperplanes=n_hyperplanes,
        )

    @classmethod
    def from_growth(cls, grown: _core.GrownTree, n_features: int) -> Tree:
        """Freeze a tree that a kernel has grown: a hyperplane at each inner node."""
        return cls(
            kind=grown.kind,
            first_child=grown.first_child,
            n_children=2 * grown.kind.astype(np.int64),
            feature_start=grown.feature_start,
            weight_start=grown.feature_start,
            feature=grown.feature,
            weight=grown.weight,
            threshold=grown.threshold,
            payload=Constant(grown.value),
            n_samples=grown.n_samples,
            mass=grown.mass,
            impurity=grown.impurity,
            n_features=n_features,
            n_hyperplanes=grown.n_evaluated,
        )

    def with_splits(self, splits: Sequence[Split | None]) -> Tree:
        """Return the tree of the same shape with these tests; values and counts stay as they are."""
        n_samples = self.n_samples.astype(np.float64)
        nodes = (self.first_child.tolist(), self.value, n_samples, self.mass, self.impurity)
        return Tree.from_nodes(splits, *nodes, self.n_features, self.n_hyperplanes)

    def __repr__(self) -> str:
        return f"Tree({self.n_leaves} leaves, depth {self.depth}, {self.n_features} features)"

    # --- its shape

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return int(self.kind.size)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @property
    def n_terms(self) -> int:
        """Number of weights that are not 0, over all splits and the linear models of leaves, constants left out.

        A test of categories counts once.
        """
        return super().n_terms + int(self.payload.n_terms[self.is_leaf].sum())

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
    def class_mass(self) -> NDArray[np.float64]:
        """Weight of each class in the rows that the tree was grown on."""
        return np.asarray(self.value[0])

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf; 0 for a tree of one leaf."""
        return int(self.node_depth.max())

    def accumulate(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return, for each node, the sum of these values over itself and all nodes below it."""
        total, parent = values.tolist(), self.parent.tolist()
        for node in range(self.node_count - 1, 0, -1):  # children have higher numbers
            total[parent[node]] += total[node]
        return np.array(total, dtype=np.int64)

    def rows_by_node(self, leaf: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return an order of rows in which those of each node stand together.

        Parameters
        ----------
        leaf : ndarray
            The leaf that each row ends in.

        Returns
        -------
        order, begin, count : ndarray
            The rows of node i are ``order[begin[i] : begin[i] + count[i]]``, those of its first child first.
        """
        count = self.accumulate(np.bincount(leaf, minlength=self.node_count))
        begin = [0] * self.node_count
        after, sizes = begin.copy(), count.tolist()  # where the next child of each node begins
        for node, parent in enumerate(self.parent.tolist()):
            if node:
                begin[node] = after[node] = after[parent]
                after[parent] += sizes[node]
        first = np.array(begin, dtype=np.int64)
        return np.argsort(first[leaf], kind="stable"), first, count

    def split(self, node: int) -> Split:
        """Return the test of an inner node."""
        features, weights = self.test(node)
        threshold = float(self.threshold[node])
        if self.kind[node] == HYPERPLANE:
            return Hyperplane(features, weights, threshold)
        if self.kind[node] == LINEAR_MACHINE:
            return LinearMachine(features, weights.reshape(-1, features.size + 1))
        return CategoryTable(int(features[0]), weights, int(threshold))

    # --- prediction

    def apply(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.int64]:
        """Return the leaf that each row ends in; if values are missing (`incomplete`), that with its largest part."""
        if incomplete:
            row, leaf, part = self.spread(X)
            order = np.lexsort((leaf, -part, row))  # of equal parts, the first leaf
            return leaf[order[np.searchsorted(row[order], np.arange(X.shape[0]))]]
        self.check_columns(X)
        return _core.apply(self.kernel, X, threads)

    def outputs(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.float64]:
        """Return the prediction of the leaf of each row: the weight of every class, or a number (rows x outputs).

        If values are missing (`incomplete`), the shares of the classes in all leaves that a row reaches in part.
        """
        if not incomplete:
            return super().outputs(X, threads)
        row, leaf, part = self.spread(X)
        shares = np.zeros((X.shape[0], self.n_outputs))
        np.add.at(shares, row, part[:, None] * class_shares(self.payload.outputs(leaf, X[row])))
        return shares

    def labels(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.int64]:
        """Return the code of the predicted class of each row: that of the largest weight; the first, if several tie."""
        if incomplete:
            plain = replace(self, payload=self.payload.unsmoothed)
            return np.asarray(class_shares(plain.outputs(X, threads, incomplete)).argmax(axis=1))
        return super().labels(X, threads)

    def spread(self, X: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the parts in which rows with missing values reach leaves: numbers of row and leaf, and the part.

        Where a test has no answer, each child gets the part that its mass is of all children's (Quinlan 1993,
        section 3.2).
        """
        self.check_columns(X)
        return _core.spread(self.kernel, self.mass, X)

    @cached_property
    def kernel(self) -> _core.Tree:
        """The tests and the children, as the kernels see them."""
        return _core.Tree(**{name: getattr(self, name) for name in WALKED})

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
        if origin is None:
            origin, n_origins = np.arange(self.n_features), self.n_features
        load = self.mass * self.impurity
        below = np.bincount(self.parent[1:], load[1:], minlength=self.node_count)
        decrease = np.maximum(load - below, 0.0)
        node = np.repeat(np.arange(self.node_count), np.diff(self.feature_start))
        weight = self._weight_sizes() * scale[self.feature]
        pair, group = np.unique(node * n_origins + origin[self.feature], return_inverse=True)
        with np.errstate(over="ignore"):
            joined = pair.size < group.size  # of one column, the root of its square is itself
            size = np.sqrt(np.bincount(group, weight**2)) if joined else np.bincount(group, weight, pair.size)
            total = np.bincount(pair // n_origins, size, minlength=self.node_count)[pair // n_origins]
        usable = np.isfinite(total) & (total > 0)
        share = np.where(usable, size, 0.0) / np.where(usable, total, 1.0)
        found = np.bincount(pair % n_origins, decrease[pair // n_origins] * share, minlength=n_origins)
        return np.asarray(found / found.sum() if found.sum() > 0 else found, dtype=np.float64)

    def _weight_sizes(self) -> NDArray[np.float64]:
        """Return the size of each tested feature's weight; in a linear machine, the range of its weights."""
        n_features, n_weights = np.diff(self.feature_start), np.diff(self.weight_start)
        sizes, planes = np.ones(self.feature.size), self.kind == HYPERPLANE
        sizes[np.repeat(planes, n_features)] = np.abs(self.weight[np.repeat(planes, n_weights)])
        for node in np.flatnonzero(self.kind == LINEAR_MACHINE).tolist():
            features, weights = self.test(node)
            start = int(self.feature_start[node])
            sizes[start : start + features.size] = np.ptp(weights.reshape(-1, features.size + 1)[:, :-1], axis=0)
        return sizes

    def collapse(self, nodes: NDArray[np.integer]) -> Tree:
        """Return the tree in which these nodes are leaves, without their descendants."""
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
        return Tree(
            **self.tests_of(kept, inner),
            first_child=np.where(inner, number[self.first_child[kept]], 0),
            payload=self.payload.take(kept),
            n_samples=self.n_samples[kept],
            mass=self.mass[kept],
            impurity=self.impurity[kept],
            n_features=self.n_features,
            n_hyperplanes=self.n_hyperplanes,
        )
