"""`python -m experiments`: run the tables of the papers again, paper and ours side by side."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from askew.cli.errors import reported
from askew.cli.output import say
from askew.tables.errors import unknown

ALL = "all"


def _experiment_names(incomplete: str) -> list[str]:
    from experiments import EXPERIMENTS

    return [name for name in (*EXPERIMENTS, ALL) if name.startswith(incomplete)]


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(help="Which table, or all; without it, they are listed.", autocompletion=_experiment_names),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of CSV files. [env: ASKEW_DATA]")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Parts to run at the same time.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Where the pages go. [default: docs/results or results]"),
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of finished parts. [env: ASKEW_CACHE]")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run finished parts again.")] = False,
    earlier: Annotated[
        Path | None,
        typer.Option(
            "--earlier", metavar="CSV", help="NAME.csv of an earlier run: run what it lacks, and keep the rest."
        ),
    ] = None,
    finished: Annotated[
        bool, typer.Option("--finished", help="Run nothing: make the pages of the parts that are finished.")
    ] = False,
) -> None:
    """Run the tables of the papers again and set paper and ours side by side.

    What is finished is kept: an interrupted run goes on where it stopped. Writes NAME.md and NAME.csv, and index.md,
    which lists every table and figure of the papers with its state.
    """
    # Late: listing the commands must not wait for the experiments.
    from experiments import EXPERIMENTS, extend, index, report, run

    folder = output or report.default_output()
    if name is None:
        _list(folder)
        return
    if name not in (*EXPERIMENTS, ALL):
        raise unknown("experiment", name, EXPERIMENTS)
    if earlier is not None and (quick or name == ALL):
        raise typer.BadParameter("--earlier is for one table, and not for a quick run")
    runs = partial(run, quick=quick) if earlier is None else partial(extend, earlier=earlier)
    bar = sys.stderr.isatty()
    for experiment in EXPERIMENTS.values() if name == ALL else [EXPERIMENTS[name]]:
        if name == ALL:
            typer.echo(f"\n{experiment.name}: {experiment.title}")
        results = runs(experiment, data=data, jobs=jobs, cache=cache, fresh=fresh, finished=finished, progress=bar)
        report.show(results)
        for path in report.write(results, folder):
            say(f"wrote {path}", err=True)
    say(f"wrote {index.write(EXPERIMENTS, folder, quick)}", err=True)


def _list(folder: Path) -> None:
    """Print every table and figure of the papers with its state."""
    from experiments import EXPERIMENTS, index
    from experiments.catalogue import CATALOGUE

    paper = None
    for item in CATALOGUE:
        if item.paper != paper:
            paper = item.paper
            typer.echo(f"{paper}")
        typer.echo(f"  {item.name:<20} {item.experiment or '-':<16} {item.shows}")
        typer.echo(f"  {'':<20} {'':<16} {index.state(item, EXPERIMENTS, folder)}")
    listed = {item.experiment for item in CATALOGUE}
    for name, experiment in EXPERIMENTS.items():
        if name not in listed:
            found = index.outcome(folder, name)
            typer.echo(f"{experiment.title}\n  {'':<20} {name:<16} {found.state if found else 'not run yet'}")


def main(words: list[str] | None = None) -> None:
    """Run the command; an error of the user is one line and exit code 2."""
    app = typer.Typer(add_completion=False)
    app.command()(reproduce)
    with reported():
        app(words, prog_name="python -m experiments", standalone_mode=False)
    sys.exit(0)


if __name__ == "__main__":
    main()
