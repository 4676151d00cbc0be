"""Weights, labels, means and standard deviations of the training data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Number
from threading import local
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from askew.data.encoder import UNSEEN, Encoder
from askew.data.frames import Labels, is_missing
from askew.parameters import RandomStateLike

#: Values of the parameter `class_weight`: the weight of each class, or "balanced".
ClassWeightLike: TypeAlias = "Mapping[str, float] | Mapping[float, float] | str | None"

_LARGEST = 1e140  # leaves room for sums of squares of many rows
_MOST_SAMPLES = 2.0**53  # up to here doubles count exactly
_CHUNK = 4096  # rows


class Target(NamedTuple):
    """The target as a table holds it.

    Attributes
    ----------
    y : array (n)
        Codes of the classes, or numbers.
    weight : float64 array (n)
        Weight of each row, times that of its class.
    classes : array or None
        The classes, sorted; None for regression.
    class_weight : float64 array or None
        Weight of each class; None if all have the same.
    """

    y: Labels
    weight: NDArray[np.float64]
    classes: Labels | None = None
    class_weight: NDArray[np.float64] | None = None


class _ThreadState(local):
    """A generator for each thread: seeding it again takes a twentieth of the time of making a new one."""

    def __init__(self) -> None:
        self.random = np.random.RandomState(0)


_thread_state = _ThreadState()


def first_draw(random_state: RandomStateLike) -> int:
    """Return the seed that scikit-learn's `random_state` stands for: the first number drawn from it."""
    if isinstance(random_state, Integral):
        random = _thread_state.random
        random.seed(int(random_state))
    else:
        random = check_random_state(random_state)
    return int(random.randint(np.iinfo(np.int32).max))


def read_weights(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """Return one weight for each row."""
    if sample_weight is None:
        return np.ones(n_rows)
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n_rows, sample_weight, dtype=np.float64)
    weights: NDArray[np.float64] = check_array(
        sample_weight, dtype=np.float64, ensure_2d=False, ensure_min_samples=0, input_name="sample_weight"
    )
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: one weight for each row of X")
    if (weights < 0).any():
        raise ValueError(f"Negative values in sample_weight: expected {(n_rows,)} weights of 0 or more")
    if not (weights > 0).any():
        raise ValueError(f"sample_weight is zero everywhere: of {(n_rows,)} weights at least one must be positive")
    return weights


def class_codes(y: Labels, classes: Labels | None) -> tuple[NDArray[np.int32], Labels]:
    """Return the position of each label among the classes, and the classes; None for those of y, sorted."""
    try:
        found, codes = np.unique(y, return_inverse=True)
    except TypeError:  # objects that cannot be compared
        kinds = " and ".join(sorted({type(label).__name__ for label in y.tolist()}))
        raise ValueError(f"y contains labels of different types: {kinds}") from None
    if classes is None:
        return codes.astype(np.int32), found
    unseen = np.setdiff1d(found, classes)
    if unseen.size:
        raise ValueError(f"y contains a class not in the training data: {unseen.tolist()[0]!r}")
    return np.searchsorted(classes, found)[codes].astype(np.int32), classes


def refuse_missing_labels(y: ArrayLike) -> None:
    """Raise ValueError if a class is None, NaN or NA: a missing label can be an object of any type."""
    labels = np.asarray(y)
    for label in labels.ravel().tolist() if labels.dtype == object else ():
        if is_missing(label):
            name = "NaN" if isinstance(label, float) else repr(label)
            raise ValueError(f"Input y contains {name}: every row needs a class")


def class_weights(
    class_weight: object, classes: Labels, codes: NDArray[np.int32], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of each class; "balanced" counts by weight, so that weights equal repetition."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        mass = np.bincount(codes, weights, minlength=classes.size)
        present = mass > 0
        return np.asarray(mass.sum() / (present.sum() * np.where(present, mass, 1.0)))
    per_class: NDArray[np.float64] = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    check_class_factors(per_class, class_weight)
    return per_class


def check_class_factors(per_class: NDArray[np.float64], class_weight: object) -> None:
    """Raise ValueError if a class weight is negative or not finite, or all are 0."""
    if not np.isfinite(per_class).all() or (per_class < 0).any() or not (per_class > 0).any():
        raise ValueError(f"class_weight must be finite, not negative and not all zero. Got {class_weight!r}")


def read_classes(y: Labels, weights: NDArray[np.float64], classes: Labels | None, class_weight: object) -> Target:
    """Return the codes of the labels, with the weights times those of the classes."""
    codes, classes = class_codes(y, classes)
    # Integers that repeat are classes; otherwise let check_classification_targets decide.
    if y.dtype.kind not in "bui" or y.ndim != 1 or 3 * classes.size > y.size:
        check_classification_targets(y)
    if class_weight is None:
        return Target(codes, weights, classes)
    with np.errstate(over="ignore"):  # `check_range` refuses weights that overflow
        per_class = class_weights(class_weight, classes, codes, weights)
        return Target(codes, weights * per_class[codes], classes, per_class)


def read_numbers(y: Labels) -> NDArray[np.float64]:
    """Return the numbers of a regression; those whose squares would overflow are refused."""
    numbers = y.astype(np.float64)
    check_range(numbers, "y")
    return numbers


def check_range(numbers: Labels, name: str) -> None:
    """Refuse numbers whose squares would overflow; of weights, also those whose squares would vanish."""
    size = np.abs(numbers)
    if (size > _LARGEST).any():
        raise ValueError(f"Input {name} contains a value too large: at most {_LARGEST}, got {size.max()}")
    if name == "weight" and ((size > 0) & (size < 1 / _LARGEST)).any():
        raise ValueError(f"Input weight contains a value too small: 0 or at least {1 / _LARGEST}")


def multiplicities(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many samples each row stands for: integer weights are repetitions, unless too many to count."""
    integers = np.all(weights == np.floor(weights))
    return weights if integers and np.minimum(weights, _MOST_SAMPLES).sum() <= _MOST_SAMPLES else np.ones(weights.size)


def column_means(
    X: NDArray[np.float64], weights: NDArray[np.float64], encoder: Encoder | None = None
) -> NDArray[np.float64]:
    """Return the weighted mean of the known values of each column; 0 for one without any value.

    A column of categories has no mean: it gets the code of an unseen category.
    Summed in extended precision, so that the order of the rows and repetition leave it unchanged.
    """
    total, mass = np.zeros((2, X.shape[1]), dtype=np.longdouble)
    alike, complete = bool((weights == 1).all()), not has_nan(X)
    for start in range(0, X.shape[0], _CHUNK):
        rows, weight = X[start : start + _CHUNK], weights[start : start + _CHUNK, None].astype(np.longdouble)
        known = np.ones(1, dtype=bool) if complete else ~np.isnan(rows)
        wide = rows.astype(np.longdouble) if complete else np.where(known, rows, 0.0).astype(np.longdouble)
        total += wide.sum(axis=0) if alike else (wide * weight).sum(axis=0)
        mass += (known * weight).sum(axis=0)
    means = np.asarray(total / np.where(mass > 0, mass, 1), dtype=np.float64)
    if encoder is not None:
        means[encoder.is_categorical] = UNSEEN
    return means


def column_spreads(X: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation of the known values of each column; 1 where it is not finite.

    A few rows at a time, so that nothing of the size of X is made; without BLAS, whose threads may take
    longer to wake than the sums, and round them differently from machine to machine.
    """
    if has_nan(X):
        known = [~np.isnan(column) for column in X.T]
        return np.concatenate(
            [column_spreads(X[k, j : j + 1], weights[k]) if k.any() else np.ones(1) for j, k in enumerate(known)]
        )
    mass = weights.sum()

    def mean(of: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> NDArray[np.float64]:
        total = np.zeros(X.shape[1])
        for start in range(0, X.shape[0], _CHUNK):
            some = slice(start, start + _CHUNK)
            total += (of(X[some]) * weights[some, None]).sum(axis=0)
        return np.asarray(total / mass)

    with np.errstate(over="ignore", invalid="ignore"):
        centre = mean(lambda rows: rows)
        spreads = np.sqrt(mean(lambda rows: (rows - centre) ** 2))
    return np.where(np.isfinite(spreads), spreads, 1.0)


def fill(X: NDArray[np.float64], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return X with the means where it is NaN; X itself, unchanged, where it has none."""
    if not has_nan(X):
        return X
    filled = X.copy()
    for column, mean in zip(filled.T, means, strict=True):
        column[np.isnan(column)] = mean
    return filled


def has_nan(X: NDArray[np.float64]) -> bool:
    """Whether any value is NaN."""
    return bool(np.isnan(X.min()))  # the minimum is NaN if any value is; `np.isnan(X)` would make an array
