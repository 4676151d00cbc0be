"""Queries of penalised fits (``search="linear"``): moments of a partition's rows, as integer multiples of a unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.dask.exact_sums import LARGE
from askew.dask.partition import Partition
from askew.dask.queries import Answer, Query
from askew.model.split import Split

Side = tuple[Split, int]  # the rows that a split sends to a child


def lower_triangle(m: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of the lower triangle of a matrix of m rows: only this half is sent."""
    return np.tril_indices(m)


def _multiples(sums: NDArray[np.float64], unit: float | NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(sums / unit).astype(np.int64)


def _triangles(grams: NDArray[np.float64], m: int, unit: float) -> NDArray[np.int64]:
    """Return the lower triangles of some matrices (matrices x entries)."""
    return _multiples(grams.reshape(-1, m, m)[:, *lower_triangle(m)], unit)


def _members(part: Partition, rows: NDArray[np.uint32], side: Side) -> NDArray[np.bool_]:
    split, child = side
    return np.equal(split.route(part.table.X, rows), child)


@dataclass(frozen=True, eq=False)
class ColumnSums(Query):
    """Of every column the sum of ``u t``, or of ``u (t - mean)**2``, t its value as a share of its range; last, of u.

    Attributes
    ----------
    scales : ndarray
        Least value, half of the range, mean and deviation of the columns (core/linear/exact_sums.hpp).
    squares : bool
        Whether to sum the squares.
    by_samples : bool
        Whether the weights u are the samples that a row stands for.
    unit : float
        Unit that terms are rounded to.
    """

    scales: NDArray[np.float64]
    squares: bool
    by_samples: bool
    unit: float

    def answer(self, part: Partition) -> Answer:
        """Sum every column."""
        sums = _core.column_sums(
            part.node(self.path),
            scales=self.scales,
            squares=self.squares,
            by_samples=self.by_samples,
            large=LARGE * self.unit,
        )
        return (_multiples(sums, self.unit),)


@dataclass(frozen=True, eq=False)
class Losses(Query):
    """The loss of logistic fits, its gradient, and the lower triangle of its curvature; a row for each fit.

    Attributes
    ----------
    scales : ndarray
        Least value, half of the range, mean and deviation of the columns.
    groups : ndarray
        The two groups of classes of each fit: 1, 0, or -1 for a class that is left out.
    weights : ndarray
        Weights of each fit at which its loss is computed.
    loss_units : ndarray
        Unit that the terms of each loss are rounded to.
    unit : float
        Unit of all other terms.
    """

    merge = (np.add, np.add, np.add)

    scales: NDArray[np.float64]
    groups: NDArray[np.int8]
    weights: NDArray[np.float64]
    loss_units: NDArray[np.float64]
    unit: float

    def answer(self, part: Partition) -> Answer:
        """Sum over the rows."""
        losses, gradients, grams = _core.loss_sums(
            part.node(self.path),
            scales=self.scales,
            groups=self.groups,
            weights=self.weights,
            large_loss=LARGE * self.loss_units,
            large=LARGE * self.unit,
        )
        return (
            _multiples(losses, self.loss_units),
            _multiples(gradients, self.unit),
            _triangles(grams, self.weights.shape[1], self.unit),
        )


@dataclass(frozen=True, eq=False)
class ClassSums(Query):
    """The sums of the columns and of the constant of each class, and the lower triangle of ``(X 1)'U(X 1)``."""

    merge = (np.add, np.add)

    scales: NDArray[np.float64]
    unit: float

    def answer(self, part: Partition) -> Answer:
        """Sum over the rows."""
        sums, gram = _core.class_sums(part.node(self.path), scales=self.scales, large=LARGE * self.unit)
        return _multiples(sums, self.unit), _triangles(gram, sums.shape[1], self.unit)


@dataclass(frozen=True, eq=False)
class LineSums(Query):
    """Of the rows of each of some sides ``(X 1)'U(X 1)``, ``(X 1)'Uy`` and ``y'Uy``; and how many of them there are.

    Attributes
    ----------
    scales : ndarray
        Least value, half of the range, mean and deviation of the columns.
    sides : tuple of Side
        Sides of splits; empty for all rows.
    before : tuple of Side
        An earlier side for each of `sides`, or empty. The rows in it, and in both, are counted, too.
    mean, deviation : float
        Mean and deviation of y.
    unit : float
        Unit that terms are rounded to.
    """

    merge = (np.add, np.add, np.add, np.add)

    scales: NDArray[np.float64]
    sides: tuple[Side, ...]
    before: tuple[Side, ...]
    mean: float
    deviation: float
    unit: float

    def answer(self, part: Partition) -> Answer:
        """Sum over the rows."""
        rows = part.rows(self.path)
        members = [_members(part, rows, side) for side in self.sides] or [np.ones(rows.size, dtype=bool)]
        earlier = [_members(part, rows, side) for side in self.before] or members
        grams, products, squares = _core.line_sums(
            part.node(self.path),
            scales=self.scales,
            sides=np.array(members, dtype=np.uint8),
            mean=self.mean,
            deviation=self.deviation,
            large=LARGE * self.unit,
        )
        return (
            _triangles(grams, products.shape[1], self.unit),
            _multiples(products, self.unit),
            _multiples(squares, self.unit),
            _overlaps(members, earlier),
        )


def _overlaps(now: Sequence[NDArray[np.bool_]], before: Sequence[NDArray[np.bool_]]) -> NDArray[np.int64]:
    """Return how many rows are in each of `now`, in each of `before`, and in both."""
    return np.array([(a.sum(), b.sum(), (a & b).sum()) for a, b in zip(now, before, strict=True)], dtype=np.int64)
