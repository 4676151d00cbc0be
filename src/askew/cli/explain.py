"""``askew explain``: explain the prediction of a model for one row of a table."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import Annotated

import typer

from askew.cli import options
from askew.cli.model_file import load_model, model_features
from askew.cli.output import say
from askew.tables.errors import UserError, about
from askew.tables.options import Written
from askew.tables.read import read_sheet


def explain(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
    data: options.Table,
    row: Annotated[int, typer.Option("--row", min=1, help="Row of the table; 1 is the first below the header.")],
    dates: options.Dates = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na_values: options.NaValues = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Explain the prediction for one row: its path, the contribution of each feature to each node, probabilities."""
    written = Written.from_options(delimiter, encoding, decimal, thousands, na_values)
    estimator = load_model(model)
    sheet = read_sheet(data, written)
    if row > sheet.n_rows:
        raise UserError(f"{data}: --row {row}: the table has {sheet.n_rows} {'row' if sheet.n_rows == 1 else 'rows'}")
    X = model_features(estimator, sheet, dates or [])
    import askew

    with about(data):
        try:
            explanation = askew.explain(estimator, X[row - 1 : row])
        except TypeError as error:  # an ensemble
            raise UserError(f"{model}: {error}") from None
    if as_json:
        typer.echo(json.dumps(_as_json(asdict(explanation))))
    else:
        say(str(explanation))


def _as_json(value: object) -> object:
    """Return a value that JSON can hold: None for NaN, text for labels."""
    if isinstance(value, dict):
        return {str(name): _as_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, float) and isnan(value):
        return None
    return value if value is None or isinstance(value, str | int | float) else str(value)
