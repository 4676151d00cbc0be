"""Linear leaves: a linear model at every node of a tree, so that each subtree has those of its leaves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.model.leaf_values import Constant, Linear
from askew.model.split_arrays import starts
from askew.model.tree import Tree
from askew.parallel import Progress

WIDENED = 0.1  # share of the range of y at a node by which a prediction may exceed this range, on either side


def fit_leaf_models(tree: Tree, table: Table, threads: int = 1, progress: Progress | None = None) -> Tree:
    """Return the tree with a linear model at every node that is expected to do better with one.

    The root's model is a ridge regression on all columns. Every other node fits the residuals of its parent's model,
    with a penalty on the difference, so that a node of few rows stays close to its parent. The strength of the
    penalty, and whether the node keeps a model at all, is decided by generalised cross-validation. What is predicted
    stays within the range of y at the node, widened by a tenth. Since inner nodes have models too, every subtree does:
    prune what this returns (`askew.prune.cost_complexity.PruningPath` then goes by the models' losses).

    Rows with missing values are left out of the fits, and get the value of their leaf. Columns of codes (categories as
    C4.5 takes them) have no weights.

    Parameters
    ----------
    tree : Tree
        A tree of any kind; models that it has already are fitted again.
    table : Table
        The rows that it was grown on.
    threads : int, default=1
        Number of threads. The result does not depend on it.
    progress : callable or None, default=None
        Called now and then with the share of the work that is done.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import CARTRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = CARTRegressor(max_leaf_nodes=2, leaf_model="linear").fit(X, y)
    >>> round(tree.score(X, y), 1), round(CARTRegressor(max_leaf_nodes=2).fit(X, y).score(X, y), 1)
    (0.5, 0.3)
    """
    plain = without_models(tree)
    features = np.flatnonzero(np.array(table.levels) == 0) if table.levels else np.arange(table.n_features)
    if not features.size:
        return plain
    missing = np.isnan(table.X[:, features]).any(axis=1)
    rows = np.flatnonzero(~missing).astype(np.uint32)
    order, begin, count = plain.rows_by_node(plain.apply(table.X[rows] if rows.size < table.n_rows else table.X))
    counted = table if table.classification else replace(table, multiplicity=_distinct(table))
    found = _core.leaf_models(
        counted.target,
        table.X,
        features,
        np.ascontiguousarray(plain.value),
        order=rows[order],
        begin=begin,
        end=begin + count,
        parent=plain.parent,
        threads=threads,
        progress=progress,
    )
    return replace(plain, payload=_payload(plain, features, found))


def _distinct(table: Table) -> NDArray[np.float64]:
    """Return for each row its part of the equal rows: they count as one sample.

    A copy of a row carries no information. A model that interpolates its rows would predict each held-out row exactly
    from its copies.
    """
    _, group, size = np.unique(table.row_hash(0), return_inverse=True, return_counts=True)
    return np.asarray(1 / size[group])


def without_models(tree: Tree) -> Tree:
    """Return the tree whose leaves predict constants."""
    return replace(tree, payload=Constant(tree.value)) if tree.payload.varies else tree


def _payload(tree: Tree, features: NDArray[np.int64], found: dict[str, NDArray[np.float64]]) -> Linear:
    """Return the models as arrays, weights of zero left out."""
    node, outputs = found["node"].astype(np.int64), tree.n_outputs
    weight = found["weight"].reshape(node.size, outputs, features.size).transpose(0, 2, 1)
    used = (weight != 0).any(axis=2)
    count = np.zeros(tree.node_count, dtype=np.int64)
    count[node] = used.sum(axis=1)
    margin = WIDENED * (found["high"] - found["low"])
    return Linear(
        tree.value,
        starts(count),
        features[np.nonzero(used)[1]],
        np.ascontiguousarray(weight[used]),
        np.ascontiguousarray(found["constant"].reshape(-1, outputs)),
        found["low"] - margin,
        found["high"] + margin,
        found["loss"],
    )
