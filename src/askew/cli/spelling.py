"""How numbers are written in the columns of a table: what a column alone cannot tell, the others may."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from askew.cli import rescan
from askew.cli.arrow import different, is_string
from askew.cli.numerals import PLAIN, Numeral, common, readings, split

if TYPE_CHECKING:
    from askew.cli.sheet import Sheet


class Spelling:
    """Finds out how the numbers of each column of a table are written."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._castable: dict[str, bool] = {}

    def numeral(self, name: str) -> Numeral | None:
        """Return how the numbers of a column are written; None if it holds text."""
        if self.is_castable(name):
            # 1.234 is a thousand and more where other columns have decimal commas.
            is_comma = name in (self.sheet.trained or {}) or self._decimal_elsewhere == ","
            if not is_string(self.sheet.plain(name)) or not is_comma:
                return PLAIN
            ways = readings(different(self.sheet.fields(name).drop_null())[0])
            return next((way for way in ways if way.thousands == "." and self._as_trained(name, way)), PLAIN)
        values, codes = different(self.sheet.fields(name).drop_null())
        plain = np.array([rescan.number(value) is not None for value in values], dtype=bool)
        like = plain | np.array([split(value) is not None for value in values], dtype=bool)
        ways = [PLAIN] if plain.all() else readings(values)
        if not ways and 2 * like[codes].sum() < codes.size:
            return None
        if not ways:
            return common(values)
        return ways[0] if len(ways) == 1 else self._choose(name, ways)

    def _choose(self, name: str, ways: list[Numeral]) -> Numeral:
        """Return the way of writing that the user names, or training had, or other columns have; or raise `Fault`."""
        asked, known = self.sheet.written.decimal is not None, name in (self.sheet.trained or {})
        fitting = [way for way in ways if known and not asked and self._as_trained(name, way)]
        fitting = fitting or [way for way in ways if way.decimal == self._decimal]
        return fitting[0] if len(fitting) == 1 else self._refuse_either(name, ways)

    def _as_trained(self, name: str, way: Numeral) -> bool:
        """Whether numbers in the training table had the same separators, or nothing is known of that."""
        known = (self.sheet.trained or {}).get(name, way)
        return (known.decimal, known.thousands) == (way.decimal, way.thousands)

    def _refuse_either(self, name: str, ways: list[Numeral]) -> NoReturn:
        values, codes = different(self.sheet.fields(name))
        row = int(np.argmax([code >= 0 and len({way.number(values[code]) for way in ways}) > 1 for code in codes]))
        text = values[codes[row]]
        either = " or ".join(f"{way.number(text):.12g}" for way in ways)
        self.sheet.refuse(name, row, f"may be {either}; say which with --decimal . or --decimal ,", repr(text))

    @cached_property
    def _decimal_elsewhere(self) -> str | None:
        """What stands before decimals by the user's word, or in columns with numbers that Python does not write so."""
        if self.sheet.written.decimal is not None:
            return self.sheet.written.decimal
        found = {self._decimal_of(name) for name in self.sheet.names if not self.is_castable(name)} - {None}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def _decimal(self) -> str | None:
        """What stands before decimals in the table; None if columns disagree, or none tells.

        A comma that separates fields separates no decimals: programs write a semicolon then.
        """
        if self.sheet.written.decimal is not None:
            return self.sheet.written.decimal
        found = {self._decimal_of(name) for name in self.sheet.names} - {None}
        return found.pop() if len(found) == 1 else "." if not found and self.sheet.delimiter == "," else None

    def _decimal_of(self, name: str) -> str | None:
        column = self.sheet.plain(name)
        values = different(self.sheet.fields(name).drop_null())[0] if is_string(column) else []
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
