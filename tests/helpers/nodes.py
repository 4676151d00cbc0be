"""Nodes to search, for tests of searches alone."""

import numpy as np
import pytest

from askew import _core
from askew.grow.criterion import as_criterion
from askew.grow.grow import Node


def root_of(table, criterion=None, **given):
    """The root of a tree on this table; the criterion is gini or the squared error unless it is given."""
    name = ("gini" if table.classification else "squared_error") if criterion is None else criterion
    kernel = as_criterion(name, classification=table.classification).kernel
    rows = np.arange(table.n_rows, dtype=np.uint32)
    summary = _core.summary(kernel, table.target, rows)
    return Node(table, rows, 0, 7, *summary, **{"min_samples_leaf": 1.0, "threads": 1, **given})


def kernel_node(table, rows=None, min_samples_leaf=1.0, threads=1):
    """Rows of a table as a node of the compiled core; all of them by default."""
    rows = np.arange(table.n_rows) if rows is None else rows
    return _core.Node(
        target=table.target,
        X=table.X,
        rows=rows.astype(np.uint32),
        min_samples_leaf=min_samples_leaf,
        min_weight_leaf=0.0,
        threads=threads,
    )


def check_plane(split, n_features, weights, threshold):
    """A split's plane is the expected one, up to a factor and rounding."""
    dense = np.zeros(n_features)
    dense[split.features] = split.weights
    factor = np.abs(dense).max() / np.abs(weights).max()
    np.testing.assert_allclose(dense, weights * factor, rtol=1e-9, atol=1e-12)
    assert split.threshold == pytest.approx(threshold * factor, rel=1e-9, abs=1e-9)
