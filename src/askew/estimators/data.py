"""From what users have (NumPy, pandas, Polars, lists) to a `askew.table.Table`."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_X_y
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import validate_data

from askew.encoding import UNSEEN, Encoder
from askew.frames import as_rows, categorical_columns, naming_text
from askew.table import Table

if TYPE_CHECKING:
    from askew.estimators.base import BaseTree


def read_table(tree: BaseTree, X: Any, y: Any, sample_weight: Any) -> Table:
    """Return what a tree learns from; what `predict` needs to read data in the same way stays with the tree."""
    if y is None:
        raise ValueError(f"{type(tree).__name__} requires y to be passed, but the target y is None.")
    numbers, labels = read_Xy(tree, X, y)
    weights = read_weights(sample_weight, numbers.shape[0])
    if (weights == 0).any():
        present = weights > 0
        numbers, labels, weights = numbers[present], labels[present], weights[present]
        if tree.encoder_ is not None:
            tree.encoder_, numbers = tree.encoder_.narrowed(numbers)
    tree.feature_means_ = column_means(numbers, weights, tree.encoder_) if tree.missing == "mean" else None
    numbers = encoded(tree, numbers)
    multiplicity = multiplicities(weights)
    target, importance, n_classes = tree._read_y(labels, weights)
    check_range(importance, "weight")
    given = getattr(tree, "feature_names_in_", [f"x{j}" for j in range(tree.n_features_in_)])
    names = tuple(given if tree.encoder_ is None else tree.encoder_.names(given))
    levels = () if tree.encoder_ is None or tree.encoder_.onehot else tree.encoder_.levels
    divides = tree.missing == "fractional"
    table = Table(
        numbers, target, importance, multiplicity, n_classes, names, levels, divides, given=tree.n_features_in_
    )
    return table if (importance > 0).all() else table.take(importance > 0)  # a class of weight 0


def encoded(tree: BaseTree, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the columns that the tree tests: missing values are seen to, and categories are columns of 0 and 1."""
    known = tree._known(numbers)
    return known if tree.encoder_ is None else tree.encoder_.expand(known)


def read_X(tree: BaseTree, X: Any) -> NDArray[np.float64]:  # noqa: N802
    """Return X as a C-ordered float64 array, categories as codes; NaN is let through, infinity is not."""
    if tree.encoder_ is not None:
        return _coded(tree, X, reset=False)
    with naming_text(X), _without_overflow_warnings():
        read: NDArray[np.float64] = validate_data(tree, X, reset=False, **_ARRAY)
    return read


def read_Xy(tree: BaseTree, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:  # noqa: N802
    """Return X, categories as codes, and y, checked together; what the codes mean is ``tree.encoder_``."""
    columns = categorical_columns(X, tree.categorical_features)
    wanted = {"y_numeric": tree._numeric_y, "multi_output": False, **_ARRAY}
    pair: tuple[NDArray[np.float64], NDArray[Any]]
    if columns:
        tree.encoder_ = Encoder.learn(
            X, columns, own_missing=tree.missing in ("mean", "below"), onehot=not tree._takes_categories
        )
        pair = check_X_y(_coded(tree, X, reset=True), y, estimator=tree, **wanted)
        return pair
    tree.encoder_ = None
    with naming_text(X), _without_overflow_warnings():
        pair = validate_data(tree, X, y, reset=True, **wanted)
    return pair


def _coded(tree: BaseTree, X: Any, *, reset: bool) -> NDArray[np.float64]:
    assert tree.encoder_ is not None
    rows = as_rows(X)
    validate_data(tree, rows, reset=reset, skip_check_array=True)  # the names and the number of the columns
    with _without_overflow_warnings():
        read: NDArray[np.float64] = check_array(tree.encoder_.code(rows), input_name="X", **_ARRAY)
    return read


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


def column_means(
    X: NDArray[np.float64], weights: NDArray[np.float64], encoder: Encoder | None = None
) -> NDArray[np.float64]:
    """Return the weighted mean of what is known of each column; 0 for one without any value.

    Categories have no mean: the code of an unseen one stands for it.
    Summed in extended precision, so that the order of the rows and repetition leave it unchanged.
    """
    total, mass = np.zeros((2, X.shape[1]), dtype=np.longdouble)
    for start in range(0, X.shape[0], _CHUNK):
        rows, known = X[start : start + _CHUNK], ~np.isnan(X[start : start + _CHUNK])
        wide = weights[start : start + _CHUNK, None].astype(np.longdouble)
        total += (np.where(known, rows, 0.0) * wide).sum(axis=0)
        mass += (known * wide).sum(axis=0)
    means = np.asarray(total / np.where(mass > 0, mass, 1), dtype=np.float64)
    if encoder is not None:
        means[encoder.is_categorical] = UNSEEN
    return means


def column_spreads(X: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation of what is known of each column; 1 where it is not finite.

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
    """Return whether any number is NaN; the least of numbers is, if one is. Makes no array."""
    return bool(np.isnan(X.min()))
