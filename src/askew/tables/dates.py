"""Dates as numbers: year, month, weekday (1 is Monday) and days since 1970-01-01."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, datetime

import numpy as np

from askew.tables.arrow import distinct_values
from askew.tables.errors import UserError
from askew.tables.sheet import Sheet

FORMATS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y%m%d",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S.%f",
)
PARTS = ("year", "month", "weekday", "days")
_FIRST = date(1970, 1, 1).toordinal()
_PART = re.compile(rf"(.+)\.({'|'.join(PARTS)})")


def formats(texts: Collection[str]) -> list[str]:
    """Return the formats of dates that fit all fields; none if there are no fields."""
    return [form for form in FORMATS if texts and all(_parsed(text, form) is not None for text in texts)]


def source(name: str) -> str | None:
    """Return the column of dates that a column such as ``sold.year`` comes from, by its name."""
    found = _PART.fullmatch(name)
    return None if found is None else found[1]


def expanded(sheet: Sheet, columns: Sequence[str]) -> tuple[Sheet, list[str]]:
    """Return the table with columns of numbers for each column of dates, and which columns those are.

    Parameters
    ----------
    sheet : Sheet
        The table.
    columns : sequence of str
        Names of columns, each alone or as ``name=format``.
    """
    names = []
    for item in columns:
        name, _, form = (item, "", "") if item in sheet.index else item.rpartition("=")
        if not name:
            name, form = item, ""
        sheet.check_column(name)
        sheet = _with_parts(sheet, name, form)
        names.append(name)
    return sheet, names


def _with_parts(sheet: Sheet, name: str, form: str) -> Sheet:
    import pyarrow

    values, codes = distinct_values(sheet.fields(name).cast(pyarrow.string()))
    form = form or _format(sheet, name, values)
    days = [_parsed(text, form) for text in values]
    if None in days:
        row = int(np.argmax([code >= 0 and days[code] is None for code in codes]))
        sheet.refuse(
            name,
            row,
            f"is not a date in the format {form}; give --dates {name + '=FORMAT'!r}",
            repr(values[codes[row]]),
        )
    table = sheet.table
    for part, numbers in _numbers([day for day in days if day is not None]).items():
        if f"{name}.{part}" in sheet.index:
            raise UserError(f"{sheet.path}: there is a column {name + '.' + part!r} already; rename it")
        column = np.array([*numbers, np.nan])[codes]
        table = table.append_column(f"{name}.{part}", pyarrow.array(column, from_pandas=True))
    return replace(sheet, table=table, numerals=dict(sheet.numerals), dates={**sheet.dates, name: form})


def _numbers(days: list[datetime]) -> dict[str, list[float]]:
    return {
        "year": [float(day.year) for day in days],
        "month": [float(day.month) for day in days],
        "weekday": [float(day.isoweekday()) for day in days],
        "days": [float(day.toordinal() - _FIRST) for day in days],
    }


def _format(sheet: Sheet, name: str, values: list[str]) -> str:
    fitting = formats(values)
    if not fitting:
        raise UserError(
            f"{sheet.path}: column {name!r}: {values[0]!r} and the others are not dates in a known "
            f"format; give it, such as --dates {name + '=%d %b %Y'!r}"
        )
    if sheet.dates.get(name) in fitting:  # as in the training table
        return sheet.dates[name]
    if len(fitting) > 1:
        ways = " or ".join(f"--dates {name + '=' + form!r}" for form in fitting)
        raise UserError(f"{sheet.path}: column {name!r}: day and month of {values[0]!r} may be either; give {ways}")
    return fitting[0]


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text.strip(), form)
    except ValueError:
        return None
