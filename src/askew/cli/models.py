"""The model file that a command is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from askew.cli.faults import Fault


def load_model(path: Path) -> Any:
    """Read a model file; raise `Fault` if a table, or other text, was given in its place."""
    with path.open("rb") as file:
        start = file.read(64)
    # A model file begins with a length of 8 bytes, of which the last are 0; text has none, but as UTF-16.
    is_text = b"\0" not in start or start.startswith((b"\xff\xfe", b"\xfe\xff"))
    if start.startswith((b"PAR1", b"\x1f\x8b")) or (len(start) >= 8 and is_text and not start.startswith(b"\x80")):
        raise Fault(f"{path}: is a table or other text, not a model file; give a file that askew train wrote")
    import askew

    return askew.load(path)
