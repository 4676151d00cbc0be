"""The Typer application: the list of the commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from askew.cli.compare import compare
from askew.cli.counterfactual import counterfactual
from askew.cli.datasets import datasets
from askew.cli.errors import reported
from askew.cli.evaluate import evaluate
from askew.cli.explain import explain
from askew.cli.export import export
from askew.cli.predict import predict
from askew.cli.report import report
from askew.cli.show import show
from askew.cli.train import train
from askew.tables.errors import UserError


def reproduce(
    name: Annotated[str | None, typer.Argument(help="Name of the table.")] = None,
) -> None:
    """Say how to run the tables of the papers again: they are part of the source, not of the installed package."""
    argument = f" NAME={name}" if name else ""
    raise UserError(
        "the experiments are part of askew's source, not of the installed package: in a checkout of the repository, "
        f"run make reproduce{argument}"
    )


app = typer.Typer(
    name="askew",
    help="Oblique decision trees: small, accurate, readable.",
    epilog="Example: askew train iris.csv --target species -o iris.askew",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
EXAMPLES: dict[Callable[..., None], str] = {
    train: "askew train iris.csv --target species --method oc1 --set max_depth=3 -o iris.askew",
    show: "askew show iris.askew | less",
    predict: "askew predict iris.askew new.csv --proba -o out.csv",
    evaluate: "askew evaluate iris.askew test.csv --target species",
    compare: "askew compare iris.csv --target species --methods oc1,cart -o ranking.md",
    explain: "askew explain iris.askew iris.csv --row 3",
    counterfactual: "askew counterfactual iris.askew iris.csv --row 71 --to versicolor",
    export: "askew export iris.askew -o iris.svg",
    report: "askew report iris.askew test.csv -o report.html",
    datasets: "askew datasets iris -o iris.csv",
    reproduce: "make reproduce NAME=oc1-1994-table2",
}
for command, example in EXAMPLES.items():
    app.command(epilog=f"Example: {example}")(command)


def run(arguments: Sequence[str] | None = None) -> None:
    """Run a command; an error of the user becomes one line and exit code 2."""
    with reported():
        code = app(arguments, prog_name="askew", standalone_mode=False)
    sys.exit(code if isinstance(code, int) else 0)


def _version(shown: bool) -> None:
    if shown:
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
