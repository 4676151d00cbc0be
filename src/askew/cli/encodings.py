"""Text that is not UTF-8: which encoding it has, and a copy of it as UTF-8."""

from __future__ import annotations

import atexit
import codecs
import os
import shutil
import tempfile
from pathlib import Path

from askew.cli import rescan
from askew.cli.faults import Fault, note

_GUESSES = ("cp1252", "latin-1")  # Windows writes the first; every byte is text in the second


def is_utf8(encoding: str) -> bool:
    """Whether a name is one of UTF-8's."""
    return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")


def marked(path: Path) -> str | None:
    """Return the encoding that the first bytes of a file tell, or None."""
    with rescan.open_binary(path) as file:
        start = file.read(4)
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    return "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None


def recoded(path: Path, encoding: str | None, name: str) -> Path:
    """Return a copy of a text file as UTF-8; without an encoding, it is that of Windows in the West."""
    handle, copy = tempfile.mkstemp(prefix="askew-", suffix=".csv")
    os.close(handle)
    atexit.register(Path(copy).unlink, missing_ok=True)
    for guess in _GUESSES if encoding is None else (encoding,):
        try:
            _recode(path, Path(copy), guess)
        except (UnicodeError, LookupError) as error:
            if encoding is not None:
                raise Fault(f"{name}: cannot be read as {encoding}: {error}") from None
            continue
        break
    if encoding is None:
        note(f"{name}: is not UTF-8 and is read as Latin-1 (Windows-1252); if it is not, give --encoding")
    return Path(copy)


def _recode(path: Path, copy: Path, encoding: str) -> None:
    with rescan.open_binary(path) as file, copy.open("w", encoding="utf-8", newline="") as written:
        shutil.copyfileobj(codecs.getreader(encoding)(file), written)
