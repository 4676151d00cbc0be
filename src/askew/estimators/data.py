"""From what users have (NumPy, pandas, Polars, lists) to a `askew.table.Table`."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import validate_data


def read_X(estimator: Any, X: Any, *, reset: bool) -> NDArray[np.float64]:  # noqa: N802
    """Return X as a C-ordered float64 array; NaN is let through, infinity is not."""
    with _naming_text(X), _without_overflow_warnings():
        read: NDArray[np.float64] = validate_data(estimator, X, reset=reset, **_ARRAY)
    return read


def read_Xy(estimator: Any, X: Any, y: Any, *, numeric: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:  # noqa: N802
    """Return X and y, checked together."""
    with _naming_text(X), _without_overflow_warnings():
        pair: tuple[NDArray[np.float64], NDArray[Any]] = validate_data(
            estimator, X, y, reset=True, y_numeric=numeric, multi_output=False, **_ARRAY
        )
    return pair


def _without_overflow_warnings() -> Any:
    """Keep quiet while scikit-learn sums X to look for infinities, near the largest double."""
    return np.errstate(over="ignore", invalid="ignore")


_CHUNK = 4096  # rows
_ARRAY: dict[str, Any] = {"dtype": np.float64, "order": "C", "ensure_all_finite": "allow-nan"}


def read_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
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


def class_weights(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[np.int32], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of each class; "balanced" counts by weight, so that weights equal repetition."""
    if class_weight is None:
        return np.ones(classes.size)
    if isinstance(class_weight, str) and class_weight == "balanced":
        mass = np.bincount(codes, weights, minlength=classes.size)
        return np.asarray(mass.sum() / (classes.size * mass))
    per_class: NDArray[np.float64] = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    if not np.isfinite(per_class).all() or (per_class < 0).any() or not (per_class > 0).any():
        raise ValueError(f"class_weight must be finite, not negative and not all zero. Got {class_weight!r}")
    return per_class


def check_range(numbers: NDArray[Any], name: str) -> None:
    """Refuse numbers whose squares would overflow; of weights, also those whose squares would vanish."""
    size = np.abs(numbers)
    if (size > _LARGEST).any():
        raise ValueError(f"Input {name} contains a value too large: at most {_LARGEST}, got {size.max()}")
    if name == "weight" and ((size > 0) & (size < 1 / _LARGEST)).any():
        raise ValueError(f"Input weight contains a value too small: 0 or at least {1 / _LARGEST}")


_LARGEST = 1e140  # leaves room for sums of squares of many rows


def multiplicities(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many samples each row stands for: whole-number weights are repetitions."""
    return weights if np.all(weights == np.floor(weights)) else np.ones(weights.size)


def column_means(X: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted mean of what is known of each column; 0 for one without any value.

    Summed in extended precision, so that the order of the rows and repetition leave it unchanged.
    """
    total, mass = np.zeros((2, X.shape[1]), dtype=np.longdouble)
    for start in range(0, X.shape[0], _CHUNK):
        rows, known = X[start : start + _CHUNK], ~np.isnan(X[start : start + _CHUNK])
        wide = weights[start : start + _CHUNK, None].astype(np.longdouble)
        total += (np.where(known, rows, 0.0) * wide).sum(axis=0)
        mass += (known * wide).sum(axis=0)
    return np.asarray(total / np.where(mass > 0, mass, 1), dtype=np.float64)


def column_spreads(X: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation of each column; 1 where it is not finite.

    A few rows at a time, so that nothing of the size of X is made; without BLAS, whose threads may take
    longer to wake than the sums, and round them differently from machine to machine.
    """
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
    """Return whether any number is NaN; the least of numbers is, if one is. Makes no array."""
    return bool(np.isnan(X.min()))


class _naming_text:  # noqa: N801
    """Names the column and the value when text stands where numbers belong."""

    def __init__(self, X: Any) -> None:
        self.X = X

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not isinstance(error, ValueError) or "could not convert string to float" not in str(error):
            return
        found = _first_text(self.X)
        if found is not None:
            column, row, value = found
            raise ValueError(
                f"could not convert string to float: {value!r} in column {column!r}, row {row}. "
                "Encode text as numbers first, or drop the column."
            ) from None


def _first_text(X: Any) -> tuple[Any, int, Any] | None:
    names = list(getattr(X, "columns", []))
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2:
        return None
    for j in range(cells.shape[1]):
        for i, value in enumerate(cells[:, j]):
            try:
                float(value)
            except (TypeError, ValueError):
                return (names[j] if names else j), i, value
    return None
