"""The rows that reach each node of a tree, and the histogram of the tested sum: shared by the plots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from askew.data.frames import MatrixLike
from askew.explaining.one_row import as_seen
from askew.export.fitted import Fitted, fitted_model
from askew.export.wording import Wording
from askew.model.leaf_values import AnyArray
from askew.model.split import HYPERPLANE
from askew.model.tree import Tree

_TAIL = 0.005  # of the rows, on either side, that the first and the last bin gather
_HUGE = 4e307  # twice this is still finite


@dataclass(frozen=True, eq=False)
class NodeHistogram:
    """Histogram of the rows of a node over its tested sum.

    Attributes
    ----------
    edges : ndarray
        The ends of the bins, ascending.
    count : ndarray
        Rows in each bin, by class (bins x classes); one column for regression.
    mean : ndarray or None
        Mean target of each bin, NaN where it is empty; None for classification.
    threshold : float or None
        Threshold of the node, one of the edges; None where the bins are the children.
    mirrored : bool
        Whether the rows above the threshold go to the first child.
    """

    edges: NDArray[np.float64]
    count: NDArray[np.float64]
    mean: NDArray[np.float64] | None
    threshold: float | None
    mirrored: bool = False


@dataclass(frozen=True, eq=False)
class TreeRows:
    """Rows, and the nodes of a tree that they reach.

    Attributes
    ----------
    tree : Tree
        The tree.
    columns : ndarray
        The rows as the tree tests them.
    target : ndarray
        The class code, or the target, of each row.
    n_classes : int
        Number of classes; 0 for regression.
    order, start : ndarray
        The rows of node i are ``order[start[i] : start[i + 1]]``.
    """

    tree: Tree
    columns: NDArray[np.float64]
    target: AnyArray
    n_classes: int
    order: NDArray[np.int64]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, estimator: Fitted, X: MatrixLike | None, y: ArrayLike | None) -> TreeRows:
        """Send rows down a fitted tree, or a Pipeline that ends in one.

        Raises
        ------
        ValueError
            If y is missing, of another length than X, or has a class that the tree does not know.
        """
        if X is None or y is None:
            raise ValueError("X and y are needed together. Got only one of them.")
        check_consistent_length(X, y)
        model = fitted_model(estimator)
        tree, target = model.tree, np.asarray(y).ravel()
        last, X = as_seen(estimator, X)
        path = last.decision_path(X).tocsc()
        target = target.astype(np.float64) if model.classes is None else _codes(target, model.classes)
        n_classes = 0 if model.classes is None else model.n_outputs
        return cls(
            tree, last.encoded(X), target, n_classes, path.indices.astype(np.int64), path.indptr.astype(np.int64)
        )

    def at(self, node: int) -> NDArray[np.int64]:
        """Return the numbers of the rows that reach a node."""
        return self.order[self.start[node] : self.start[node + 1]]

    def size(self, node: int) -> int:
        """Return how many rows reach a node."""
        return int(self.start[node + 1] - self.start[node])

    def counts(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the number of rows of each class; for regression, of all."""
        if not self.n_classes:
            return np.array([float(rows.size)])
        return np.bincount(self.target[rows], minlength=self.n_classes).astype(np.float64)

    def histogram(self, node: int, wording: Wording, bins: int) -> NodeHistogram:
        """Return the histogram of a hyperplane's sum; for any other test, the rows of each child."""
        if self.tree.kind[node] != HYPERPLANE or wording.choice(node) is not None:
            first, n = int(self.tree.first_child[node]), int(self.tree.n_children[node])
            groups = [self.at(child) for child in range(first, first + n)]
            return self._binned(np.arange(n + 1.0), groups, None, False)
        rows = self.at(node)
        value, threshold, mirrored = self.projected(node, wording)
        rows, value = rows[np.isfinite(value)], value[np.isfinite(value)]
        edges = _edges(value, threshold, bins)
        which = np.clip(np.searchsorted(edges, value, "right" if mirrored else "left") - 1, 0, edges.size - 2)
        order = np.argsort(which, kind="stable")
        groups = np.split(rows[order], np.searchsorted(which[order], np.arange(1, edges.size - 1)))
        return self._binned(edges, groups, threshold, mirrored)

    def projected(self, node: int, wording: Wording) -> tuple[NDArray[np.float64], float, bool]:
        """Return the sums of a hyperplane for the rows of its node, in printed units, and the threshold.

        The third result is whether the rows above the threshold go to the first child: a feature alone is not negated.
        """
        single, columns = wording.single(node), self.columns[self.at(node)]
        if single is not None:
            column, sign, level = single
            return columns[:, column], level, sign < 0
        tested, _ = self.tree.test(node)
        with np.errstate(over="ignore", invalid="ignore"):
            value = columns[:, tested] @ wording.weights(node)
        return value, float(wording.tests.threshold[node]), False

    def _binned(
        self,
        edges: NDArray[np.float64],
        groups: list[NDArray[np.int64]],
        threshold: float | None,
        mirrored: bool,
    ) -> NodeHistogram:
        count = np.array([self.counts(rows) for rows in groups])
        mean = None
        if not self.n_classes:
            mean = np.array([self.target[rows].mean() if rows.size else np.nan for rows in groups])
        return NodeHistogram(edges, count, mean, threshold, mirrored)


def _codes(y: AnyArray, classes: AnyArray) -> NDArray[np.int64]:
    known = {label: code for code, label in enumerate(classes.tolist())}
    unseen = sorted({str(label) for label in y.tolist() if label not in known})
    if unseen:
        raise ValueError(f"y has classes that the tree does not know: {', '.join(unseen[:5])}")
    return np.array([known[label] for label in y.tolist()], dtype=np.int64)


def _edges(value: NDArray[np.float64], threshold: float, bins: int) -> NDArray[np.float64]:
    """Return the ends of about this many bins of equal width, one of them at the threshold.

    Outliers fall into the first and the last bin: they would leave all others in the middle one.
    """
    low, high = np.quantile(value, [_TAIL, 1 - _TAIL]) if value.size else (threshold, threshold)
    low, high = max(min(float(low), threshold), -_HUGE), min(max(float(high), threshold), _HUGE)
    width = (high - low) / bins
    if not width > abs(threshold) * 1e-12:
        width = max(abs(threshold), 1.0) / bins
    left, right = (max(int(np.ceil(round(room / width, 6))), 1) for room in (threshold - low, high - threshold))
    return np.asarray(threshold + width * np.arange(-left, right + 1))
