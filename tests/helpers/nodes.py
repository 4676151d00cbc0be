"""Nodes to search, for tests of searches alone."""

import numpy as np
import pytest

from askew import _core
from askew.grow.criterion import as_criterion
from askew.grow.grow import Node
from askew.grow.limits import Limits
from askew.grow.rows import LocalRows


def root_of(table, criterion=None, rows=None, threads=1, grown_on=None, **limits):
    """The root of a tree on this table; the criterion is gini or the squared error unless it is given."""
    name = ("gini" if table.classification else "squared_error") if criterion is None else criterion
    rows = table.all_rows if rows is None else rows
    local = LocalRows(table, rows, Limits(**limits), threads, grown_on)
    return Node.of(local, as_criterion(name, classification=table.classification), 0, 7)


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
