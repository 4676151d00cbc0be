"""`PackedTrees`: many trees, walked together, from which an ensemble predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.model.split_arrays import SplitArrays
from askew.model.tree import Tree


@dataclass(frozen=True, eq=False)
class PackedTrees:
    """Fitted trees over the same columns, with the nodes of each in the compact form that a walk reads.

    Attributes
    ----------
    kernel : _core.Trees
        The compiled form of the trees.
    n_trees : int
        Number of trees.
    n_features : int
        Number of columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import CARTClassifier
    >>> from askew.model.packed import PackedTrees
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = [CARTClassifier(max_depth=depth).fit(X, y).tree_ for depth in (1, 2)]
    >>> PackedTrees.of(trees).apply(X[:2]).tolist()
    [[1, 1], [1, 1]]
    """

    kernel: _core.Trees
    n_trees: int
    n_features: int

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> PackedTrees:
        """Pack trees; those with other columns than the first are refused."""
        if len({tree.n_features for tree in trees}) != 1:
            raise ValueError("PackedTrees.of takes trees, one or more, over the same columns")
        return cls(_core.Trees([tree.kernel for tree in trees]), len(trees), trees[0].n_features)

    def apply(self, X: NDArray[np.float64], threads: int = 1) -> NDArray[np.int64]:
        """Return the leaf that each row ends in, of each tree, as the tree numbers it (rows x trees)."""
        self._check(X)
        return _core.apply_packed(self.kernel, X, threads)

    def sums(
        self, entries: Sequence[NDArray[np.float64]] | NDArray[np.float64], X: NDArray[np.float64], threads: int = 1
    ) -> NDArray[np.float64]:
        """Return the sum over the trees of the entries of the leaves that each row reaches (rows x columns).

        Parameters
        ----------
        entries : list of ndarray or ndarray
            Entries of the nodes of each tree (nodes x columns), such as class probabilities; or those of all trees in
            one array.
        X : ndarray
            The rows.
        threads : int, default=1
            Number of threads. The result does not depend on it: trees are added in their order.
        """
        self._check(X)
        joined = entries if isinstance(entries, np.ndarray) else np.concatenate(entries)
        packed = np.ascontiguousarray(joined, dtype=np.float64)
        return _core.sum_packed(self.kernel, packed, X, threads)

    def _check(self, X: NDArray[np.float64]) -> None:
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X must have {self.n_features} columns, found shape {X.shape}")


def output_entries(trees: Sequence[SplitArrays], n_outputs: int) -> NDArray[np.float64]:
    """Return the term of each node of all trees in each output (nodes x outputs); tree i belongs to output i mod n."""
    entries = np.zeros((sum(tree.value.shape[0] for tree in trees), n_outputs))
    start = 0
    for i, tree in enumerate(trees):
        entries[start : start + tree.value.shape[0], i % n_outputs] = tree.value[:, 0]
        start += tree.value.shape[0]
    return entries
