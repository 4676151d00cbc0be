"""The notation of a table: delimiter, encoding, decimal and thousands separators, missing values."""

from __future__ import annotations

from dataclasses import dataclass

from askew.tables.errors import UserError

# Those of pandas, and the question mark of the UCI repository.
MISSING = (
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "None",
    "n/a",
    "nan",
    "null",
    "?",
)

# The decimal separator that goes with a separator of thousands; None: either may.
_THOUSANDS = {",": ".", ".": ",", " ": None, "space": None, "'": None}


@dataclass(frozen=True)
class Written:
    """The user's options on how a table is written; None: it is detected.

    Attributes
    ----------
    delimiter : str or None
        Separates the fields.
    encoding : str or None
        Encoding of the text.
    decimal : str or None
        Decimal separator, where a number can be read in two ways.
    missing : frozenset of str
        Fields, besides empty ones, that stand for a missing value.
    """

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    missing: frozenset[str] = frozenset(MISSING)

    @classmethod
    def from_options(
        cls,
        delimiter: str | None,
        encoding: str | None,
        decimal: str | None,
        thousands: str | None,
        na_values: list[str] | None,
    ) -> Written:
        """Return the options of a command, or raise `UserError`."""
        if delimiter is not None and len(delimiter) != 1:
            if delimiter not in ("\\t", "tab"):
                raise UserError(f"--delimiter {delimiter!r}: expected one character, or tab")
            delimiter = "\t"
        if decimal not in (None, ".", ","):
            raise UserError(f"--decimal {decimal!r}: expected . or ,")
        if thousands is not None and thousands not in _THOUSANDS:
            raise UserError(f"--thousands {thousands!r}: expected one of , . ' or space")
        if decimal is not None and decimal == thousands:
            raise UserError(f"--decimal {decimal!r} and --thousands {thousands!r} must differ")
        _check_encoding(encoding)
        words = [word for item in na_values or [] for word in item.split(",")]
        missing = frozenset(word for word in [*([] if "" in words else MISSING), *words] if word)
        return cls(delimiter, encoding, decimal or _THOUSANDS.get(thousands or " "), missing)


def _check_encoding(name: str | None) -> None:
    try:
        "".encode(name or "utf-8")
    except LookupError:
        raise UserError(
            f"--encoding {name!r}: unknown; expected utf-8, latin-1, utf-16 or another of Python's"
        ) from None
