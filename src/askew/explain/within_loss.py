"""The simplest tree that loses no more than is allowed on held-out rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from askew.criterion import Criterion
from askew.explain.short_tree import shortened
from askew.explain.short_weights import Shortening, Significant, Unchanged, Whole
from askew.prune.cost_complexity import loss_at
from askew.split import HYPERPLANE
from askew.table import Table
from askew.tree import Tree

FOLDS = 5
SHARES = (0.5, 0.25, 0.1, 0.05, 0.02, 0.0)  # of the largest effect: terms are kept from here on
# Of ways with equally many terms, the first.
WAYS: tuple[Shortening, ...] = (
    *(Whole(share, digits, drops) for share in SHARES for digits in (1, 2) for drops in (True, False)),
    *(Significant(digits, drops) for digits in (1, 2, 3) for drops in (True, False)),
)


def simplest_within(
    tree: Tree, table: Table, criterion: Criterion, spread: NDArray[np.float64], max_loss: float
) -> tuple[Shortening, float]:
    """Return the way of shortening that leaves the fewest terms and loses at most so much, and what it loses.

    Every way sets thresholds and leaves on four fifths of the rows, and is measured on the last fifth, in turn; so is
    the tree with its own weights, with which it is compared. Of ways with equally many terms, the first is taken. The
    planes themselves have seen all rows: a term that fits a row by chance is missed where it is dropped, so that
    rather too much is kept than too little.
    """
    fold = np.floor(table.places(0) * FOLDS).astype(np.int64)
    parts = [(table.take(fold != k), table.take(fold == k)) for k in range(FOLDS) if (fold == k).any()]
    scale = 1.0 if table.classification else _variance(table)

    def lost(way: Shortening) -> float:
        total = 0.0
        for grown, held_out in parts:
            if grown.n_rows:
                short = shortened(tree, grown, criterion, spread, way)
                total += float(held_out.weight @ loss_at(short, short.apply(held_out.X), held_out))
        return total / float(table.weight.sum()) / scale

    least = lost(Unchanged())
    whole = bool((tree.kind == HYPERPLANE).any())  # linear machines stay with fractions
    ways = [way for way in WAYS if whole or not isinstance(way, Whole)]
    by_terms = sorted(ways, key=lambda way: shortened(tree, table, criterion, spread, way).n_terms)
    for way in by_terms:
        more = lost(way) - least
        if more <= max_loss:
            return way, more
    return Unchanged(), 0.0


def _variance(table: Table) -> float:
    mean = np.average(table.y, weights=table.weight)
    return float(np.average((table.y - mean) ** 2, weights=table.weight)) or 1.0
