"""`Table`: the data a tree learns from, validated once. Code that reads a table does not check it again."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from askew import _core


@dataclass(frozen=True, eq=False)
class Table:
    """Rows, their labels, and their weights.

    Attributes
    ----------
    X : float64 array (n, d)
        Features, C-ordered, finite; NaN where a value is missing, if the search supports that.
    y : int32 or float64 array (n)
        Class codes ``0..n_classes-1``, or numbers when ``n_classes`` is 0.
    weight : float64 array (n)
        Importance of each row (``sample_weight`` times ``class_weight``), positive.
    multiplicity : float64 array (n)
        Number of samples that each row stands for; limits count these. Integer sample weights are repetitions;
        any others are importances, and a row counts once.
    n_classes : int
        Number of classes; 0 for regression.
    feature_names : tuple of str
        One name for each column.
    levels : tuple of int
        Number of categories of each column, which then holds their codes ``0..levels-1``; 0 for a column of numbers;
        empty if all are. Only searches that split by categories see codes.
    divides : bool
        Whether a row with a missing value in a split's feature goes to every child in part (C4.5).
    n_input_features : int
        Number of features before encoding: a categorical one may have several columns here. 0: the number of columns.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int32] | NDArray[np.float64]
    weight: NDArray[np.float64]
    multiplicity: NDArray[np.float64]
    n_classes: int
    feature_names: tuple[str, ...]
    levels: tuple[int, ...] = ()
    divides: bool = False
    n_input_features: int = 0

    def __post_init__(self) -> None:
        if self.n_rows >= 2**32:  # the kernels number rows by 32 bits
            raise MemoryError(f"a tree learns from fewer than 4,294,967,296 rows, got {self.n_rows:,}")

    def __getstate__(self) -> dict[str, object]:
        """Leave out cached properties: another process computes them again."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def classification(self) -> bool:
        """Whether the rows have classes rather than numbers."""
        return self.n_classes > 0

    @property
    def n_counts(self) -> int:
        """Number of statistics of a node: one for each class, or the three moments of y."""
        return self.n_classes or 3

    @cached_property
    def incomplete(self) -> bool:
        """Whether values are missing, and rows in which they are go to several children in part."""
        return self.divides and self.n_rows > 0 and bool(np.isnan(self.X.min()))  # the minimum is NaN if any value is

    @cached_property
    def target(self) -> _core.Target:
        """The target and the weights as the kernels read them; weights that are all 1 are left out."""
        return _core.Target(
            label=self.y.astype(np.int32, copy=False) if self.classification else None,
            y=None if self.classification else self.y.astype(np.float64, copy=False),
            weight=None if np.all(self.weight == 1) else self.weight,
            multiplicity=None if np.all(self.multiplicity == 1) else self.multiplicity,
            k=self.n_counts,
        )

    @cached_property
    def extent(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest value of every column."""
        return self.X.min(axis=0), self.X.max(axis=0)

    @cached_property
    def single(self) -> bool:
        """Whether each row stands for one sample."""
        return bool((self.multiplicity == 1).all())

    @cached_property
    def n_distinct(self) -> int:
        """Number of distinct rows, by features and y."""
        return int(np.unique(self.row_hash(0)).size)

    @property
    def all_rows(self) -> NDArray[np.uint32]:
        """The numbers of all rows."""
        return np.arange(self.n_rows, dtype=np.uint32)

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Table:
        """Return the table of some of the rows."""
        return replace(
            self,
            X=np.ascontiguousarray(self.X[rows]),
            y=self.y[rows],
            weight=self.weight[rows],
            multiplicity=self.multiplicity[rows],
        )

    def row_hash(self, seed: int) -> NDArray[np.float64]:
        """Give each row a number in [0, 1) that depends on the seed and the row alone.

        Equal rows have equal numbers, so that a row with weight two and two equal rows are held out
        together, and the order of the rows does not matter.
        """
        hashed = np.full(self.n_rows, seed & 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
        _scramble(hashed)
        for column in (*self.X.T, self.y):
            number = column + 0.0  # -0.0 + 0.0 is 0.0: equal values, equal bits
            number[np.isnan(number)] = np.nan  # the same bits for every NaN
            bits = number.view(np.uint64)
            _scramble(bits)
            hashed ^= bits
            _scramble(hashed)
        return (hashed >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def positions(self, seed: int, by_class: bool = True) -> NDArray[np.float64]:
        """Give each row its position in (0, 1) among the rows of its class, or of all, in the order of `row_hash`.

        The rows below 0.1 are thus a tenth of the weight, as nearly as undivided rows allow. Equal rows share a
        position: the middle of the interval that they cover together.
        """
        drawn = self.row_hash(seed)
        label = self.y if by_class and self.classification else np.zeros(self.n_rows, dtype=np.int64)
        order = np.lexsort((drawn, label))
        label, drawn = label[order], drawn[order]
        new_class = np.append(True, label[1:] != label[:-1])
        group = np.cumsum(new_class | np.append(True, drawn[1:] != drawn[:-1])) - 1
        of_group, first = np.bincount(group, self.weight[order]), np.flatnonzero(new_class)
        before = np.cumsum(of_group) - of_group
        of_class = np.add.reduceat(of_group, group[first])
        kind = np.cumsum(new_class) - 1
        positions = np.empty(self.n_rows)
        positions[order] = (before[group] - before[group[first]][kind] + of_group[group] / 2) / of_class[kind]
        return positions

    def folds(self, seed: int, n_folds: int, by_class: bool = True) -> NDArray[np.int64]:
        """Return the fold of each row, ``0..n_folds-1``, of about equal weights; stratified unless not `by_class`."""
        return np.floor(self.positions(seed, by_class) * n_folds).astype(np.int64)


def _scramble(bits: NDArray[np.uint64]) -> None:
    """Spread 64 bits over 64 bits (splitmix64), in place."""
    bits += np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(30)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
