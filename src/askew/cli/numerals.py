"""Numbers as people write them: ``5,1``, ``51,260``, ``1.234,5``, ``$51.26``, ``51.26%``, ``5.1 EUR``.

field         unit  body        decimal  thousands   number
"-$51,260"    $     -51,260     .        ,           -51260
"1.234,5 %"   %     1.234,5     ,        .           1234.5
"51,260"            51,260      .        ,           51260     both ways of writing fit:
                                ,                    51.26     other columns must tell, or the user
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

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
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : before the decimals
    thousands : between groups of three digits; empty if there are none
    unit : a currency, the per cent sign or a word, which is dropped; empty if there is none
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
        """Return what is particular about it."""
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
    """Return unit and body of a field, or None if it is no number in any way of writing."""
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
    """Return the way of writing of the first field that has one of its own, where no way fits all of them."""
    for text in texts:
        ways = readings([text])
        if len(ways) == 1 and not ways[0].plain:
            return ways[0]
    return PLAIN
