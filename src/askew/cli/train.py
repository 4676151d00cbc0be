"""``askew train``: from a table to a model file."""

from __future__ import annotations

import ast
import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from askew.cli.categories import is_text, read_frame
from askew.cli.faults import Fault, about, unknown
from askew.cli.show import describe, lines
from askew.cli.tables import Sheet, check_output, read_sheet


class Task(StrEnum):
    """What is to be learnt."""

    AUTO = "auto"
    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Missing(StrEnum):
    """What an empty field is taken for."""

    ERROR = "error"
    MEAN = "mean"


MANY_VALUES = 30
"""A target of whole numbers with more different values than this is a quantity, not a class."""


def train(
    data: Annotated[Path, typer.Argument(help="Table to learn from: CSV (also .gz) or Parquet.", metavar="DATA")],
    target: Annotated[str, typer.Option("--target", "-t", help="Column to predict.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    method: Annotated[
        str, typer.Option("--method", "-m", help="Method, such as cart; an unknown name lists them all.")
    ] = "cart",
    task: Annotated[
        Task,
        typer.Option(
            help=f"What to learn. auto: regression if the target has fractions or over {MANY_VALUES} different numbers."
        ),
    ] = Task.AUTO,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any parameter of the method; may be given many times."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all that is random.", min=0, max=2**32 - 1)] = 0,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Column to leave out; may be given many times.")
    ] = None,
    weights: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the rows' weights.")] = None,
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN,...", help="Columns of categories, besides those of text; may be given many times."
        ),
    ] = None,
    missing: Annotated[
        Missing,
        typer.Option(help="Empty fields: an error, or the mean of the training rows (of text, a category of its own)."),
    ] = Missing.ERROR,
    delimiter: Annotated[
        str | None, typer.Option(help="What separates the fields of a CSV; found out if not given.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Write over a file that exists.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Learn a tree from a table and write it to a model file."""
    import askew

    kinds = _method(method)
    check_output(output, force, data)
    sheet = read_sheet(data, delimiter)
    features = _features(sheet, target, weights, drop or [])
    labels, is_class = _labels(sheet, target, task)
    given = {"missing": missing.value, "random_state": seed, "verbose": int(not quiet and sys.stderr.isatty())}
    estimator = _estimator(method, kinds, is_class, {**given, **_parse(settings or [])})
    text = _categorical(sheet, features, categorical or [])
    X = read_frame(sheet, features, dict.fromkeys(text), may_miss=estimator.get_params()["missing"] != "error")
    _warn_of_names(X, text)
    sample_weight = None if weights is None else sheet.vector(weights)
    with about(data):
        estimator.fit(X, labels, sample_weight)
        score = estimator.score(X, labels, sample_weight)
    estimator.set_params(verbose=0)  # how much the command talked is no part of the model
    askew.save(estimator, output)
    facts = {"rows": f"{sheet.n_rows}", **describe(estimator)}
    if hasattr(estimator, "get_n_leaves"):  # an ensemble has many trees
        facts |= {"leaves": f"{estimator.get_n_leaves()}", "depth": f"{estimator.get_depth()}"}
    facts["training accuracy" if is_class else "training R2"] = f"{score:.4f}"
    lines({**facts, "written to": f"{output}"})


def _method(name: str) -> tuple[type[Any] | None, type[Any] | None]:
    from askew.estimators.methods import METHODS

    if name not in METHODS:
        raise unknown("method", name, METHODS, all_of_them=True)
    return METHODS[name]


def _features(sheet: Sheet, target: str, weights: str | None, drop: list[str]) -> list[str]:
    """Return the columns to learn from: all that are not the target, the weights or dropped."""
    others = [target, *([] if weights is None else [weights]), *drop]
    for name in others:
        sheet.check_column(name)
    features = [name for name in sheet.names if name not in others]
    if not features:
        raise Fault(f"{sheet.path}: no column is left to learn from")
    return features


def _categorical(sheet: Sheet, features: list[str], given: list[str]) -> list[str]:
    """Return the features that hold categories: the named ones, and those of text."""
    named = [name for item in given for name in ([item] if item in features else item.split(","))]
    for name in named:
        sheet.check_column(name, among=features)
        if name not in features:
            raise Fault(f"--categorical {name!r}: the column is not learnt from")
    return [name for name in features if name in named or is_text(sheet, name)]


def _warn_of_names(X: Any, text: list[str]) -> None:
    """Warn of columns that tell rows apart and nothing else, such as names of persons."""
    for name in text:
        if len(X) >= MANY_VALUES and X[name].nunique() == len(X):
            hint = f"leave it out with --drop {name!r}"
            warnings.warn(f"column {name!r} has a different category in every row; {hint}", UserWarning, stacklevel=2)


def _labels(sheet: Sheet, target: str, task: Task) -> tuple[Any, bool]:
    """Return the target as an array, and whether it holds classes."""
    if task is Task.REGRESSION:
        return sheet.vector(target), False
    if task is Task.AUTO and sheet.is_quantity(target, MANY_VALUES):
        return sheet.vector(target), False
    return sheet.labels(target), True


def _estimator(
    method: str, kinds: tuple[type[Any] | None, type[Any] | None], is_class: bool, parameters: dict[str, Any]
) -> Any:
    """Return the method's classifier or regressor with the parameters, each of which it must have."""
    kind = kinds[0 if is_class else 1]
    if kind is None:
        task, other = ("classification", "regression") if is_class else ("regression", "classification")
        raise Fault(f"method {method!r} has no {task}; choose another --method, or --task {other}")
    estimator = kind()
    known = estimator.get_params(deep=False)
    for name in parameters:
        if name not in known:
            raise unknown(f"parameter of {kind.__name__}", name, known)
    return estimator.set_params(**parameters)


def _parse(settings: list[str]) -> dict[str, Any]:
    """Read ``name=value``: the value is a Python literal, and text if it is none."""
    parsed: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.strip():
            raise Fault(f"--set {setting!r}: expected name=value, such as max_depth=3")
        try:
            parsed[name.strip()] = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError):
            parsed[name.strip()] = text.strip()
    return parsed
