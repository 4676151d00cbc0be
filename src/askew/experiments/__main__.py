"""``python -m askew.experiments NAME``: the same as ``askew reproduce NAME``."""

from __future__ import annotations

import typer

from askew.cli.reproduce import reproduce

if __name__ == "__main__":
    typer.run(reproduce)
