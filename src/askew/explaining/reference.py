"""What contributions are differences from: the mean of some rows at each node, of the training rows, or 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.tree import Tree


@dataclass(frozen=True, eq=False)
class Reference:
    """The reference of each node.

    Attributes
    ----------
    everywhere : a value for each column that the tree tests
    rows : the rows whose means are taken, as the tree sees them; None without any
    in_parts : whether rows with missing values go down the tree in parts
    told : what it is, in words
    """

    everywhere: NDArray[np.float64]
    rows: NDArray[np.float64] | None
    told: str
    in_parts: bool = False

    @classmethod
    def of(cls, estimator: Any, background: NDArray[np.float64] | None) -> Reference:
        """Return the means of the background rows, else those that `fit` kept, else 0."""
        n_columns = estimator.tree_.n_features
        if background is not None:
            in_parts = estimator.missing_ == "fractional" and bool(np.isnan(background).any())
            return cls(_means(background), background, "the mean of the background rows at each node", in_parts)
        if estimator.feature_means_ is None:
            return cls(np.zeros(n_columns), None, "0")
        encoder, means = estimator.encoder_, estimator.feature_means_
        if encoder is None:
            return cls(means, None, "the mean of the training rows")
        numbers = ~encoder.is_categorical[encoder.origin] & ~encoder.is_indicator
        everywhere = np.where(numbers, means[encoder.origin], 0.0)
        return cls(everywhere, None, "the mean of the training rows; of categories, from none")

    def of_tree(self, tree: Any) -> Callable[[int], NDArray[np.float64]]:
        """Return a function from nodes to values; a node that no row comes to, or a rule network, has those of all."""
        rows = self.rows
        if rows is None or not isinstance(tree, Tree):
            return lambda node: self.everywhere
        passed = tree.decision_path(rows, 1, self.in_parts).tocsc()

        def means(node: int) -> NDArray[np.float64]:
            here = passed.indices[passed.indptr[node] : passed.indptr[node + 1]]
            return _means(rows[here]) if here.size else self.everywhere

        return means


def _means(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of what is known of each column; 0 where nothing is."""
    known = ~np.isnan(rows)
    count = known.sum(axis=0)
    with np.errstate(over="ignore"):
        return np.asarray(np.where(known, rows, 0.0).sum(axis=0) / np.maximum(count, 1))
