"""`Sheet`: a table of a file as it was read, and its columns as numbers, labels or categories.

A CSV is read as text and only what is learnt from is turned into numbers, so that every other field,
and every label, comes back exactly as it was given. An empty field is a missing value; ``NA`` is text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from askew.cli import rescan
from askew.cli.faults import Fault, about, unknown

if TYPE_CHECKING:
    import pandas


FILL_IN = "fill in the value, or train with --missing mean"
_MUST_BE_KNOWN = "is missing; remove the row, or fill in the value"


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table that was read from a file, and where in the file its rows are.

    Attributes
    ----------
    path : what it is called
    file : where it is; a copy, if it came through a pipe
    table : `pyarrow.Table`; every column of a CSV is text
    delimiter : what separates the fields; None for Parquet
    """

    path: Path
    file: Path
    table: Any
    delimiter: str | None

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each column stands. Made once: pyarrow makes its list of names anew whenever it is asked."""
        return {name: place for place, name in enumerate(self.table.column_names)}

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.places)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.table.num_rows)

    def check_column(self, name: str, among: Collection[str] | None = None) -> None:
        """Raise `Fault` if there is no such column, with the nearest names (`among` those that it can be)."""
        if name in self.places:
            return
        if len(self.names) == 1 and self.delimiter is not None:
            raise Fault(
                f"{self.path}: there is no column {name!r}; with the delimiter {self.delimiter!r} there is one "
                f"column, {self.names[0]!r}: give the delimiter with --delimiter"
            )
        with about(self.path):
            raise unknown("column", name, self.names if among is None else among)

    def numbers(self, names: list[str], *, may_miss: bool) -> pandas.DataFrame:
        """Return some columns as float64; missing values are NaN, infinity is a fault."""
        import pandas

        # One C-ordered array, as the estimators want it: neither fit nor predict copies it again.
        values = np.empty((self.n_rows, len(names)))
        for j, name in enumerate(names):
            values[:, j] = column = self._float(name)
            if np.isinf(column).any():
                self.refuse(name, int(np.isinf(column).argmax()), "is infinite or too large")
            if not may_miss and np.isnan(column).any():
                self.refuse(name, int(np.isnan(column).argmax()), f"is missing; {FILL_IN}")
        return pandas.DataFrame(values, columns=names, copy=False)

    def vector(self, name: str) -> NDArray[np.float64]:
        """Return one column as numbers: the target, or the weights. None may be missing."""
        self.check_column(name)
        values = self._float(name, hint=lambda text: "the target of a regression and weights must be numbers")
        for wrong, why in ((np.isinf, "is infinite or too large"), (np.isnan, _MUST_BE_KNOWN)):
            if wrong(values).any():
                self.refuse(name, int(wrong(values).argmax()), why)
        return values

    def labels(self, name: str) -> NDArray[Any]:
        """Return one column as classes: whole numbers if all are written so ("7", not "07"), otherwise text."""
        values, codes = self.different_values(name)
        if self.delimiter is not None and all(rescan.is_integer(value) for value in values):
            values = [int(value) for value in values]
        return np.asarray(values)[codes]

    def is_quantity(self, name: str, many: int) -> bool:
        """Whether a column holds numbers with a fraction, or more than `many` different numbers."""
        values, _ = self.different_values(name)
        numbers = [rescan.number(value) for value in values if not isinstance(value, bool)]
        if len(numbers) < len(values) or None in numbers:
            return False
        return len(numbers) > many or not all(value.is_integer() for value in numbers if value is not None)

    def different_values(self, name: str) -> tuple[list[Any], NDArray[np.int64]]:
        """Return the different values of a column and, for each row, which it is; none may be missing."""
        column = self.plain(name)
        if column.null_count:
            row = int(np.asarray(column.is_null()).argmax())
            self.refuse(name, row, _MUST_BE_KNOWN)
        return different(column)

    def plain(self, name: str) -> Any:
        """Return a column as numbers, booleans or text: what is stored as categories or dates becomes one of them."""
        from pyarrow import string, types

        column = self.table.column(self.places[name])
        if types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        known = (types.is_integer, types.is_floating, types.is_boolean, types.is_string, types.is_large_string)
        return column if any(is_one(column.type) for is_one in known) else column.cast(string())

    def _float(self, name: str, hint: Callable[[str], str] | None = None) -> NDArray[np.float64]:
        import pyarrow

        column = self.plain(name)
        try:
            return np.asarray(column.cast(pyarrow.float64()).to_numpy())
        except pyarrow.ArrowInvalid:
            pass  # blanks around a number, or text: look at each field
        values = np.full(self.n_rows, np.nan)
        for row, text in enumerate(column.to_pylist()):
            if text is None:
                continue
            value = rescan.number(text)
            if value is None:
                advice = rescan.hint(text, name) if hint is None else hint(text)
                self.refuse(name, row, f"is not a number; {advice}", repr(text))
            values[row] = value
        return values

    def refuse(self, name: str, row: int, why: str, value: str = "") -> NoReturn:
        """Raise `Fault` for a value, with its place in the file."""
        place = f"row {row + 1}" if self.delimiter is None else f"line {rescan.line_of(self.file, self.delimiter, row)}"
        raise Fault(f"{self.path}: {place}, column {name!r}: {value or 'the value'} {why}")


def different(column: Any) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the different values of a column and, for each row, which it is; -1 where it is missing."""
    encoded = column.dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if hasattr(encoded, "chunk") else encoded
    return encoded.dictionary.to_pylist(), np.asarray(encoded.indices.fill_null(-1))
