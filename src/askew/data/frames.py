"""Columns of users' data: pandas and Polars data frames, arrays, lists of rows. Only this module looks into them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from types import TracebackType
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse, sparray, spmatrix
from sklearn.utils import check_array

#: A data frame of pandas or of Polars, neither of which has to be installed.
Frame: TypeAlias = Any
#: A table from which columns are read: a data frame, or an array of objects.
Rows: TypeAlias = "Frame | NDArray[np.object_]"
#: Labels, or numbers, of any type.
Labels: TypeAlias = NDArray[Any]
#: Types of X: an array, a list of rows, a pandas or Polars data frame, a sparse matrix.
#: y and weights have the type `numpy.typing.ArrayLike`.
MatrixLike: TypeAlias = ArrayLike | sparray | spmatrix
#: Which columns hold categories: "from_dtype", None, or names, numbers or a mask of columns.
ColumnsLike: TypeAlias = "str | Sequence[str | int | bool] | Labels | None"

FROM_DTYPE = "from_dtype"
_MOST_DENSE = 2**31  # bytes that a sparse matrix may take as a dense one
_POLARS_TEXT = ("String", "Categorical", "Enum")
_POLARS_TIMES = ("Date", "Datetime", "Duration", "Time")


def categorical_columns(X: MatrixLike, chosen: ColumnsLike) -> list[int]:
    """Return the numbers of the columns that hold categories.

    Parameters
    ----------
    X : array, list of rows or data frame
        The data.
    chosen : None, "from_dtype", or names, numbers or a mask of columns
        The parameter `categorical_features` of a tree.
    """
    if isinstance(chosen, str):  # "from_dtype": the parameter's rule allows no other
        return [j for j, dtype in enumerate(X.dtypes) if _is_text(X, j, dtype)] if is_frame(X) else []
    if chosen is None:
        return []
    names = list(X.columns) if is_frame(X) else list(range(as_rows(X).shape[1]))
    entries = [v.item() if isinstance(v, np.generic) else v for v in chosen]
    if entries and all(isinstance(v, bool) for v in entries):
        if len(entries) != len(names):
            raise ValueError(f"categorical_features must have {len(names)} entries, one a column. Got {len(entries)}")
        return np.flatnonzero(entries).tolist()
    found: set[int] = set()
    for name in entries:
        j = names.index(name) if isinstance(name, str) and name in names else name
        if isinstance(j, str) or not 0 <= j < len(names):
            raise ValueError(f"categorical_features names {name!r}, which is no column of X: {_some(names)}")
        found.add(j)
    return sorted(found)


def dense(X: MatrixLike) -> MatrixLike:
    """Return a sparse matrix as a dense array, which the searches read; anything else unchanged.

    Raises
    ------
    ValueError
        The dense array would be too large to make without asking the user.
    """
    matrix: Any = X
    if not issparse(X) or matrix.ndim != 2:
        return X
    n_rows, n_columns = matrix.shape
    size = 8 * n_rows * n_columns
    if size > _MOST_DENSE:
        raise ValueError(
            f"X is sparse, and a dense array of {n_rows} x {n_columns} numbers would take {size / 2**30:.1f} GiB. "
            "Make fewer columns, or a dense X: sparse_output=False (OneHotEncoder), sparse_threshold=0 "
            "(ColumnTransformer), X.toarray()"
        )
    return matrix.toarray()


def is_frame(X: object) -> TypeGuard[Frame]:
    """Whether X is a data frame: each column has a name and a type."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def as_rows(X: MatrixLike) -> Rows:
    """Return a data frame as it is, anything else as a table of objects; raise ValueError unless it has two axes."""
    if is_frame(X):
        return X
    rows: NDArray[np.object_] = check_array(np.asarray(X, dtype=object), dtype=object, ensure_all_finite=False)
    return rows


def some_rows(X: Any, rows: NDArray[np.integer]) -> Any:
    """Return some rows of a data frame, an array, a sparse matrix or a list of rows, of the same type."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[i] for i in rows]


def numbers(X: Rows, columns: Sequence[int]) -> NDArray[np.float64]:
    """Return some columns of a frame or a table of objects as numbers; NaN where missing."""
    some = X.iloc[:, list(columns)] if hasattr(X, "iloc") else X[:, list(columns)]
    with naming_text(some, [X.columns[j] if is_frame(X) else j for j in columns]):
        found: NDArray[np.float64] = check_array(some, dtype=np.float64, ensure_all_finite=False)
    return found


def factorized(X: Rows, column: int) -> tuple[NDArray[np.int64], list[object]]:
    """Return the code of each row's value, and the distinct values of a column; -1 where it is missing."""
    try:
        if hasattr(X, "iloc"):
            codes, values = X.iloc[:, column].factorize()
            return codes.astype(np.int64), values.tolist()
        cells = X.to_series(column).to_list() if is_frame(X) else X[:, column].tolist()
        seen: dict[object, int] = {}
        numbers = [-1 if is_missing(cell) else seen.setdefault(cell, len(seen)) for cell in cells]
        return np.array(numbers, dtype=np.int64), list(seen)
    except TypeError:  # a cell that cannot be hashed: a list, a dict
        name = X.columns[column] if is_frame(X) else column
        raise TypeError(f"categories must be text or numbers; column {name!r} holds something else") from None


def _is_text(X: Frame, column: int, dtype: object) -> bool:
    """Whether a column of a frame holds categories: text, or objects that are not all numbers."""
    if not hasattr(X, "iloc"):
        return str(dtype).split("(")[0] in _POLARS_TEXT
    if getattr(dtype, "kind", "") not in tuple("OSU"):
        return False
    return dtype != np.dtype(object) or not all(isinstance(v, Number | np.bool_) for v in factorized(X, column)[1])


def is_missing(cell: object) -> bool:
    """Whether an object stands for a missing value: None, NaN, NA or NaT."""
    return cell is None or (isinstance(cell, float) and cell != cell) or type(cell).__name__ in ("NAType", "NaTType")


def _some(names: Sequence[object], shown: int = 10) -> str:
    return ", ".join(repr(name) for name in names[:shown]) + (", ..." if len(names) > shown else "")


class naming_text:  # noqa: N801
    """Context whose errors name the column, and the value, where X has text or dates instead of numbers."""

    def __init__(self, X: MatrixLike | Rows, names: Sequence[object] | None = None) -> None:
        self.X = X
        self.names = list(getattr(X, "columns", [])) if names is None else names

    def __enter__(self) -> None:
        _refuse_times(self.X, self.names)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, ValueError) or "could not convert string to float" not in str(error):
            return
        found = _first_text(self.X)
        if found is not None:
            column, row, value = found
            raise ValueError(
                f"could not convert string to float: {value!r} in column "
                f"{(self.names[column] if self.names else column)!r}, row {row}. "
                "Name the column in categorical_features if it holds categories, or drop it."
            ) from None


def _refuse_times(X: object, names: Sequence[object]) -> None:
    """Raise ValueError for dates and times: as numbers they depend on the unit, and a missing one is a huge number."""
    dtypes = list(X.dtypes) if is_frame(X) else [getattr(X, "dtype", None)]
    for name, dtype in zip(names or [0], dtypes, strict=False):
        if getattr(dtype, "kind", "O") in "mM" or str(dtype).split("(")[0] in _POLARS_TIMES:
            raise ValueError(
                f"column {name!r} of X holds dates or times ({dtype}). Turn them into numbers, such as days since the "
                "first, or name the column in categorical_features."
            )


def _first_text(X: MatrixLike | Rows) -> tuple[int, int, object] | None:
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2:
        return None
    for j in range(cells.shape[1]):
        for i, value in enumerate(cells[:, j]):
            try:
                float(value)
            except (TypeError, ValueError):
                return j, i, value
    return None
