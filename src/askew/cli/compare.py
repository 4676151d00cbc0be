"""``askew compare``: cross-validate the methods on a table, and rank them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askew.cli import options
from askew.cli.output import check_output, say
from askew.cli.task import check_method, find_method, make_estimator, parse_settings, read_problem
from askew.estimators.registry import METHODS
from askew.files import beside
from askew.tables.errors import UserError, about
from askew.tables.options import Written

if TYPE_CHECKING:
    import pandas

    from askew.comparison.folds import FoldResult

_FORMS = (".md", ".csv", ".json")
_SIGNIFICANT = 0.05


def compare(
    data: options.Table,
    target: options.Target,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Methods to compare; by default all that support the target.",
            autocompletion=options.method_names,
        ),
    ] = None,
    cv: Annotated[int, typer.Option(min=2, help="Number of folds of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="Number of cross-validations.")] = 1,
    time_limit: Annotated[float, typer.Option(help="Largest number of seconds of a fit; 0: no limit.", min=0)] = 60.0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, metavar="N", help="Fits to run at the same time.")] = 1,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="File for the ranking: .md, .csv or .json, by its name; repeatable."),
    ] = None,
    task: options.TaskOption = options.TaskKind.AUTO,
    settings: options.Settings = None,
    seed: options.Seed = 0,
    drop: options.Drop = None,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    missing: options.MissingOption = None,
    own_pruning: options.OwnPruning = False,
    dates: options.Dates = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na_values: options.NaValues = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Cross-validate the methods on a table and rank them: accuracy, size, time, which differences are significant.

    All are pruned in the same way. --set NAME=VALUE sets a parameter of every method that has it, --set
    METHOD.NAME=VALUE of one method.
    """
    for path in output or []:
        if path.suffix.lower() not in _FORMS:
            raise UserError(f"{path}: unknown format {path.suffix!r}; expected {', '.join(_FORMS)}")
        check_output(path, force, data)
    chosen = [name.strip() for name in methods.split(",") if name.strip()] if methods else None
    for name in chosen or []:
        check_method(name)
    text_format = Written.from_options(delimiter, encoding, decimal, thousands, na_values)
    problem = read_problem(
        data, target, text_format, task=task, drop=drop, weights=weights, categorical=categorical, dates=dates
    )
    import askew  # late: errors of the table are reported without waiting for scikit-learn

    for name in chosen or []:
        make_estimator(name, find_method(name), problem.is_class, {})
    defaults: dict[str, object] = {} if missing is None else {"missing": missing.value}
    with about(data), _live(problem.is_class, not quiet and sys.stderr.isatty()) as callback:
        frame = askew.compare(
            problem.X("mean" if missing is None else missing.value, asked=missing is not None),
            problem.y,
            sample_weight=problem.weights,
            methods=chosen,
            parameters=_parameters({**defaults, **parse_settings(settings or [])}),
            own_pruning=own_pruning,
            cv=cv,
            repeats=repeats,
            time_limit=time_limit or None,
            task="classification" if problem.is_class else "regression",
            random_state=seed,
            n_jobs=jobs,
            callback=callback,
        )
    if not frame["folds"].any():
        raise UserError(f"{data}: no method finished a fold: {frame['error'].iloc[0]}")
    for path in output or []:
        text = {".md": _markdown, ".csv": _csv, ".json": _json}[path.suffix.lower()](frame)
        with beside(path) as written:
            written.write_text(text, encoding="utf-8")
    if as_json:
        typer.echo(_json(frame), nl=False)
    elif not quiet:
        say("\n".join(_table(frame)))


def _parameters(settings: dict[str, object]) -> dict[str, dict[str, object]]:
    """Return the parameters of each method; "*" for all methods."""
    parameters: dict[str, dict[str, object]] = {}
    for name, value in settings.items():
        method, dots, parameter = name.partition("__")
        of_one = dots and method in METHODS
        parameters.setdefault(method if of_one else "*", {})[parameter if of_one else name] = value
    return parameters


# --- tables for people

_SHOWN = {
    "rank": "{:.2f}",
    "p": "{:.3f}",
    "leaves": "{:.1f}",
    "depth": "{:.1f}",
    "terms": "{:.1f}",
    "seconds": "{:.3g}",
}


def _rows(frame: pandas.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows as text; unknown values are empty."""
    measure = frame.attrs["measure"]
    headings = ["method", measure, *_SHOWN]
    rows = []
    for method, row in frame.iterrows():
        scale, digits = (100, 1) if measure == "accuracy" else (1, 3)
        mean, sd = scale * row[measure], scale * row["sd"]
        shown = "" if mean != mean else f"{mean:.{digits}f}" + ("" if sd != sd else f" ± {sd:.{digits}f}")
        figures = ["" if row[name] != row[name] else form.format(row[name]) for name, form in _SHOWN.items()]
        rows.append([str(method), shown, *figures])
    return headings, rows


def _verdict(frame: pandas.DataFrame) -> list[str]:
    """Return sentences: which differences are significant, and which methods did not finish."""
    lines = []
    best, others = frame.index[0], frame["p"].dropna()
    if frame.attrs["friedman"] is not None:
        lines.append(f"Friedman test (all methods equal): p = {frame.attrs['friedman']:.3g}.")
    if len(others):
        test = "Holm's procedure" if len(others) > 1 else "Wilcoxon's signed-rank test"
        worse = list(others.index[others < _SIGNIFICANT])
        said = f"differs from {', '.join(worse)}" if worse else "does not differ from any other method"
        lines.append(
            f"{best} is the best, and {said} (p < {_SIGNIFICANT}, {test}). Folds share rows: take p as a guide."
        )
    if "pruning" in frame.attrs:  # not while it runs
        lines.append(f"Pruning of every method: {frame.attrs['pruning']}.")
    lines += [f"{method}: {row['error']}" for method, row in frame.iterrows() if row["error"]]
    return lines


def _table(frame: pandas.DataFrame) -> list[str]:
    headings, rows = _rows(frame)
    widths = [max(len(row[j]) for row in (headings, *rows)) for j in range(len(headings))]
    lines = []
    for row in (headings, *rows):
        cells = [
            text.ljust(w) if j == 0 else text.rjust(w) for j, (text, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return [*lines, "", *_verdict(frame)]


def _markdown(frame: pandas.DataFrame) -> str:
    from askew.comparison.ranking import markdown_table

    headings, rows = _rows(frame)
    return "\n".join([*markdown_table(headings, rows), "", *_verdict(frame)]) + "\n"


# --- files for programs


def _csv(frame: pandas.DataFrame) -> str:
    text: str = frame.to_csv()
    return text


def _json(frame: pandas.DataFrame) -> str:
    rows = json.loads(frame.reset_index().to_json(orient="records"))
    folds = [vars(fold) for fold in frame.attrs["folds"]]
    content = {"measure": frame.attrs["measure"], "friedman": frame.attrs["friedman"], "ranking": rows, "folds": folds}
    return json.dumps(content) + "\n"


# --- the ranking so far


@contextmanager
def _live(is_class: bool, shown: bool) -> Iterator[Callable[[list[FoldResult], int], None] | None]:
    """Show the ranking of the finished fits on standard error."""
    if not shown:
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from askew.comparison.ranking import summary

    with Live(console=Console(stderr=True), transient=True) as live:

        def update(done: list[FoldResult], n: int) -> None:
            methods = list(dict.fromkeys(fold.method for fold in done))
            frame = summary(done, methods, "accuracy" if is_class else "r2")
            live.update(Text("\n".join([*_table(frame)[: len(methods) + 1], f"{len(done)} of {n} fits"])))

        yield update
