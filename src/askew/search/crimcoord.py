"""CRIMCOORD: at each node, a categorical feature becomes a number, its first discriminant coordinate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, svd

from askew.data.encoder import Encoder
from askew.grow.criterion import Criterion
from askew.grow.grow import Node, Search
from askew.model.split import HYPERPLANE, LINEAR_MACHINE, Hyperplane, LinearMachine, Split

# Canonical correlations below this are rounding: the categories carry no information about the classes.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Crimcoord:
    """Any search, in a space in which each categorical feature is its first discriminant coordinate.

    The values of the categories separate the classes of the node best (they maximise the ratio of the between-class to
    the total sum of squares), with mean 0 and variance 1. For regression the value of a category is its mean of y,
    scaled in the same way; with two classes, 0 and 1, both are the same. The split that the search finds is mapped
    back exactly: ``w * value`` is the weight of a category's indicator column.

    A category that is absent at the node, or was not in the training data, has the value 0, the mean. If the
    categories carry no information about the classes, all values are 0.

    Parameters
    ----------
    search : Search
        The search to run.
    groups : tuple of (int, int)
        The indicator columns of each categorical feature: the first, and the one after the last.

    References
    ----------
    Loh, Shih: Split selection methods for classification trees. Statistica Sinica 7 (1997), section 2: QUEST.
    Wickramarachchi, Robertson, Reale, Price, Brown: HHCART: An oblique decision tree. Computational Statistics &
    Data Analysis 96 (2016).

    Examples
    --------
    >>> import pandas as pd
    >>> from askew import CARTClassifier, export_text
    >>> frame = pd.DataFrame({"colour": ["red", "blue", "green", "pink", "red"]})
    >>> print(export_text(CARTClassifier(categorical_encoding="crimcoord").fit(frame, [0, 1, 0, 1, 0])))
    2 leaves, depth 1; class weights are [0 1]
    if colour in {blue, pink}  5 rows  100.0%  [3 2]
    |  => 1                    2 rows   40.0%  [0 2]
    else
    |  => 0                    3 rows   60.0%  [3 0]
    """

    search: Search
    groups: tuple[tuple[int, int], ...]

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split that the search finds in the discriminant coordinates."""
        X = node.X
        coordinates = self._coordinates(node)
        table = replace(
            node.table.take(node.rows),
            X=np.column_stack([X[:, coordinate.columns] @ coordinate.values for coordinate in coordinates]),
            feature_names=tuple(node.table.feature_names[coordinate.columns[0]] for coordinate in coordinates),
        )
        inner = node.on(table)
        split = self.search.find(inner, criterion, seed)
        node.n_evaluated += inner.n_evaluated
        return None if split is None else _mapped_back(split, coordinates)

    def _coordinates(self, node: Node) -> list[_Coordinate]:
        """Return the coordinates of a node: one for each numeric and one for each categorical feature."""
        ends = dict(self.groups)
        coordinates, first = [], 0
        while first < node.X.shape[1]:
            columns = np.arange(first, ends.get(first, first + 1))
            values = _values(node, node.X[:, columns]) if first in ends else np.ones(1)
            coordinates.append(_Coordinate(columns, values))
            first += columns.size
        return coordinates


class _Coordinate(NamedTuple):
    """A coordinate: the weighted sum of these columns of the table, with these values as weights."""

    columns: NDArray[np.int64]
    values: NDArray[np.float64]


def in_coordinates(search: Search, encoder: Encoder | None, encoding: str) -> Search:
    """Return the search, in discriminant coordinates if `encoding` is "crimcoord" and there are categories."""
    if encoder is None or encoding != "crimcoord" or not encoder.groups:
        return search
    return Crimcoord(search, encoder.groups)


def discriminant_coordinate(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the first discriminant coordinate of each category.

    Loh & Shih compute eigenvectors of a matrix with a row for each category. A singular value decomposition of the
    counts (correspondence analysis) gives the same values, in less time and without small eigenvalues to drop.
    Categories are sorted by their counts first, so that their names do not matter, not even in the last bit. The value
    of the most frequent category is not negative.

    Parameters
    ----------
    counts : ndarray
        Weight of each class in each category (categories x classes); rows and columns of zeros are absent ones.

    Returns
    -------
    values : ndarray
        One value for each category, with mean 0 and variance 1.

    Examples
    --------
    >>> from askew.search.crimcoord import discriminant_coordinate
    >>> discriminant_coordinate(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])).round(3) + 0.0
    array([ 1.225,  0.   , -1.225])
    """
    values = np.zeros(counts.shape[0])
    present = np.flatnonzero(counts.any(axis=1))
    if present.size == 0:
        return values
    table = counts[present][:, counts.any(axis=0)]
    order = np.lexsort(table.T)
    present, table = present[order], table[order]
    mass = table.sum(axis=1)
    share, by_class = mass / mass.sum(), table.sum(axis=0) / mass.sum()
    deviation = table / mass[:, None] - by_class  # equal for categories with equal shares of the classes
    try:
        _, correlation, directions = svd(deviation * np.sqrt(share)[:, None] / np.sqrt(by_class), full_matrices=False)
    except LinAlgError:
        return values
    if correlation[0] > _ROUNDING:
        first = _standardized((deviation * (directions[0] / np.sqrt(by_class))).sum(axis=1), share)
        values[present] = first if first[mass.argmax()] >= 0 else -first
    return values


def _values(node: Node, indicators: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the value of each category at a node."""
    known = ~np.isnan(indicators[:, 0])
    code, weight = indicators.argmax(axis=1)[known], node.weight[known]
    m, y = indicators.shape[1], node.y[known]

    def sums(cell: NDArray[np.integer], of: NDArray[np.float64], n: int) -> NDArray[np.float64]:
        return np.bincount(cell, of, n).astype(np.float64, copy=False)

    if node.table.classification:
        k = node.table.n_classes
        return discriminant_coordinate(sums(code * k + y, weight, m * k).reshape(m, k))
    mass = sums(code, weight, m)
    return _standardized(sums(code, weight * y, m) / np.where(mass > 0, mass, 1), mass)


def _standardized(values: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values with mean 0 and variance 1; all 0 if they are equal. Values without weight become 0."""
    total = fsum(weight)  # exactly rounded: the order of the categories does not matter
    if not total > 0:
        return np.zeros(values.size)
    centred = np.where(weight > 0, values - fsum(weight * values) / total, 0.0)
    size = np.abs(centred).max()
    if not size > _ROUNDING * np.abs(values).max():
        return np.zeros(values.size)
    centred /= size  # squares of huge numbers would overflow
    return np.asarray(centred / np.sqrt(fsum(weight * centred**2) / total))


def _mapped_back(split: Split, coordinates: list[_Coordinate]) -> Split:
    """Return the split in the columns of the table; the sums of its terms are equal to the bit."""
    used = [coordinates[c] for c in split.features.tolist()]
    columns = np.concatenate([coordinate.columns for coordinate in used])
    if split.kind == HYPERPLANE:
        weights = np.concatenate([w * coordinate.values for w, coordinate in zip(split.weights, used, strict=True)])
        kept = weights != 0
        return Hyperplane(columns[kept], weights[kept], split.threshold)
    if split.kind == LINEAR_MACHINE:
        rows = [
            np.concatenate([*(w * coordinate.values for w, coordinate in zip(row, used, strict=False)), row[-1:]])
            for row in split.weights
        ]
        return LinearMachine(columns, np.array(rows))
    raise TypeError(f"a {type(split).__name__} cannot be expressed in indicator columns; use another encoding")
