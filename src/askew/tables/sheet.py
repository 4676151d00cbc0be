"""`Sheet`: a table of a file as it was read, and its columns as numbers, labels or categories.

A CSV is read as text and only what is learnt from is turned into numbers, so that every other field, and every label,
comes back exactly as it was written. Empty fields are missing values; so are ``NA``, ``?`` and the like
(`askew.tables.options.MISSING`), except in the target, where they may be names of classes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from askew.tables import csv_errors
from askew.tables.arrow import distinct_values, is_string
from askew.tables.errors import UserError, about, unknown
from askew.tables.numbers import PLAIN, Numeral, Spelling
from askew.tables.options import Written

if TYPE_CHECKING:
    import pandas
    import pyarrow


FILL_IN = "fill in the value, or train with --missing mean"
_MUST_BE_KNOWN = "is missing; remove the row, or fill in the value"


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table that was read from a file, and where in the file its rows are.

    Attributes
    ----------
    path : Path
        The name of the table in messages.
    file : Path
        Where it is; a copy, if it came through a pipe.
    table : pyarrow.Table
        The columns; every column of a CSV is text.
    delimiter : str or None
        Separates the fields; None for Parquet.
    written : Written
        The user's options on how fields are written.
    unnamed : tuple of str
        Columns that have no name in the file.
    numerals : dict of str to Numeral or None
        How the numbers of each column are written; filled when a column is first read.
    trained : dict of str to Numeral or None
        How they were written in the training table; None if this is the training table.
    dates : dict of str to str
        The format of each column of dates that became numbers.
    """

    path: Path
    file: Path
    table: pyarrow.Table
    delimiter: str | None
    written: Written = field(default_factory=Written)
    unnamed: tuple[str, ...] = ()
    numerals: dict[str, Numeral | None] = field(default_factory=dict)
    trained: dict[str, Numeral] | None = None
    dates: dict[str, str] = field(default_factory=dict)

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of each column. Kept, because pyarrow builds its list of names at every call."""
        return {name: index for index, name in enumerate(self.table.column_names)}

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.index)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.table.num_rows)

    def check_column(self, name: str, among: Collection[str] | None = None) -> None:
        """Raise `UserError` if there is no such column, with the nearest names (`among` those that it can be)."""
        if name in self.index:
            return
        if len(self.names) == 1 and self.delimiter is not None:
            raise UserError(
                f"{self.path}: there is no column {name!r}; with the delimiter {self.delimiter!r} there is one "
                f"column, {self.names[0]!r}: give the delimiter with --delimiter"
            )
        with about(self.path):
            raise unknown("column", name, self.names if among is None else among)

    def numbers(self, names: list[str], *, may_miss: bool) -> pandas.DataFrame:
        """Return some columns as float64; missing values are NaN, infinity is an error."""
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

    def labels(self, name: str) -> NDArray[np.generic]:
        """Return one column as classes: integers if all are written so ("7", not "07"), otherwise text."""
        values, codes = self.known_values(name)
        known = [value for value in values if not self._is_missing(value)]
        if self.delimiter is not None and known and all(csv_errors.is_integer(value) for value in known):
            if len(known) < len(values):  # among integers, NA is a missing value, not a class
                self.refuse(name, int(np.argmax([self._is_missing(values[code]) for code in codes])), _MUST_BE_KNOWN)
            values = [int(value) for value in values]
        return np.asarray(values)[codes]

    def is_quantity(self, name: str, many: int) -> bool:
        """Whether a column holds numbers with a fraction, or more than `many` distinct numbers."""
        values = [value for value in self.known_values(name)[0] if not self._is_missing(value)]
        if not values or any(isinstance(value, bool) for value in values):
            return False
        numeral = PLAIN if all(csv_errors.number(value) is not None for value in values) else self.numeral(name)
        numbers = [] if numeral is None else [_number(value, numeral) for value in values]
        if not numbers or None in numbers:
            return False
        return len(numbers) > many or not all(value.is_integer() for value in numbers if value is not None)

    def known_values(self, name: str) -> tuple[list[Any], NDArray[np.int64]]:
        """Return the distinct values of a column and the code of each row's value; none may be missing."""
        column = self.plain(name)
        if column.null_count:
            row = int(np.asarray(column.is_null()).argmax())
            self.refuse(name, row, _MUST_BE_KNOWN)
        return distinct_values(column)

    def plain(self, name: str) -> pyarrow.ChunkedArray:
        """Return a column as numbers, booleans or text: categories and dates become one of them."""
        from pyarrow import string, types

        column = self.table.column(self.index[name])
        if types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        known = (types.is_integer, types.is_floating, types.is_boolean, types.is_string, types.is_large_string)
        return column if any(is_one(column.type) for is_one in known) else column.cast(string())

    def fields(self, name: str) -> pyarrow.ChunkedArray:
        """Return a column as `plain` does, without the words that stand for missing values."""
        column = self.plain(name)
        if not is_string(column) or not self.written.missing:
            return column
        import pyarrow
        from pyarrow import compute

        words = pyarrow.array(sorted(self.written.missing), column.type)
        missing = compute.is_in(compute.utf8_trim_whitespace(column), value_set=words)
        return compute.if_else(missing, pyarrow.scalar(None, column.type), column)

    def has_value(self, name: str) -> bool:
        """Whether a value of a column is not missing."""
        column = self.plain(name) if self._spelling.is_castable(name) else self.fields(name)
        return bool(column.null_count < self.n_rows)

    def _is_missing(self, value: object) -> bool:
        return isinstance(value, str) and value.strip() in self.written.missing

    def _float(self, name: str, hint: Callable[[str], str] | None = None) -> NDArray[np.float64]:
        import pyarrow

        numeral = self.numeral(name) or PLAIN
        column = self.plain(name)
        if numeral.plain:
            try:
                return np.asarray(column.cast(pyarrow.float64()).to_numpy())
            except pyarrow.ArrowInvalid:
                pass  # blanks around a number, NA, or text: look at each field
        values, codes = distinct_values(self.fields(name))
        numbers = [_number(text, numeral) for text in values]
        if None in numbers:
            row = int(np.argmax([code >= 0 and numbers[code] is None for code in codes]))
            text = values[codes[row]]
            advice = csv_errors.hint(text, name, self.trained is None) if hint is None else hint(text)
            as_others = "" if numeral.plain else f" with {numeral.words()} as the others"
            self.refuse(name, row, f"is not a number{as_others}; {advice}", repr(text))
        return np.array([*numbers, np.nan], dtype=np.float64)[codes]  # the last entry is that of the code -1

    def numeral(self, name: str) -> Numeral | None:
        """Return how the numbers of a column are written; None if it holds text: fewer than half of it are numbers."""
        if name not in self.numerals:
            self.numerals[name] = self._spelling.numeral(name)
        return self.numerals[name]

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self)

    def refuse(self, name: str, row: int, why: str, value: str = "") -> NoReturn:
        """Raise `UserError` for a value, with its position in the file."""
        position = (
            f"row {row + 1}" if self.delimiter is None else f"line {csv_errors.line_of(self.file, self.delimiter, row)}"
        )
        raise UserError(f"{self.path}: {position}, column {name!r}: {value or 'the value'} {why}")


def _number(text: object, numeral: Numeral) -> float | None:
    return csv_errors.number(text) if numeral.plain else numeral.number(str(text))
