"""The model file that a command is given, and what it keeps of how the training table was written.

`predict` reads a column as training did where it could be read in two ways: ``51,260``, or ``03/04/2024``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from askew.tables.errors import UserError
from askew.tables.numbers import WAYS, Numeral
from askew.tables.sheet import Sheet


def load_model(path: Path) -> Any:
    """Read a model file; raise `UserError` if a table, or other text, was given in its place."""
    with path.open("rb") as file:
        start = file.read(64)
    # A model file begins with a length of 8 bytes, of which the last are 0; text has none, but as UTF-16.
    is_text = b"\0" not in start or start.startswith((b"\xff\xfe", b"\xfe\xff"))
    if start.startswith((b"PAR1", b"\x1f\x8b")) or (len(start) >= 8 and is_text and not start.startswith(b"\x80")):
        raise UserError(f"{path}: is a table or other text, not a model file; give a file that askew train wrote")
    import askew

    return askew.load(path)


def keep_written(estimator: Any, sheet: Sheet, features: list[str]) -> None:
    """Keep with a model how the columns that it learnt from were written, where Python writes otherwise."""
    ways = {name: sheet.numerals.get(name) for name in features}
    written = {name: [way.decimal, way.thousands] for name, way in ways.items() if way is not None and not way.plain}
    for one in _members(estimator):
        one.written_ = {**written, **{name: [form] for name, form in sheet.dates.items()}}


def as_trained(estimator: Any, sheet: Sheet) -> Sheet:
    """Return a table with what the model knows of how its columns are written."""
    written = getattr(_members(estimator)[0], "written_", {})
    numerals = {name: Numeral(*way) for name, way in written.items() if tuple(way) in WAYS}
    return replace(sheet, trained=numerals, dates={name: way[0] for name, way in written.items() if len(way) == 1})


def _members(estimator: Any) -> list[Any]:
    """Return the trees of a vote, which are stored with a schema each; any other estimator itself."""
    return list(vars(estimator).get("estimators_", [estimator]))
