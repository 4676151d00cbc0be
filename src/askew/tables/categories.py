"""Categorical columns of a table: which columns they are, and their values as a data frame."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from askew.tables import csv_errors, notes
from askew.tables.arrow import distinct_values
from askew.tables.sheet import FILL_IN, Sheet

if TYPE_CHECKING:
    import pandas


def is_text(sheet: Sheet, name: str) -> bool:
    """Whether a column holds categories: stored as such, or fewer than half of its known fields are numbers.

    A few fields of text among numbers are errors, not categories.
    """
    from pyarrow import types

    stored = types.is_dictionary(sheet.table.column(sheet.index[name]).type)
    return stored or sheet.numeral(name) is None


def read_frame(
    sheet: Sheet, names: list[str], categories: Mapping[str, Collection[object] | None], *, may_miss: bool
) -> pandas.DataFrame:
    """Return some columns: those of `categories` as such, the others as numbers.

    `categories` holds the categories of the model, in their types; None: the model learns them, as text.
    """
    import pandas

    numbers = sheet.numbers([name for name in names if name not in categories], may_miss=may_miss)
    if not categories:
        return numbers
    columns: dict[str, pandas.Categorical | pandas.Series[float]] = {}
    for name in names:
        known = categories.get(name)
        columns[name] = _labels(sheet, name, known, may_miss) if name in categories else numbers[name]
    return pandas.DataFrame(columns)


def _labels(sheet: Sheet, name: str, known: Collection[object] | None, may_miss: bool) -> pandas.Categorical:
    import pandas
    import pyarrow

    column = sheet.fields(name).cast(pyarrow.string())
    if column.null_count and not may_miss:
        sheet.refuse(name, int(np.asarray(column.is_null()).argmax()), f"is missing; {FILL_IN}")
    values, codes = distinct_values(column)
    by_text = {str(label): label for label in known or () if label is not None}
    labels = [_label(text, by_text) for text in values]
    if known is not None:
        unseen = [code for code, label in enumerate(labels) if label not in by_text.values()]
        if unseen:
            rows = int(np.isin(codes, unseen).sum())
            notes.warn_unseen(sheet, name, [values[code] for code in unseen], rows)
    return pandas.Categorical.from_codes(codes, pandas.Index(labels))


def _label(text: str, known: Mapping[str, object]) -> object:
    """Return the category that a field holds: one of the model's, by its name or as a number, or else the text."""
    if text in known:
        return known[text]
    value = csv_errors.number(text)
    return next((label for label in known.values() if value is not None and label == value), text)
