"""`askew reproduce`: where the tables of the papers are made, for those who look for them here."""

from __future__ import annotations

from typing import Annotated

import typer

from askew.tables.errors import UserError


def reproduce(
    name: Annotated[str | None, typer.Argument(help="Which table.")] = None,
) -> None:
    """Say how to run the tables of the papers again: they are part of the source, not of the installed package."""
    wanted = f" NAME={name}" if name else ""
    raise UserError(
        "the experiments are part of askew's source, not of the installed package: in a checkout of the repository, "
        f"run make reproduce{wanted}"
    )
