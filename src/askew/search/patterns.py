"""The rows of a node as APDT's patterns: scaled, each only once, in an order that only they decide."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.grow.grow import Node


@dataclass(frozen=True, eq=False)
class Units:
    """How features are scaled: ``(x - shift) / scale``. Constant ones are left out.

    Attributes
    ----------
    features : ndarray
        Numbers of the features that vary.
    shift, scale : ndarray
        Of these features.
    """

    features: NDArray[np.int64]
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]


def units_of(table: Table, normalize: str | None) -> Units:
    """Return how to scale: "minmax" to [-1, 1], "max" by the largest size, None not at all.

    Neither the order of the rows nor repetition changes it.
    """
    low, high = table.extent
    half = high / 2 - low / 2  # halves do not overflow
    if normalize == "minmax":
        shift, scale = low / 2 + high / 2, half
    else:
        size = np.maximum(np.abs(low), np.abs(high))
        # Without a scale, only values whose products would overflow are divided, all by the same power of two.
        common = np.ldexp(1.0, max(0, int(np.ceil(np.log2(max(float(size.max()), 1.0)))) - 100))
        shift, scale = np.zeros_like(size), size if normalize == "max" else np.full_like(size, common)
    features = np.flatnonzero(half > np.finfo(np.float64).tiny)
    return Units(features, shift[features], scale[features])


@dataclass(frozen=True, eq=False)
class Patterns:
    """Different rows of a node.

    Attributes
    ----------
    rows : ndarray
        A row of the table for each pattern.
    X : ndarray
        Scaled features (patterns x features).
    label : ndarray
        Class codes.
    weight : ndarray
        Summed over equal rows.
    samples : ndarray
        How many samples each stands for.
    n_classes : int
        Number of classes.
    """

    rows: NDArray[np.uint32]
    X: NDArray[np.float64]
    label: NDArray[np.int32]
    weight: NDArray[np.float64]
    samples: NDArray[np.float64]
    n_classes: int


def patterns_of(node: Node, units: Units) -> Patterns:
    """Return the patterns of a node.

    Their order is that of a hash of the features, then of the class: rows that two nodes share come in the same order
    in both, and what the classes are called does not matter.
    """
    table = node.table.take(node.rows)
    hashed = replace(table, y=np.zeros_like(table.y)).row_hash(0)
    order = np.lexsort((table.y, hashed))
    X, y = table.X[order], table.y[order]
    new = np.ones(order.size, dtype=bool)
    new[1:] = (X[1:] != X[:-1]).any(axis=1) | (y[1:] != y[:-1])
    first = np.flatnonzero(new)
    return Patterns(
        node.rows[order][first],
        np.ascontiguousarray((X[first][:, units.features] / 2 - units.shift / 2) / units.scale * 2),
        y[first].astype(np.int32),
        np.add.reduceat(table.weight[order], first),
        np.add.reduceat(table.multiplicity[order], first),
        table.n_classes,
    )
