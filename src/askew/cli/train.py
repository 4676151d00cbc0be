"""``askew train``: train a model on a table and write it to a model file."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from askew.cli import options
from askew.cli.cross_validation import FEW_ROWS, FOLDS, estimate
from askew.cli.model_file import keep_written
from askew.cli.output import check_output, say
from askew.cli.show import describe, leaderboard_text, print_facts
from askew.cli.task import check_method, find_method, make_estimator, parse_settings, read_problem
from askew.tables.errors import about
from askew.tables.options import Written

if TYPE_CHECKING:
    from askew.estimators.model import BaseModel


def train(
    data: options.Table,
    target: options.Target,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="Method, such as oc1 or cart; an unknown name lists them all. auto chooses one, and its size.",
            autocompletion=options.method_names,
        ),
    ] = "auto",
    task: options.TaskOption = options.TaskKind.AUTO,
    settings: options.Settings = None,
    seed: options.Seed = 0,
    drop: options.Drop = None,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    missing: options.MissingOption = None,
    own_pruning: options.OwnPruning = False,
    cv: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="FOLDS",
            help="Folds of the cross-validation that estimates the accuracy; 0: no estimate. By default "
            f"{FOLDS}, of which only one is held out if there are over {FEW_ROWS:,} rows.",
        ),
    ] = None,
    dates: options.Dates = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na_values: options.NaValues = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="ADDRESS",
            help="Grow on a Dask cluster: address of its scheduler, or local:4 for four workers here. DATA may be a "
            "pattern, 'part-*.parquet'; methods are cart, ce_dt, k_dt, forest and tree. Nothing is pruned, and the "
            "accuracy is not estimated.",
        ),
    ] = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Train a model on a table and write it to a model file."""
    check_method(method)
    check_output(output, force, data)
    written = Written.from_options(delimiter, encoding, decimal, thousands, na_values)
    parameters = {**({} if missing is None else {"missing": missing.value}), **parse_settings(settings or [])}
    if dask is not None:
        from askew.cli.cluster import ClusterTraining, refuse, train_on_cluster

        refuse({"--cv": cv or None, "--own-pruning": own_pruning or None, "--dates": dates})
        text = {"--delimiter": delimiter, "--encoding": encoding, "--decimal": decimal, "--na-values": na_values}
        training = ClusterTraining(
            data, target, weights, drop or [], categorical or [], dask, method, task, parameters, written,
            thousands=thousands, of_text=[name for name, value in text.items() if value is not None],
        )  # fmt: skip
        train_on_cluster(training, output, seed=seed, quiet=quiet, as_json=as_json)
        return
    problem = read_problem(
        data, target, written, task=task, drop=drop, weights=weights, categorical=categorical, dates=dates
    )
    # Late: errors of the table are reported without waiting for scikit-learn.
    import askew
    from askew.estimators.named_parameters import parameter_names

    shown = not quiet and sys.stderr.isatty()
    defaults = {"random_state": seed, "n_rows": problem.sheet.n_rows, "own_pruning": own_pruning}
    estimator = make_estimator(method, find_method(method), problem.is_class, parameters, **defaults)
    known = parameter_names(cast("BaseModel", estimator))
    if known.get("verbose") == "verbose" and "verbose" not in parameters:  # each tree of an ensemble would show a bar
        estimator.set_params(verbose=int(shown))
    X = problem.X(str(estimator.get_params()[known["missing"]]), asked="missing" in parameters)
    with about(data):
        estimator.fit(X, problem.y, problem.weights)
        if "verbose" in known:
            estimator.set_params(**{known["verbose"]: 0})  # a progress bar of this command is not part of the model
        keep_written(estimator, problem.sheet, problem.features)
        askew.save(estimator, output)
        if quiet and not as_json:
            return
        estimated = estimate(estimator, X, problem.y, problem.weights, cv, seed, shown)
    facts = {"rows": problem.sheet.n_rows, **describe(estimator)}
    if hasattr(estimator, "get_n_leaves"):  # an ensemble has many trees
        facts |= {"leaves": estimator.get_n_leaves(), "depth": estimator.get_depth()}
    measure = "accuracy" if problem.is_class else "R2"
    facts[f"training {measure}"] = round(estimator.score(X, problem.y, problem.weights), 4)
    if estimated is not None:
        facts[measure] = asdict(estimated) if as_json else f"{estimated}"
    print_facts({**facts, "written to": f"{output}"}, as_json)
    if hasattr(estimator, "selection_") and not as_json:
        say(f"\n{leaderboard_text(estimator.selection_)}")
