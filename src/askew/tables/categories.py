"""Columns of categories in a table: which they are, and what a model is given of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from askew.tables import csv_errors, notes
from askew.tables.arrow import different
from askew.tables.sheet import FILL_IN, Sheet

if TYPE_CHECKING:
    import pandas


def is_text(sheet: Sheet, name: str) -> bool:
    """Whether a column holds categories: stored as such, or fewer than half of its known fields are numbers.

    A few fields of text among numbers are a fault, not categories.
    """
    from pyarrow import types

    stored = types.is_dictionary(sheet.table.column(sheet.places[name]).type)
    return stored or sheet.numeral(name) is None


def read_frame(
    sheet: Sheet, names: list[str], categories: Mapping[str, Collection[Any] | None], *, may_miss: bool
) -> pandas.DataFrame:
    """Return some columns: those of `categories` as such, the others as numbers.

    `categories` tells what the model knows, in its own types; None: it is to learn them, as text.
    """
    import pandas

    numbers = sheet.numbers([name for name in names if name not in categories], may_miss=may_miss)
    if not categories:
        return numbers
    columns: dict[str, Any] = {}
    for name in names:
        known = categories.get(name)
        columns[name] = _labels(sheet, name, known, may_miss) if name in categories else numbers[name]
    return pandas.DataFrame(columns)


def _labels(sheet: Sheet, name: str, known: Collection[Any] | None, may_miss: bool) -> Any:
    import pandas
    import pyarrow

    column = sheet.fields(name).cast(pyarrow.string())
    if column.null_count and not may_miss:
        sheet.refuse(name, int(np.asarray(column.is_null()).argmax()), f"is missing; {FILL_IN}")
    values, codes = different(column)
    by_text = {str(label): label for label in known or () if label is not None}
    labels: Any = [_label(text, by_text) for text in values]
    if known is not None:
        unseen = [code for code, label in enumerate(labels) if label not in by_text.values()]
        if unseen:
            rows = int(np.isin(codes, unseen).sum())
            notes.tell_unseen(sheet, name, [values[code] for code in unseen], rows)
    return pandas.Categorical.from_codes(codes, labels)


def _label(text: str, known: Mapping[str, Any]) -> Any:
    """Return the category that a field holds: one of the model's, by its name or as a number, or else the text."""
    if text in known:
        return known[text]
    value = csv_errors.number(text)
    return next((label for label in known.values() if value is not None and label == value), text)
