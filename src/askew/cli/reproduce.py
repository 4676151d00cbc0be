"""`askew reproduce`: run a table of a paper again, paper and ours side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from askew.cli.faults import unknown


def reproduce(
    name: Annotated[str | None, typer.Argument(help="Which table; without it, all are listed.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions.")] = False,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of CSV files. [env: ASKEW_DATA]")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Parts to run at the same time.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Where the page goes. [default: docs/results or results]"),
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of finished parts. [env: ASKEW_CACHE]")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run finished parts again.")] = False,
) -> None:
    """Run a table of a paper again and set paper and ours side by side.

    What is finished is kept: an interrupted run goes on where it stopped. Writes NAME.md and NAME.csv.
    """
    # Late: listing the commands must not wait for the experiments.
    from askew.experiments import EXPERIMENTS, report, run

    if name is None:
        for known, experiment in EXPERIMENTS.items():
            print(f"{known}\n    {experiment.title}. {experiment.source}.")
        return
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    bar = sys.stderr.isatty()
    results = run(EXPERIMENTS[name], quick=quick, data=data, jobs=jobs, cache=cache, fresh=fresh, progress=bar)
    report.show(results)
    for path in report.write(results, output or report.default_output()):
        print(f"wrote {path}", file=sys.stderr)
