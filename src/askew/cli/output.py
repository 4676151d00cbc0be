"""The output of a command: text for people, and tables, written completely or not at all."""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
import typer
from numpy.typing import NDArray

from askew.export.formatting import printable
from askew.files import beside, is_device
from askew.tables.errors import UserError
from askew.tables.read import is_parquet
from askew.tables.sheet import Sheet

if TYPE_CHECKING:
    import pyarrow

_Columns = Mapping[str, NDArray[np.generic]]


def say(text: str = "", *, err: bool = False) -> None:
    """Print lines for people; control characters in labels and in names of files are escaped."""
    typer.echo("\n".join(map(printable, text.split("\n"))), err=err)


def or_standard(path: Path | None) -> Path | None:
    """Return the path to write to; None for standard output, which is also written ``-``."""
    return None if path is None or str(path) == "-" else path


def check_output(path: Path, force: bool, *sources: Path) -> None:
    """Raise `UserError`, before any work, if a file may not or cannot be written; `sources` are the input files."""
    if str(path) == "-":
        raise UserError("-o -: this command cannot write to standard output; name a file")
    if is_device(path):
        return
    if path.is_dir():
        raise UserError(f"{path}: is a folder")
    if path.exists() and not force:
        raise UserError(f"{path}: exists already; write over it with --force")
    if path.exists() and any(source.exists() and path.samefile(source) for source in sources):
        raise UserError(f"{path}: is also the input")
    if not path.parent.is_dir():
        raise UserError(f"{path}: there is no folder {str(path.parent)!r}")
    if not os.access(path.parent, os.W_OK):
        raise UserError(f"{path}: the folder {str(path.parent)!r} cannot be written to")


def write_sheet(sheet: Sheet, numbers: _Columns, new: _Columns, path: Path | None) -> None:
    """Write a table and its new columns.

    Parameters
    ----------
    sheet : Sheet
        The table as it was read.
    numbers : mapping
        Columns of the table that were converted to numbers: Parquet holds these, CSV the original text.
    new : mapping
        Columns to add.
    path : Path or None
        Parquet by its suffix, otherwise CSV with the delimiter of the input, compressed if it ends in ``.gz``; None:
        standard output.
    """
    if path is None:
        _write_csv(_joined(sheet, {}, new), sheet.delimiter or ",", sys.stdout)
    elif is_parquet(path):
        from pyarrow import parquet

        table = _joined(sheet, numbers if sheet.delimiter is not None else {}, new)
        # An open file: pyarrow cannot open a name that is not UTF-8.
        with beside(path) as written, written.open("wb") as file:
            parquet.write_table(table, file)
    else:
        with beside(path) as written:
            opened = gzip.open if path.suffix == ".gz" else open
            with opened(written, "wt", encoding="utf-8", newline="") as file:
                _write_csv(_joined(sheet, {}, new), sheet.delimiter or ",", file)


def _joined(sheet: Sheet, replaced: _Columns, new: _Columns) -> pyarrow.Table:
    """Return the table with some columns replaced and others added."""
    import pyarrow

    columns = list(sheet.table.columns)
    for name, values in replaced.items():
        columns[sheet.index[name]] = pyarrow.chunked_array([values])
    columns += [pyarrow.chunked_array([values]) for values in new.values()]
    return pyarrow.table(columns, names=[*sheet.names, *new])


def _write_csv(table: pyarrow.Table, delimiter: str, file: IO[str]) -> None:
    # pyarrow's writer quotes all text; Python's only where it is necessary.
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.column_names)
    for batch in table.to_batches(max_chunksize=10_000):
        writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))
