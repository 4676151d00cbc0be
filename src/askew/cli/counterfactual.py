"""``askew counterfactual``: the smallest changes of a row of a table that change its prediction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askew.cli import options
from askew.cli.model_file import Model, load_model, model_features
from askew.cli.output import say
from askew.tables.errors import UserError, about, unknown
from askew.tables.options import Written
from askew.tables.read import read_sheet

if TYPE_CHECKING:
    from askew.explaining.counterfactual import Counterfactual


def counterfactual(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
    data: options.Table,
    row: Annotated[int, typer.Option("--row", min=1, help="Row of the table; the first is 1.")] = 1,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="Prediction to reach: a class (any other than now by default), or a range LOW..HIGH, LOW.. or ..HIGH.",
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None, typer.Option("--fixed", metavar="COLUMN", help="Column that cannot change; repeatable.")
    ] = None,
    direction: Annotated[
        list[str] | None,
        typer.Option("--direction", metavar="COLUMN=up|down", help="Column that changes one way only; repeatable."),
    ] = None,
    distance: Annotated[str, typer.Option(help="l1: few columns change; l2: many change a little.")] = "l1",
    n: Annotated[int, typer.Option("-n", min=1, help="Largest number of counterfactuals.")] = 3,
    dates: options.Dates = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na_values: options.NaValues = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Show the smallest changes of a row that give it another prediction.

    If the table has several rows, numbers stay within the range of their column, and are integers if all of it are.
    """
    written = Written.from_options(delimiter, encoding, decimal, thousands, na_values)
    estimator = load_model(model)
    directions = dict(_direction(text) for text in direction or [])
    target = None if to is None else _target(estimator, to)
    X = model_features(estimator, read_sheet(data, written), dates or [])
    if row > len(X):
        raise UserError(f"{data}: --row {row}: the table has {len(X)} rows")
    known = X if len(X) > 1 else None
    one = X.iloc[[row - 1]] if hasattr(X, "iloc") else X[[row - 1]]
    import askew

    try:
        with about(data):
            counterfactuals = askew.counterfactual(
                estimator, one, target, fixed=fixed or [], direction=directions, distance=distance, n=n, X=known
            )
    except TypeError as error:  # an ensemble
        raise UserError(f"{model}: {error}") from None
    if as_json:
        typer.echo(json.dumps([_as_dict(item) for item in counterfactuals]))
        return
    now = estimator.predict(one)[0]
    say(f"row {row}: {now:g}" if isinstance(now, float) else f"row {row}: {now}")
    for item in counterfactuals:
        say(str(item))


def _direction(text: str) -> tuple[str, str]:
    column, equals, direction = text.rpartition("=")
    if not equals or direction not in ("up", "down"):
        raise UserError(f"--direction {text!r}: expected COLUMN=up or COLUMN=down")
    return column, direction


def _target(estimator: Model, text: str) -> object:
    """Return the class with this name, or the ends of a range."""
    if hasattr(estimator, "classes_"):
        labels = estimator.classes_.tolist()
        for label in labels:
            if str(label) == text:
                return label
        raise unknown("class", text, map(str, labels))
    low, dots, high = text.partition("..")
    try:
        if not dots:
            raise ValueError
        return (float(low) if low else None), (float(high) if high else None)
    except ValueError:
        raise UserError(f"--to {text!r}: expected LOW..HIGH, such as 100..150, 100.. or ..150") from None


def _as_dict(item: Counterfactual) -> dict[str, object]:
    return {
        "changes": [{"feature": c.feature, "before": c.before, "after": c.after} for c in item.changes],
        "prediction": item.prediction,
        "probability": item.probability,
        "distance": item.distance,
    }
