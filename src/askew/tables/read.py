"""Tables from files: CSV with any delimiter (also gzipped), Parquet and the format of OC1, read by pyarrow.

Text that is not UTF-8 is copied as UTF-8, from the encoding that is named or detected.
"""

from __future__ import annotations

import atexit
import codecs
import os
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from askew.tables import csv_errors
from askew.tables.errors import UserError, note, reason
from askew.tables.options import Written
from askew.tables.sheet import Sheet


def is_parquet(path: Path) -> bool:
    """Whether a file's name says that it is Parquet."""
    return path.suffix.lower() in {".parquet", ".pq"}


def read_sheet(path: Path, written: Written = Written()) -> Sheet:  # noqa: B008 - immutable
    """Read a table, or raise `UserError` with the position of the error in the file; ``-`` is standard input."""
    for needed in ("pandas", "pyarrow"):
        if find_spec(needed) is None:
            raise UserError(f"reading tables needs {needed}: pip install 'askew[cli]'")
    import pyarrow

    name = "standard input" if str(path) == "-" else str(path)
    try:
        file = _on_disk(path)
        sheet = replace(_read(file, written, name), path=Path(name), written=written)
    except UserError as error:
        raise UserError(str(error).replace(str(file), name)) from None
    except (pyarrow.ArrowInvalid, EOFError) as error:  # EOFError: a gzip file cut short
        raise UserError(f"{name}: {error}") from error
    except OSError as error:
        raise UserError(reason(error) if error.filename else f"{name}: {error}") from error
    if sheet.n_rows == 0:
        raise UserError(f"{name}: no data rows")
    if sheet.unnamed:
        note(f"{name}: columns without a name in the header are called {', '.join(map(repr, sheet.unnamed))}")
    return sheet


def _on_disk(path: Path) -> Path:
    """Return a file that can be read more than once: a copy of the data of a pipe.

    pyarrow cannot open a name that is not UTF-8: it gets a link.
    """
    if str(path) != "-" and (not path.exists() or path.is_file() or path.is_dir()):
        return _link_to(path) if path.is_file() and not _is_utf8(path) else path
    handle, name = tempfile.mkstemp(prefix="askew-", suffix=path.suffix)
    atexit.register(Path(name).unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as copy:
        if str(path) == "-":
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, copy)
    return Path(name)


def _is_utf8(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _link_to(path: Path) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="askew-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    link = folder / f"table{path.suffix if _is_utf8(Path(path.suffix)) else ''}"
    link.symlink_to(path.absolute())
    return link


def _read(file: Path, written: Written, name: str) -> Sheet:
    with file.open("rb") as opened:
        magic = opened.read(4)
    if is_parquet(file) or magic == b"PAR1":
        return _read_parquet(file)
    if file.suffix == ".data":
        return _read_oc1(file)
    encoding = written.encoding or marked(file)
    if encoding is not None and not is_utf8(encoding):
        return _read_recoded(file, encoding, written, name)
    try:
        return _read_csv(file, written.delimiter)
    except csv_errors.NotUtf8Error:
        if written.encoding is not None:
            raise
    return _read_recoded(file, None, written, name)


def _read_recoded(file: Path, encoding: str | None, written: Written, name: str) -> Sheet:
    copy = recoded(file, encoding, name)
    try:
        return _read_csv(copy, written.delimiter)
    except UserError as error:
        raise UserError(str(error).replace(str(copy), name)) from None


def _read_oc1(path: Path) -> Sheet:
    """Read a data file of the original OC1 program: columns x1, x2, ... and class."""
    import pyarrow

    from askew.export.oc1_format import read_oc1_data

    try:
        X, y = read_oc1_data(path)
    except ValueError as error:
        raise UserError(str(error)) from None
    columns = {f"x{j + 1}": pyarrow.array(column, from_pandas=True) for j, column in enumerate(X.T)}
    return Sheet(path, path, pyarrow.table({**columns, "class": y}), None)


def _read_parquet(path: Path) -> Sheet:
    from pyarrow import parquet

    with path.open("rb") as file:
        names = parquet.read_schema(file).names
        doubled = [name for name, n in Counter(names).items() if n > 1]
        if doubled:
            raise UserError(f"{path}: two columns are named {doubled[0]!r}; rename one")
        file.seek(0)
        return Sheet(path, path, parquet.read_table(file), None)


def _read_csv(path: Path, delimiter: str | None) -> Sheet:
    import pyarrow
    from pyarrow import csv as arrow_csv

    start = csv_errors.head(path, delimiter)
    try:
        # A stream of Arrow: its threads would call back a Python file, also while Python exits.
        with pyarrow.input_stream(str(path), compression="gzip" if csv_errors.is_gzip(path) else None) as file:
            table = arrow_csv.read_csv(
                file,
                # With explicit names, each column can be read as text; the header is then a row to skip.
                arrow_csv.ReadOptions(column_names=start.names, skip_rows=start.blank_lines, skip_rows_after_names=1),
                arrow_csv.ParseOptions(delimiter=start.delimiter, newlines_in_values=True),
                arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(start.names, pyarrow.string()),
                    null_values=[""],
                    strings_can_be_null=True,
                ),
            )
    except pyarrow.ArrowInvalid:
        csv_errors.check_rows(path, start)  # raises with line and column what pyarrow reports by row, if at all
        raise
    return Sheet(path, path, table, start.delimiter, unnamed=start.unnamed)


_GUESSES = ("cp1252", "latin-1")  # Windows writes the first; every byte is text in the second


def is_utf8(encoding: str) -> bool:
    """Whether a name is one of UTF-8's."""
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


def marked(path: Path) -> str | None:
    """Return the encoding that the byte order mark of a file names, or None."""
    with csv_errors.open_binary(path) as file:
        start = file.read(4)
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    return "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None


def recoded(path: Path, encoding: str | None, name: str) -> Path:
    """Return a copy of a text file as UTF-8; without an encoding, Windows-1252 and then Latin-1 are tried."""
    handle, copy = tempfile.mkstemp(prefix="askew-", suffix=".csv")
    os.close(handle)
    atexit.register(Path(copy).unlink, missing_ok=True)
    for guess in _GUESSES if encoding is None else (encoding,):
        try:
            _recode(path, Path(copy), guess)
        except (UnicodeError, LookupError) as error:
            if encoding is not None:
                raise UserError(f"{name}: cannot be read as {encoding}: {error}") from None
            continue
        break
    if encoding is None:
        note(f"{name}: is not UTF-8 and is read as Latin-1 (Windows-1252); if it is not, give --encoding")
    return Path(copy)


def _recode(path: Path, copy: Path, encoding: str) -> None:
    with csv_errors.open_binary(path) as file, copy.open("w", encoding="utf-8", newline="") as written:
        shutil.copyfileobj(codecs.getreader(encoding)(file), written)
