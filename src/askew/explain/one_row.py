"""One row as users have it: its cells, and the row with other cells in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from askew.encoding import Encoder
from askew.frames import dense, is_frame


def as_one_row(x: Any, encoder: Encoder | None) -> Any:
    """Return a row as `predict` takes it: a data frame or an array of one row; raise ValueError if it is none."""
    x = dense(x)
    if not is_frame(x):
        if hasattr(x, "to_frame") and hasattr(x, "index"):  # a pandas Series: a row of a frame
            return x.to_frame().T
        has_categories = encoder is not None and encoder.is_categorical.any()
        x = np.asarray(x, dtype=object) if has_categories else np.asarray(x)
        x = x[None, :] if x.ndim == 1 else x
    if len(x.shape) != 2 or x.shape[0] != 1:
        raise ValueError(f"x must be one row. Got an array of shape {tuple(x.shape)} instead.")
    return x


def cell(row: Any, column: int) -> Any:
    """Return what stands in a column of a row."""
    value = row.iloc[0, column] if hasattr(row, "iloc") else row[0, column]
    return value.item() if isinstance(value, np.generic) else value


def with_cells(row: Any, values: Mapping[int, Any]) -> Any:
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
