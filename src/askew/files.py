"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def is_device(path: Path) -> bool:
    """Whether a path is neither file nor folder: a pipe or a device, which nothing may take the place of."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Give a file beside `path` to write to; it takes the place of `path` when it is whole. A link stays a link."""
    if is_device(path):
        yield path
        return
    path = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    written = Path(name)
    try:
        yield written
        written.chmod(_mode(path))  # mkstemp lets only the owner read
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    """Return who may read and write a file: as before, or as the user wants it of new files."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
