"""Numbers as people write them: ``5,1``, ``51,260``, ``1.234,5``, ``$51.26``, ``51.26%``, ``5.1 EUR``.

field         unit  body        decimal  thousands   number
"-$51,260"    $     -51,260     .        ,           -51260
"1.234,5 %"   %     1.234,5     ,        .           1234.5
"51,260"            51,260      .        ,           51260     both ways of writing fit:
                                ,                    51.26     other columns decide, or the user

Where one column is ambiguous, the other columns of the table decide how its numbers are written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from askew.tables import csv_errors
from askew.tables.arrow import distinct_values, is_string

if TYPE_CHECKING:
    from askew.tables.sheet import Sheet

_CURRENCIES = "$€£¥₹"
_FIELD = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<before>[{_CURRENCIES}]?)\s*(?P<inner>[+-]?)"
    rf"(?P<body>[0-9.,](?:[0-9.,' ]*[0-9.,])?(?:[eE][+-]?[0-9]+)?)\s*(?P<after>[%{_CURRENCIES}]?)"
)
_WORD = re.compile(
    r"[+-]?[0-9.,][^a-zA-Z]*?\s*(?P<behind>[a-zA-Z]{1,10})|(?P<before>[A-Z]{3})\s*[+-]?[0-9.,][^a-zA-Z]*"
)
_BLANKS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2019": "'", "\u2212": "-"})


@dataclass(frozen=True)
class Numeral:
    """The notation of the numbers of a column.

    Attributes
    ----------
    decimal : str
        Decimal separator.
    thousands : str
        Separator between groups of three digits; empty if there is none.
    unit : str
        A currency, the per cent sign or a word, which is dropped; empty if there is none.
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""

    @property
    def plain(self) -> bool:
        """Whether numbers are written as Python writes them."""
        return self == PLAIN

    def number(self, text: str) -> float | None:
        """Return the number that a field holds, or None."""
        found = split(text.replace(self.unit, "", 1) if self.unit else text)
        return None if found is None else self._value(found[1])

    def fits(self, bodies: Sequence[str]) -> bool:
        """Whether all bodies are written so, and one has the separator of thousands, if there is to be one."""
        if self.thousands and not any(self.thousands in body for body in bodies):
            return False
        return all(self._value(body) is not None for body in bodies)

    def _value(self, body: str) -> float | None:
        if not _PATTERNS[self.decimal, self.thousands].fullmatch(body):
            return None
        return float(body.replace(self.thousands, "").replace(self.decimal, ".") if self != PLAIN else body)

    def words(self) -> str:
        """Return a description of the notation."""
        names = {",": "commas", ".": "points", " ": "blanks", "'": "apostrophes"}
        parts = [f"decimal {names[self.decimal]}"] if self.decimal == "," else []
        parts += [f"thousands {names[self.thousands]}"] if self.thousands else []
        parts += [f"the {'unit' if self.unit.isalpha() else 'sign'} {self.unit}"] if self.unit else []
        return " and ".join(parts)


PLAIN = Numeral()
WAYS = ((".", ""), (",", ""), (".", ","), (",", "."), (".", " "), (",", " "), (".", "'"))
"""Decimal and thousands of every way of writing; the first that fits counts, where several give the same numbers."""


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    point, between = re.escape(decimal), re.escape(thousands)
    grouped = rf"[1-9][0-9]{{0,2}}(?:{between}[0-9]{{3}})+|" if thousands else ""
    return re.compile(rf"[+-]?(?:(?:{grouped}[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?")


_PATTERNS = {pair: _pattern(*pair) for pair in WAYS}


def split(text: str) -> tuple[str, str] | None:
    """Return unit and body of a field, or None if it is not a number in any notation."""
    found = _FIELD.fullmatch(text.translate(_BLANKS).strip())
    if found is None or (found["before"] and found["after"]) or (found["sign"] and found["inner"]):
        return None
    body = found["sign"] + found["inner"] + found["body"]
    if not any(pattern.fullmatch(body) for pattern in _PATTERNS.values()):
        return None
    return found["before"] or found["after"], body


def _shared_word(texts: Collection[str]) -> str:
    """Return the word, such as ``kg``, that stands behind or before the number in every field; empty if none does."""
    found = [_WORD.fullmatch(text.strip()) for text in texts]
    words = {"" if match is None else match["behind"] or match["before"] for match in found}
    return words.pop() if len(words) == 1 else ""


def readings(texts: Collection[str]) -> list[Numeral]:
    """Return the ways of writing that fit all fields.

    Several are returned only if they disagree about a number. Fields with and without a currency go together,
    those with and without a per cent sign do not.
    """
    word = _shared_word(texts)
    found = [split(text.replace(word, "", 1) if word else text) for text in texts]
    if not found or None in found:
        return []
    parts = [part for part in found if part is not None]
    units = {unit for unit, _ in parts}
    if len(units - {""}) > 1 or ("%" in units and "" in units):
        return []
    unit, bodies = word or max(units), [body for _, body in parts]
    numbers: dict[tuple[float | None, ...], Numeral] = {}
    for way in (Numeral(*pair) for pair in WAYS):
        if not way.fits(bodies):
            continue
        numbers.setdefault(tuple(way._value(body) for body in bodies), Numeral(way.decimal, way.thousands, unit))
    return list(numbers.values())


def common(texts: Sequence[str]) -> Numeral:
    """Return the notation of the first field that has only one, where no notation fits all fields."""
    for text in texts:
        ways = readings([text])
        if len(ways) == 1 and not ways[0].plain:
            return ways[0]
    return PLAIN


class Spelling:
    """Finds out how the numbers of each column of a table are written."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._castable: dict[str, bool] = {}

    def numeral(self, name: str) -> Numeral | None:
        """Return how the numbers of a column are written; None if it holds text."""
        if self.is_castable(name):
            # 1.234 is 1234 if other columns have decimal commas.
            is_comma = name in (self.sheet.trained or {}) or self._decimal_elsewhere == ","
            if not is_string(self.sheet.plain(name)) or not is_comma:
                return PLAIN
            ways = readings(distinct_values(self.sheet.fields(name).drop_null())[0])
            return next((way for way in ways if way.thousands == "." and self._as_trained(name, way)), PLAIN)
        values, codes = distinct_values(self.sheet.fields(name).drop_null())
        plain = np.array([csv_errors.number(value) is not None for value in values], dtype=bool)
        like = plain | np.array([split(value) is not None for value in values], dtype=bool)
        ways = [PLAIN] if plain.all() else readings(values)
        if not ways and 2 * like[codes].sum() < codes.size:
            return None
        if not ways:
            return common(values)
        return ways[0] if len(ways) == 1 else self._choose(name, ways)

    def _choose(self, name: str, ways: list[Numeral]) -> Numeral:
        """Return the spelling that the user names, or training had, or other columns have; or raise `UserError`."""
        asked, known = self.sheet.written.decimal is not None, name in (self.sheet.trained or {})
        fitting = [way for way in ways if known and not asked and self._as_trained(name, way)]
        fitting = fitting or [way for way in ways if way.decimal == self._decimal]
        return fitting[0] if len(fitting) == 1 else self._refuse_either(name, ways)

    def _as_trained(self, name: str, way: Numeral) -> bool:
        """Whether the training table had the same separators, or its separators are unknown."""
        known = (self.sheet.trained or {}).get(name, way)
        return (known.decimal, known.thousands) == (way.decimal, way.thousands)

    def _refuse_either(self, name: str, ways: list[Numeral]) -> NoReturn:
        values, codes = distinct_values(self.sheet.fields(name))
        row = int(np.argmax([code >= 0 and len({way.number(values[code]) for way in ways}) > 1 for code in codes]))
        text = values[codes[row]]
        either = " or ".join(f"{way.number(text):.12g}" for way in ways)
        self.sheet.refuse(name, row, f"may be {either}; say which with --decimal . or --decimal ,", repr(text))

    @cached_property
    def _decimal_elsewhere(self) -> str | None:
        """Decimal separator by the user's option, or by columns whose numbers are not written as in Python."""
        if self.sheet.written.decimal is not None:
            return self.sheet.written.decimal
        found = {self._decimal_of(name) for name in self.sheet.names if not self.is_castable(name)} - {None}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def _decimal(self) -> str | None:
        """Decimal separator of the table; None if columns disagree, or none decides.

        A comma between fields is not a decimal comma: programs that write those separate fields by semicolons.
        """
        if self.sheet.written.decimal is not None:
            return self.sheet.written.decimal
        found = {self._decimal_of(name) for name in self.sheet.names} - {None}
        return found.pop() if len(found) == 1 else "." if not found and self.sheet.delimiter == "," else None

    def _decimal_of(self, name: str) -> str | None:
        column = self.sheet.plain(name)
        values = distinct_values(self.sheet.fields(name).drop_null())[0] if is_string(column) else []
        if not readings(values):
            return None
        ways = readings([value for value in values if "." in value or "," in value])
        return ways[0].decimal if len(ways) == 1 else None

    def is_castable(self, name: str) -> bool:
        """Whether pyarrow reads a column as numbers, or it holds numbers."""
        import pyarrow

        if name not in self._castable:
            try:
                self.sheet.plain(name).cast(pyarrow.float64())
                self._castable[name] = True
            except pyarrow.ArrowInvalid:
                self._castable[name] = False
        return self._castable[name]
