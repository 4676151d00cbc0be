"""A CSV read again with Python's csv module: its header, and the line and column of an error in it."""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from askew.tables.errors import UserError

DELIMITERS = ",;\t|"
"""Delimiters that are tried, in this order, if none is named."""


@dataclass(frozen=True)
class Head:
    """The beginning of a CSV.

    Attributes
    ----------
    names : list of str
        Names of the columns.
    delimiter : str
        The user's, or the one that was detected.
    blank_lines : int
        Empty lines before the header.
    unnamed : tuple of str
        Columns whose name is blank in the header: they are numbered.
    """

    names: list[str]
    delimiter: str
    blank_lines: int
    unnamed: tuple[str, ...]


class NotUtf8Error(UserError):
    """A byte that is not part of UTF-8 text."""


def is_gzip(path: Path) -> bool:
    """Whether a file is gzipped, by its first two bytes."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


@contextmanager
def open_binary(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, gzipped or not."""
    zipped = is_gzip(path)
    with path.open("rb") as file:
        if not zipped:
            yield file
            return
        with gzip.open(file) as inside:
            yield inside  # type: ignore[misc]


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[str]]:
    """Yield the lines of a text file, with their line ends."""

    def decoded(file: Iterable[bytes]) -> Iterator[str]:
        for number, line in enumerate(file, 1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                byte = line[error.start]
                hint = "give the encoding with --encoding"
                raise NotUtf8Error(f"{path}: line {number}: byte 0x{byte:02x} is not UTF-8; {hint}") from None

    with open_binary(path) as file:
        yield decoded(file)


def _records(path: Path, lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record that is not blank, with the number of its first line."""
    reader = csv.reader(lines, delimiter=delimiter)
    first = 1
    try:
        for fields in reader:
            if fields:
                yield first, fields
            first = reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"{path}: line {reader.line_num}: {error}") from None


def head(path: Path, delimiter: str | None) -> Head:
    """Read the header; without a delimiter, take the one that cuts the first rows most evenly."""
    with _lines(path) as lines:
        if delimiter is None:
            delimiter = _sniff(path, list(islice(lines, 50)))
    with _lines(path) as lines:
        found = next(_records(path, lines, delimiter), None)
    if found is None:
        raise UserError(f"{path}: the file is empty: no data rows")
    line, names = found
    unnamed = [f"column {j}" for j, name in enumerate(names, 1) if not name.strip()]
    names = [name if name.strip() else f"column {j}" for j, name in enumerate(names, 1)]
    doubled = [name for name, n in Counter(names).items() if n > 1]
    if doubled:
        raise UserError(f"{path}: line {line}: the header names two columns {doubled[0]!r}; rename one")
    return Head(names, delimiter, line - 1, tuple(unnamed))


def _sniff(path: Path, lines: list[str]) -> str:
    def evenness(delimiter: str) -> tuple[float, int]:
        try:
            widths = [len(fields) for _, fields in _records(path, lines, delimiter)]
        except UserError:
            return 0.0, 0
        if not widths or widths[0] == 1:
            return 0.0, 0
        return sum(width == widths[0] for width in widths) / len(widths), widths[0]

    return max(DELIMITERS, key=evenness)  # of equals the first: the comma


def check_rows(path: Path, start: Head) -> None:
    """Raise `UserError` for the first row that has not as many fields as the header."""
    with _lines(path) as lines:
        for line, fields in _records(path, lines, start.delimiter):
            if len(fields) == len(start.names):
                continue
            raise UserError(f"{path}: line {line}, {_ragged(fields, start)}")


def _ragged(fields: list[str], start: Head) -> str:
    expected, found = len(start.names), len(fields)
    if found > expected:
        where = f"column {expected + 1}: {fields[expected]!r} is one field too many"
    else:
        where = f"column {start.names[found]!r}: the row ends before it, at {fields[-1]!r}"
    hint = f"fields that hold {start.delimiter!r} need quotes; give another delimiter with --delimiter"
    return f"{where} ({found} fields, {expected} in the header); {hint}"


def line_of(path: Path, delimiter: str, row: int) -> int:
    """Return the line on which a data row (counted from 0) begins."""
    with _lines(path) as lines:
        line, _ = next(islice(_records(path, lines, delimiter), row + 1, None))
    return line


def number(text: object) -> float | None:
    """Return the number that a field holds, or None; an underscore is not part of a number here."""
    if isinstance(text, str) and "_" in text:
        return None
    try:
        return float(text)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def is_integer(text: str) -> bool:
    """Whether a label is an integer, written as Python writes it and small enough for 64 bits."""
    return re.fullmatch(r"0|-?[1-9][0-9]{0,17}", text) is not None


def hint(text: str, column: str, training: bool) -> str:
    """Return a hint about text in a column of numbers, in training or for a model."""
    missing = f"use --na-values {text.strip()!r} if the value is missing"
    return (
        missing
        if not training
        else f"{missing}, --categorical {column!r} if the column holds categories, or --drop {column!r}"
    )
