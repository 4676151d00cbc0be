"""``askew train``: from a table to a model file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from askew.cli import options
from askew.cli.faults import about
from askew.cli.problem import find_method, make_estimator, parse_settings, read_problem
from askew.cli.show import describe, tell
from askew.cli.writing import check_output


def train(
    data: options.Table,
    target: options.Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    method: Annotated[
        str, typer.Option("--method", "-m", help="Method, such as oc1 or cart; an unknown name lists them all.")
    ] = "oc1",
    task: options.TaskOption = options.Task.AUTO,
    settings: options.Settings = None,
    seed: options.Seed = 0,
    drop: options.Drop = None,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    missing: options.MissingOption = options.Missing.ERROR,
    delimiter: options.Delimiter = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Learn a tree from a table and write it to a model file."""
    import askew

    kinds = find_method(method)
    check_output(output, force, data)
    problem = read_problem(
        data, target, task=task, drop=drop, weights=weights, categorical=categorical, delimiter=delimiter
    )
    given = {"missing": missing.value, "random_state": seed, "verbose": int(not quiet and sys.stderr.isatty())}
    estimator = make_estimator(method, kinds, problem.is_class, {**given, **parse_settings(settings or [])})
    X = problem.X(may_miss=estimator.get_params()["missing"] != "error")
    with about(data):
        estimator.fit(X, problem.y, problem.weights)
        score = estimator.score(X, problem.y, problem.weights)
    estimator.set_params(verbose=0)  # how much the command talked is no part of the model
    askew.save(estimator, output)
    facts = {"rows": problem.sheet.n_rows, **describe(estimator)}
    if hasattr(estimator, "get_n_leaves"):  # an ensemble has many trees
        facts |= {"leaves": estimator.get_n_leaves(), "depth": estimator.get_depth()}
    facts["training accuracy" if problem.is_class else "training R2"] = round(score, 4)
    if as_json or not quiet:
        tell({**facts, "written to": f"{output}"}, as_json)
