"""`Plane`: what `plot_partition` draws of a space of many columns: two of them, or the two best directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from askew.split import HYPERPLANE
from askew.tree import Tree

_RIDGE = 1e-6  # of the spread of the columns, so that those that depend on each other do no harm


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane in the space of the columns: the point (a, b) of it is ``origin + span @ (a, b)``.

    Attributes
    ----------
    origin : where both coordinates are 0
    span : what a unit of each coordinate adds (columns x 2)
    """

    origin: NDArray[np.float64]
    span: NDArray[np.float64]

    @classmethod
    def of_features(cls, features: tuple[int, int], at: NDArray[np.float64]) -> Plane:
        """Return the plane of two columns; the others are held at the values `at`."""
        origin, span = at.astype(np.float64), np.zeros((at.size, 2))
        origin[list(features)] = 0.0
        span[list(features), [0, 1]] = 1.0
        return cls(origin, span)

    @classmethod
    def of_directions(cls, directions: NDArray[np.float64], columns: NDArray[np.float64]) -> Plane:
        """Return the plane of two directions (2 x columns) that are uncorrelated over these rows.

        Each point of it is the mean of the rows that have its two coordinates, as far as that depends on them
        linearly: the regions are those among which the rows lie.
        """
        mean = columns.mean(axis=0)
        centred = columns - mean
        score = centred @ directions.T
        span = centred.T @ score / np.maximum((score**2).sum(axis=0), np.finfo(float).tiny)
        return cls(mean - span @ (directions @ mean), span)

    def rows(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points of the plane (n x 2) as rows of all columns."""
        return np.asarray(self.origin + points @ self.span.T)


def root_directions(
    tree: Any, columns: NDArray[np.float64], y: NDArray[Any], classification: bool
) -> tuple[NDArray[np.float64], bool]:
    """Return two uncorrelated directions (2 x columns) that tell the classes, or the numbers, apart; the best first.

    The first is that of the root, if it is a hyperplane, and the second result says so; else it is the best linear
    discriminant of the rows (for numbers: least squares). The second direction is the best discriminant of what the
    first leaves.
    """
    scale = columns.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    standard = (columns - columns.mean(axis=0)) / scale
    target = (y[:, None] == np.unique(y)[None]).astype(np.float64) if classification else y[:, None].astype(np.float64)
    rooted = isinstance(tree, Tree) and tree.kind[0] == HYPERPLANE
    first = np.zeros(columns.shape[1])
    if rooted:
        tested, weights = tree.test(0)
        first[tested] = weights * scale[tested]
    if not (standard @ first).any():
        rooted, first = False, _discriminant(standard, target)
    score = standard @ first
    along = standard.T @ score / max(float(score @ score), np.finfo(float).tiny)
    rest = standard - np.outer(score, along)
    second = _discriminant(rest, target)
    second = second - first * float(along @ second)
    return np.stack([first, second]) / scale, rooted


def _discriminant(rows: NDArray[np.float64], target: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the direction in which the variance that the target explains is the largest part of all."""
    centred = target - target.mean(axis=0)
    total = rows.T @ rows + _RIDGE * max(len(rows), 1) * np.eye(rows.shape[1])
    size = np.sqrt(np.maximum((target**2).sum(axis=0), np.finfo(float).tiny))  # of classes: that of their rows
    common = rows.T @ (centred / size)
    return np.asarray(eigh(common @ common.T, total)[1][:, -1])
