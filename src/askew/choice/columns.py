"""Trees that see some of the columns only: a table without the others, and a tree of it among all columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from askew.payload import Linear
from askew.table import Table
from askew.tree import Tree


def narrowed(table: Table, columns: Sequence[int] | None) -> Table:
    """Return the table with these columns alone; None for all."""
    if columns is None:
        return table
    return replace(
        table,
        X=np.ascontiguousarray(table.X[:, list(columns)]),
        feature_names=tuple(table.feature_names[column] for column in columns),
        levels=tuple(table.levels[column] for column in columns) if table.levels else (),
    )


def renumbered(tree: Tree, columns: NDArray[np.int64], n_features: int) -> Tree:
    """Return the tree for other columns, so many, where what was column i is ``columns[i]``."""
    payload = tree.payload
    if isinstance(payload, Linear):
        payload = replace(payload, model_feature=columns[payload.model_feature])
    return replace(tree, feature=columns[tree.feature], payload=payload, n_features=n_features)


def tested_columns(tree: Tree) -> NDArray[np.int64]:
    """Return the columns that the nodes of a tree test, or that its leaves have weights for."""
    of_leaves = tree.payload.model_feature if isinstance(tree.payload, Linear) else tree.feature[:0]
    return np.unique(np.concatenate([tree.feature, of_leaves]))
