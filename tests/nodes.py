"""Nodes to search, for tests of searches alone."""

import numpy as np

from askew import _core
from askew.criterion import as_criterion
from askew.grow import Node


def root_of(table, criterion=None, **given):
    """The root of a tree on this table; the criterion is gini or the squared error unless it is given."""
    name = ("gini" if table.classification else "squared_error") if criterion is None else criterion
    kernel = as_criterion(name, classification=table.classification).kernel
    rows = np.arange(table.n_rows, dtype=np.uint32)
    summary = _core.summary(kernel, table.target, rows)
    return Node(table, rows, 0, 7, *summary, **{"min_samples_leaf": 1.0, "threads": 1, **given})
