"""What one worker does with the rows of a node that were brought together: grow the tree below it, or split it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from askew.data.table import Table
from askew.grow.criterion import as_criterion
from askew.grow.grow import Node, Search, grow
from askew.grow.limits import Limits
from askew.model.tree import Tree


def together(pieces: Sequence[Table]) -> Table:
    """Return one table of the rows of several, in an order that depends on what the rows hold alone."""
    table = replace(
        pieces[0],
        X=np.concatenate([piece.X for piece in pieces]),
        y=np.concatenate([piece.y for piece in pieces]),
        weight=np.concatenate([piece.weight for piece in pieces]),
        multiplicity=np.concatenate([piece.multiplicity for piece in pieces]),
    )
    return table.take(np.lexsort((table.weight, table.row_hash(0))))


def grow_gathered(what: tuple[Any, ...], search: Search, limits: Limits, *pieces: Table) -> Tree:
    """Grow the tree below a node."""
    criterion, _, seed, threads = what
    table = together(pieces)
    return grow(table, search, as_criterion(criterion, classification=table.classification), limits, seed, threads)


def find_gathered(
    what: tuple[Any, ...], search: Search, limits: tuple[float, float], *pieces: Table
) -> tuple[Any, int]:
    """Find the split of a node."""
    given, depth, seed, threads = what
    table = together(pieces)
    criterion = as_criterion(given, classification=table.classification)
    summary = table.summary(criterion, table.everything)
    node = Node(
        table, table.everything, depth, seed, *summary, limits[0], threads, min_weight_leaf=limits[1], grown_on=table
    )
    split = search.find(node, criterion, seed)
    return split, node.n_evaluated
