"""The plane that `plot_partition` draws: two columns with the others fixed, or two directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from sklearn.base import is_classifier

from askew.data.encoder import Encoder
from askew.data.frames import Frame
from askew.export.fitted import FittedTreeEstimator
from askew.export.names import Columns
from askew.export.wording import Wording
from askew.model.split import HYPERPLANE
from askew.model.tree import Tree
from askew.plot.tree_cards import MINUS

_RIDGE = 1e-6  # of the spread of the columns: linearly dependent ones would make the matrix singular


@dataclass(frozen=True, eq=False)
class Section:
    """A plane in the space of the columns: the point (a, b) of it is ``origin + span @ (a, b)``.

    Attributes
    ----------
    origin : ndarray
        Where both coordinates are 0.
    span : ndarray
        Directions of the two coordinates (columns x 2).
    """

    origin: NDArray[np.float64]
    span: NDArray[np.float64]

    @classmethod
    def of_features(cls, features: tuple[int, int], at: NDArray[np.float64]) -> Section:
        """Return the plane of two columns; the others are held at the values `at`."""
        origin, span = at.astype(np.float64), np.zeros((at.size, 2))
        origin[list(features)] = 0.0
        span[list(features), [0, 1]] = 1.0
        return cls(origin, span)

    @classmethod
    def of_directions(cls, directions: NDArray[np.float64], columns: NDArray[np.float64]) -> Section:
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
    tree: object, columns: NDArray[np.float64], y: NDArray[np.generic], classification: bool
) -> tuple[NDArray[np.float64], bool]:
    """Return two uncorrelated directions (2 x columns) that best discriminate the classes or predict the numbers.

    The first is that of the root, if it is a hyperplane, and the second result says so; else it is the best linear
    discriminant of the rows (for numbers: least squares). The second direction is the best discriminant of what the
    first leaves.
    """
    scale = columns.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    standard = (columns - columns.mean(axis=0)) / scale
    target = (y[:, None] == np.unique(y)[None]).astype(np.float64) if classification else y[:, None].astype(np.float64)
    rooted, first = False, np.zeros(columns.shape[1])
    if isinstance(tree, Tree) and tree.kind[0] == HYPERPLANE:
        rooted = True
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


_MARGIN = 0.03  # of the range of the data, around it
_TERMS, _DECIMALS = 3, 2  # of a direction, on an axis


@dataclass(frozen=True, eq=False)
class View:
    """A window on the space of the data.

    Attributes
    ----------
    shown : ndarray
        The rows in it (n x 2).
    box : ndarray
        Its lower and upper bounds (2 x 2).
    plane : Section or None
        Where it lies in the space of the columns that the tree tests; None if it is not a plane.
    predict : callable
        Function that predicts at points of the plane (n x 2).
    labels : tuple of str
        Labels of the two axes.
    categories : tuple of (tuple or None)
        Categories of the two axes; None where a feature is numeric.
    """

    shown: NDArray[np.float64]
    box: NDArray[np.float64]
    plane: Section | None
    predict: Callable[[NDArray[np.float64]], NDArray[np.generic]]
    labels: tuple[str, str]
    categories: Sequence[tuple[object, ...] | None] = (None, None)


def view_of(estimator: FittedTreeEstimator, X: Frame, y: ArrayLike, features: Sequence[int | str] | None) -> View:
    """Return the window of two features; without any, of the only two there are or of the two best directions."""
    names = _names(estimator, X)
    if features is None and len(names) != 2:
        return _of_directions(estimator, X, np.asarray(y), names)
    return _of_features(estimator, X, _two(features, names), names)


# --- two features


def _of_features(estimator: FittedTreeEstimator, X: Frame, chosen: tuple[int, int], names: list[str]) -> View:
    encoder: Encoder | None = getattr(estimator, "encoder_", None)
    points = np.asarray(X, dtype=np.float64) if encoder is None else encoder.code(X)
    at = _middle(points, encoder)
    kinds = (None, None) if encoder is None else tuple(encoder.categories[feature] for feature in chosen)
    plane = None
    if encoder is None:
        plane = Section.of_features(chosen, at)
    elif kinds == (None, None):
        plane = Section.of_features(_columns(encoder, chosen), encoder.expand(at[None])[0])

    def predict(plane_points: NDArray[np.float64]) -> NDArray[np.generic]:
        rows = np.tile(at, (len(plane_points), 1))
        rows[:, list(chosen)] = plane_points
        if encoder is None:
            return np.asarray(estimator.predict(_like(X, rows)))
        rows[:, encoder.is_categorical] = np.rint(rows[:, encoder.is_categorical])  # the category whose strip it is
        return _labels(estimator, estimator.predict_encoded(encoder.expand(rows)))

    shown = points[:, list(chosen)]
    label = names[chosen[0]] + _held(len(names) - 2, encoder)
    return View(shown, _box(shown, kinds), plane, predict, (label, names[chosen[1]]), kinds)


def _held(n: int, encoder: Encoder | None) -> str:
    """Return the note on the features that are fixed."""
    if n == 0:
        return ""
    middle = "median" if encoder is None or not encoder.is_categorical.any() else "median or most frequent category"
    return f"\n({n} other feature{'' if n == 1 else 's'} at the {middle})"


def _middle(points: NDArray[np.float64], encoder: Encoder | None) -> NDArray[np.float64]:
    """Return the median of each feature, of categories the most frequent code."""
    at: NDArray[np.float64] = np.nanmedian(points, axis=0)
    for j in [] if encoder is None else np.flatnonzero(encoder.is_categorical).tolist():
        codes = points[points[:, j] >= 0, j].astype(np.int64)
        at[j] = np.bincount(codes, minlength=1).argmax()
    return at


def _columns(encoder: Encoder, features: tuple[int, int]) -> tuple[int, int]:
    """Return the columns of the tree that two features of numbers are."""
    first, second = np.searchsorted(encoder.origin, features).tolist()
    return first, second


def _two(features: Sequence[int | str] | None, names: list[str]) -> tuple[int, int]:
    if features is None:
        return 0, 1
    found = [names.index(f) if isinstance(f, str) and f in names else f for f in features]
    if len(set(found)) != 2 or any(isinstance(f, str) or not 0 <= f < len(names) for f in found):
        raise ValueError(f"features must be two of the {len(names)} features, by number or name. Got {features!r}")
    return int(found[0]), int(found[1])


# --- two directions


def _of_directions(estimator: FittedTreeEstimator, X: Frame, y: NDArray[np.generic], names: list[str]) -> View:
    encoder: Encoder | None = getattr(estimator, "encoder_", None)
    if len(names) < 2 or (encoder is not None and not (encoder.onehot and hasattr(estimator, "predict_encoded"))):
        raise ValueError(f"features must name the two of {len(names)} features to draw. Got None instead.")
    coded = encoder is not None
    columns = estimator.encoded(X) if hasattr(estimator, "encoded") else np.asarray(X, dtype=np.float64)
    columns = np.where(np.isnan(columns), np.nanmean(columns, axis=0), columns)
    tree = getattr(estimator, "tree_", None)
    directions, rooted = root_directions(tree, columns, y, is_classifier(estimator))
    directions = directions / np.abs(directions).max(axis=1, keepdims=True)
    plane, shown = Section.of_directions(directions, columns), columns @ directions.T

    def predict(plane_points: NDArray[np.float64]) -> NDArray[np.generic]:
        rows = plane.rows(plane_points)
        if coded:
            return _labels(estimator, estimator.predict_encoded(rows))
        return np.asarray(estimator.predict(_like(X, rows)))

    words = Wording(tree, Columns(names, encoder), columns.std(axis=0), _DECIMALS, _TERMS)  # type: ignore[arg-type]
    sums = [" ".join(words.equation(np.arange(one.size), one.tolist(), 0.0, MINUS)) for one in directions]
    labels = (f"{'what the root tests' if rooted else 'best direction'}:\n{sums[0]}", f"best of the rest:\n{sums[1]}")
    return View(shown, _box(shown, (None, None)), plane, predict, labels)


# --- both


def _like(X: Frame, rows: NDArray[np.float64]) -> Frame:
    """Return rows as a data frame with the columns of X, if X is one."""
    return type(X)(rows, columns=X.columns) if hasattr(X, "columns") else rows


def _labels(estimator: FittedTreeEstimator, predicted: NDArray[np.generic]) -> NDArray[np.generic]:
    return np.asarray(estimator.classes_[predicted] if is_classifier(estimator) else predicted)


def _names(estimator: FittedTreeEstimator, X: Frame) -> list[str]:
    """Return the names of the columns of X; where it has none, those that the estimator has."""
    n = int(np.shape(X)[1])
    seen = getattr(estimator, "feature_names_in_", ())
    return [str(name) for name in getattr(X, "columns", seen if len(seen) == n else [f"x{j}" for j in range(n)])]


def _box(shown: NDArray[np.float64], categories: Sequence[tuple[object, ...] | None]) -> NDArray[np.float64]:
    """Return the lower and the upper end of what is drawn: a little more than the data, or all categories."""
    low, high = np.nanmin(shown, axis=0), np.nanmax(shown, axis=0)
    room = np.where(high > low, _MARGIN * (high - low), 0.5)
    box = np.array([low - room, high + room])
    for k, labels in enumerate(categories):
        if labels is not None:
            box[:, k] = -0.5, len(labels) - 0.5
    return box
