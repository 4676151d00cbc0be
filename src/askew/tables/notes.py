"""Notes and warnings about the columns: how they were read, and which of them are useless to a model."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

import numpy as np

from askew.tables import csv_errors
from askew.tables.arrow import distinct_values
from askew.tables.dates import formats
from askew.tables.errors import note
from askew.tables.numbers import Numeral
from askew.tables.sheet import Sheet

if TYPE_CHECKING:
    import pandas

FEW = 30
"""With fewer rows or values than this, distinct values are no evidence of an identifier."""

_ID = re.compile(r"(?i)(.*[^a-z])?(id|index|key|nr|row|number|no)|.*[a-z]I[dD]|unnamed: 0|column 1")


def note_numerals(sheet: Sheet, hint: str = "") -> None:
    """Print which columns have numbers that are not written as in Python, one line for each notation."""
    columns: dict[str, list[str]] = {}
    for name, numeral in sheet.numerals.items():
        if numeral is not None and not numeral.plain:
            columns.setdefault(numeral.words(), []).append(name)
    for words, names in columns.items():
        numeral = sheet.numerals[names[0]]
        assert numeral is not None
        text, number = _example(sheet, names[0], numeral)
        note(
            f"{sheet.path}: {_columns(names)} {'has' if len(names) == 1 else 'have'} numbers with {words}: "
            f"{text!r} is read as {number:.12g}{hint}"
        )


def _example(sheet: Sheet, name: str, numeral: Numeral) -> tuple[str, float]:
    values = distinct_values(sheet.fields(name).drop_null())[0]
    numbers = {text: numeral.number(text) for text in values}
    changed = [text for text, number in numbers.items() if number is not None and number != csv_errors.number(text)]
    return changed[0], float(numbers[changed[0]] or 0.0)


def left_out(sheet: Sheet, features: list[str], text: list[str]) -> set[str]:
    """Return the columns to leave out, with a warning for each: those without values, and text that identifies rows.

    Such text would become a column of 0 and 1 for nearly every row.
    """
    unusable = set()
    for name in features:
        if not sheet.has_value(name):
            unusable.add(name)
            warnings.warn(f"{sheet.path}: column {name!r} is left out: it has no value", stacklevel=2)
            continue
        values, codes = distinct_values(sheet.fields(name).drop_null()) if name in text else ([], np.empty(0))
        if len(values) >= FEW and 2 * len(values) >= codes.size:
            unusable.add(name)
            keep = f"if it holds categories, keep it with --categorical {name!r}"
            hint = f"its dates become numbers with --dates {name!r}" if formats(values[:FEW]) else keep
            warnings.warn(
                f"{sheet.path}: column {name!r} is left out: {len(values)} different categories in {codes.size} "
                f"rows, such as {values[0]!r}; {hint}",
                stacklevel=2,
            )
    return unusable


def note_useless(sheet: Sheet, frame: pandas.DataFrame) -> None:
    """Name the columns that have one value in every row, and those that number the rows."""
    constant = [str(name) for name in frame if (frame[name] == frame[name].iloc[0]).all()]
    if constant:
        note(
            f"{sheet.path}: {_columns(constant)} {'has' if len(constant) == 1 else 'have'} one value in all rows: "
            "nothing can be learnt from it"
        )
    for name in frame.select_dtypes("number"):
        if _numbers_rows(str(name), frame[name].to_numpy()):
            note(
                f"{sheet.path}: column {name!r} seems to number the rows, each value differs; if it does, leave it "
                f"out with --drop {name!r}"
            )


_MISSING = {
    "mean": "the mean of the column replaces them",
    "indicator": "the mean of the column replaces them, and a column indicates that they are missing",
    "auto": "the mean of the column replaces them, with and without a column that indicates that they are missing",
    "fractional": "parts of the row go to every child",
    "below": "the row is below every plane that tests them",
}


def note_missing(sheet: Sheet, frame: pandas.DataFrame, missing: str) -> None:
    """Print which columns have missing values, and their treatment."""
    counts = {str(name): int(count) for name, count in frame.isna().sum().items() if count}
    numbers = {str(name) for name in frame.select_dtypes("number")}
    categories = set() if missing == "fractional" else counts.keys() - numbers
    for names, how in (
        ([name for name in counts if name not in categories], _MISSING.get(missing, f"missing={missing!r}")),
        ([name for name in counts if name in categories], "missing is a separate category"),
    ):
        if names:
            many = sum(counts[name] for name in names)
            note(f"{sheet.path}: {many} missing in {_columns(names)}: {how}; see --missing")


def _numbers_rows(name: str, values: np.ndarray) -> bool:
    """Whether a column holds integers, all distinct, that rise or fall throughout or are named as an identifier."""
    if values.size < FEW or not np.isfinite(values).all() or (values != np.floor(values)).any():
        return False
    steps = np.diff(values)
    if (steps > 0).all() or (steps < 0).all():
        return True
    return _ID.fullmatch(name) is not None and np.unique(values).size == values.size


def warn_unseen(sheet: Sheet, name: str, values: list[str], rows: int) -> None:
    """Warn of categories that are not in the training data."""
    shown = ", ".join(map(repr, values[:5])) + (f" and {len(values) - 5} more" if len(values) > 5 else "")
    warnings.warn(
        f"{sheet.path}: column {name!r}: {rows} of {sheet.n_rows} rows have a category that is not in "
        f"the training data: {shown}",
        stacklevel=2,
    )


def _columns(names: list[str], shown: int = 10) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return f"column{'s' if len(names) > 1 else ''} {', '.join(map(repr, names[:shown]))}{more}"
