"""``askew train``: from a table to a model file."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import typer

from askew.cli import options
from askew.cli.faults import about
from askew.cli.models import keep_written
from askew.cli.outputs import check_output
from askew.cli.problem import check_method, find_method, make_estimator, parse_settings, read_problem
from askew.cli.show import describe, tell
from askew.cli.written import Written


def train(
    data: options.Table,
    target: options.Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="Method, such as oc1 or cart; an unknown name lists them all.",
            autocompletion=options.method_names,
        ),
    ] = "oc1",
    task: options.TaskOption = options.Task.AUTO,
    settings: options.Settings = None,
    seed: options.Seed = 0,
    drop: options.Drop = None,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    missing: options.MissingOption = None,
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
    """Learn a tree from a table and write it to a model file."""
    check_method(method)
    check_output(output, force, data)
    written = Written.from_options(delimiter, encoding, decimal, thousands, na_values)
    problem = read_problem(
        data, target, written, task=task, drop=drop, weights=weights, categorical=categorical, dates=dates
    )
    # Late: what is wrong with the table is told without waiting for scikit-learn.
    import askew
    from askew.estimators.methods import parameter_names

    kinds = find_method(method)
    given = {} if missing is None else {"missing": missing.value}
    estimator = make_estimator(method, kinds, problem.is_class, {**given, **parse_settings(settings or [])})
    _complete(estimator, {*given, *parse_settings(settings or [])}, seed, not quiet and sys.stderr.isatty())
    known = parameter_names(estimator)
    X = problem.X(may_miss=estimator.get_params()[known["missing"]] != "error")
    with about(data):
        estimator.fit(X, problem.y, problem.weights)
    estimator.set_params(**{known["verbose"]: 0})  # a progress bar of this command is not part of the model
    keep_written(estimator, problem.sheet, problem.features)
    askew.save(estimator, output)
    if quiet and not as_json:
        return
    facts = {"rows": problem.sheet.n_rows, **describe(estimator)}
    if hasattr(estimator, "get_n_leaves"):  # an ensemble has many trees
        facts |= {"leaves": estimator.get_n_leaves(), "depth": estimator.get_depth()}
    score = estimator.score(X, problem.y, problem.weights)
    facts["training accuracy" if problem.is_class else "training R2"] = round(score, 4)
    tell({**facts, "written to": f"{output}"}, as_json)


def _complete(estimator: Any, given: Collection[str], seed: int, verbose: bool) -> None:
    """Set what the command decides where the user does not."""
    from askew.estimators.methods import parameter_names

    known, now = parameter_names(estimator), estimator.get_params()
    alone = known["verbose"] == "verbose"  # the trees of a vote would each show a progress bar
    wanted: dict[str, Any] = {"random_state": seed, "verbose": int(verbose and alone)}
    if now[known["missing"]] != "fractional":  # C4.5's default; means are not imputed unless asked for
        wanted["missing"] = "error"
    estimator.set_params(**{known[name]: value for name, value in wanted.items() if name not in given})
