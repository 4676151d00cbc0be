"""Read one row of data: an array, a mapping of names, or a row of a data frame; and its cells."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew.data.frames import Frame, MatrixLike, is_frame
from askew.export.fitted import Fitted, FittedTreeEstimator, is_pipeline, transformed

RowLike: TypeAlias = "Mapping[Hashable, object] | ArrayLike"  # one row: by name, or in the order of the features


def one_row(estimator: Fitted, x: RowLike | MatrixLike) -> Frame:
    """Return a table of one row for `predict`; the columns have the names seen in `fit`.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted estimator, or a Pipeline.
    x : mapping, Series, data frame or array
        A mapping from the names of the features, a row of a data frame (pandas Series), a data frame with one row, or
        the values in the order of the features.

    Raises
    ------
    ValueError
        There is more than one row, or names are missing or unknown.

    Examples
    --------
    >>> from askew import CARTClassifier
    >>> from askew.explaining.one_row import one_row
    >>> one_row(CARTClassifier().fit([[0.0, 1.0], [1.0, 1.0]], [0, 1]), [0.5, 2.0])
    array([[0.5, 2. ]])
    """
    names = getattr(estimator, "feature_names_in_", None)
    if is_frame(x):
        return _single(x, x.shape[0])
    if hasattr(x, "index") and hasattr(x, "to_dict"):
        series: Frame = x
        x = series.to_dict() if names is not None else series.to_numpy()
    if isinstance(x, Mapping):
        if names is None:
            raise ValueError("x must be an array: the estimator was fitted to columns without names")
        return _framed(names, _in_order(names, x))
    row = np.asarray(x, dtype=None if isinstance(x, np.ndarray) else object)
    row = row[None, :] if row.ndim == 1 else _single(row, row.shape[0] if row.ndim else 0)
    row = row if isinstance(x, np.ndarray) else _plain(row)
    expected = getattr(estimator, "n_features_in_", row.shape[-1])
    if row.shape != (1, expected):
        raise ValueError(
            f"x has {row.shape[-1]} values, but {type(estimator).__name__} is expecting {expected} features"
        )
    return row if names is None else _framed(names, row[0].tolist())


def as_seen(estimator: Fitted, X: MatrixLike) -> tuple[FittedTreeEstimator, Frame]:
    """Return the last step of a Pipeline and its input; of any other estimator, itself and the data."""
    while is_pipeline(estimator):
        X, estimator = transformed(estimator, X), estimator.steps[-1][1]
    return cast("FittedTreeEstimator", estimator), X


def cell(row: Frame, column: int) -> object:
    """Return the value in a column of a row."""
    value = row.iloc[0, column] if hasattr(row, "iloc") else row[0, column]
    return value.item() if isinstance(value, np.generic) else value


def with_cells(row: Frame, values: Mapping[int, object]) -> Frame:
    """Return the row with other values in some columns."""
    if not is_frame(row):
        changed = row.copy() if row.dtype == object else row.astype(np.float64)
        changed[0, list(values)] = list(values.values())
        return changed
    if hasattr(row, "iloc"):
        changed = row.copy()
        for column, value in values.items():
            changed[row.columns[column]] = [value]
        return changed
    import polars

    return row.with_columns([polars.Series(row.columns[column], [value]) for column, value in values.items()])


def _single(table: Frame, n_rows: int) -> Frame:
    if n_rows != 1:
        raise ValueError(f"x must be one row, got {n_rows}")
    return table


def _in_order(names: Iterable[str], x: Mapping[Hashable, object]) -> list[object]:
    missing, unknown = [n for n in names if n not in x], [n for n in x if n not in set(names)]
    if missing or unknown:
        both: tuple[tuple[str, list[Hashable]], ...] = (("missing", [*missing]), ("unknown", unknown))
        problems = [f"{what}: {', '.join(map(str, some[:5]))}" for what, some in both if some]
        raise ValueError(f"x must have a value for each feature and no other; {'; '.join(problems)}")
    return [x[name] for name in names]


def _framed(names: Iterable[str], values: Sequence[object]) -> Frame:
    """Return a data frame of one row; the names come from a data frame, so pandas or Polars is installed."""
    try:
        from pandas import DataFrame
    except ImportError:
        from polars import DataFrame  # type: ignore[assignment]
    return DataFrame({name: [value] for name, value in zip(names, values, strict=True)})


def _plain(row: NDArray[np.object_]) -> NDArray[np.float64] | NDArray[np.object_]:
    """Return numbers as floats; anything else as objects."""
    try:
        return row.astype(np.float64)
    except (TypeError, ValueError):  # categories
        return row
