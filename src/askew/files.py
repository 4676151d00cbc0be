"""Atomic writing: a file is written completely, or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def is_device(path: Path) -> bool:
    """Whether a path is a pipe or a device, which must not be replaced by a file."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def beside(path: Path, durable: bool = False) -> Iterator[Path]:
    """Open a temporary file in the folder of `path`; when it is complete, it replaces `path`. A link remains a link.

    Parameters
    ----------
    path : Path
        The file to write.
    durable : bool, default=False
        Whether the file is synced before it is renamed, and its folder afterwards, so that it survives a power cut.

    Yields
    ------
    written : Path
        The temporary file; a device or pipe itself.
    """
    if is_device(path):
        yield path
        return
    path = Path(os.path.realpath(path))
    remove_unfinished(path.parent)
    with unfinished(path.parent) as (descriptor, written):
        os.close(descriptor)
        yield written
        if durable:
            _sync(written)
        if path.exists():
            shutil.copymode(path, written)
        os.replace(written, path)
    if durable and os.name == "posix":  # elsewhere a folder cannot be synced
        _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)  # Windows needs write access to sync
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# --- a process locks the unfinished files that it writes: the lock ends with the process, however it ends


@contextmanager
def unfinished(folder: Path) -> Iterator[tuple[int, Path]]:
    """Create and lock a temporary file, to be renamed when it is complete; yield its descriptor and path."""
    descriptor, path = _locked_file(folder)
    lock = os.dup(descriptor) if os.name == "posix" else None  # elsewhere an open file cannot be renamed
    try:
        yield descriptor, path
    finally:
        path.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def remove_unfinished(folder: Path) -> None:
    """Remove the files of `unfinished` without a lock: their processes were killed while they wrote."""
    if sys.platform == "win32":
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for path in [e.path for e in entries if e.name.startswith(".askew-") and e.name.endswith(".tmp")]:
            with suppress(OSError), open(path, "r+b") as file:  # removed, of another user, or still being written
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)


def _locked_file(folder: Path) -> tuple[int, Path]:
    while True:
        path = folder / f".askew-{secrets.token_hex(8)}.tmp"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        if sys.platform != "win32":
            with suppress(OSError):  # on a file system without locks, nothing is ever removed
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        if path.exists():
            return descriptor, path
        os.close(descriptor)  # another process locked it first, and removed it
