"""Changed copies: a table with some of its columns, a tree with other column numbers or with moved subtrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.model.split import Split
from askew.model.tree import Tree


def narrowed(table: Table, columns: Sequence[int] | None) -> Table:
    """Return the table with only these columns; None for all."""
    if columns is None:
        return table
    return replace(
        table,
        X=np.ascontiguousarray(table.X[:, list(columns)]),
        feature_names=tuple(table.feature_names[column] for column in columns),
        levels=tuple(table.levels[column] for column in columns) if table.levels else (),
    )


def renumbered(tree: Tree, columns: NDArray[np.int64], n_features: int) -> Tree:
    """Return the tree for `n_features` other columns, where column i becomes ``columns[i]``."""
    payload = tree.payload.renumbered(columns)
    return replace(tree, feature=columns[tree.feature], payload=payload, n_features=n_features)


def tested_columns(tree: Tree) -> NDArray[np.int64]:
    """Return the columns that the nodes of a tree test, or that its leaves have weights for."""
    return np.unique(np.concatenate([tree.feature, tree.payload.columns]))


def rearranged(tree: Tree, now: NDArray[np.int64]) -> Tree:
    """Return the tree in which node i has the test and the children of node ``now[i]``, or is a leaf (-1).

    The values and counts are still those of the replaced nodes: `askew.grow.rows.recounted` computes new ones.
    """
    order, first_child = [0], []
    for node in order:  # appended to while iterating (breadth-first)
        test = int(now[node])
        first_child.append(len(order) if test >= 0 else 0)
        if test >= 0:
            first = int(tree.first_child[test])
            order.extend(range(first, first + int(tree.n_children[test])))
    kept = np.array(order)
    tests: list[Split | None] = [tree.split(test) if test >= 0 else None for test in now[kept].tolist()]
    return Tree.from_nodes(
        tests,
        first_child,
        tree.value[kept],
        tree.n_samples[kept],
        tree.mass[kept],
        tree.impurity[kept],
        tree.n_features,
        tree.n_hyperplanes,
    )
