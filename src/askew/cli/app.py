"""The Typer application: a table of contents of the commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from askew.cli.datasets import datasets
from askew.cli.export import export
from askew.cli.faults import reported
from askew.cli.predict import predict
from askew.cli.reproduce import reproduce
from askew.cli.show import show
from askew.cli.train import train

app = typer.Typer(
    name="askew",
    help="Oblique decision trees: small, accurate, readable.",
    epilog="Example: askew train iris.csv --target species -o iris.askew",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command(epilog="Example: askew train iris.csv --target species --method cart --set max_depth=3 -o iris.askew")(
    train
)
app.command(epilog="Example: askew show iris.askew | less")(show)
app.command(epilog="Example: askew predict iris.askew new.csv --proba -o out.csv")(predict)
app.command(epilog="Example: askew export iris.askew -o iris.svg")(export)
app.command(epilog="Example: askew reproduce oc1-1994-table2 --quick")(reproduce)
app.command(epilog="Example: askew datasets iris -o iris.csv")(datasets)


def run(arguments: Sequence[str] | None = None) -> None:
    """Run a command; `Fault` becomes one line and exit code 2."""
    with reported():
        app(arguments, prog_name="askew")


def _version(wanted: bool) -> None:
    if wanted:
        from askew import __version__

        typer.echo(f"askew {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass
