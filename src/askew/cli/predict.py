"""``askew predict``: add the predictions of a model to a table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from askew.cli import options
from askew.cli.model_file import Rows, load_model, model_features
from askew.cli.output import check_output, or_standard, write_sheet
from askew.files import beside
from askew.tables.errors import UserError, about
from askew.tables.options import Written
from askew.tables.read import read_sheet

if TYPE_CHECKING:
    from askew.data.frames import Labels


def predict(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
    data: options.Table,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Table to write: CSV (also .gz) or Parquet; by default standard output."),
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also write the probability of each class.")] = False,
    column: Annotated[str, typer.Option(help="Name of the column with the predictions.")] = "prediction",
    dates: options.Dates = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na_values: options.NaValues = None,
    force: options.Force = False,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Write a table with a column of predictions.

    With --json only the predictions are written, as a list with an object for each row.
    """
    output = or_standard(output)
    if output is not None:
        check_output(output, force, model, data)
        if output.suffix == ".data":
            raise UserError(f"{output}: predictions are written as CSV or Parquet, not as data of the OC1 program")
    if not column:
        raise UserError("--column '': the column of predictions needs a name")
    written = Written.from_options(delimiter, encoding, decimal, thousands, na_values)
    estimator = load_model(model)
    if proba and not hasattr(estimator, "predict_proba"):
        raise UserError(f"{model}: --proba needs a classifier, not a {type(estimator).__name__}")
    sheet = read_sheet(data, written)
    X = model_features(estimator, sheet, dates or [])
    with about(data):
        new = {column: estimator.predict(X)}
        if proba:
            probabilities = estimator.predict_proba(X)
            new.update({f"proba_{name}": probabilities[:, k] for k, name in enumerate(estimator.classes_)})
    if as_json:
        _write_json(new, output)
        return
    for name in new:
        if name in sheet.index:
            raise UserError(f"{sheet.path}: already has a column {name!r}; choose another name with --column")
    write_sheet(sheet, _numbers(X), new, output)


def _write_json(new: dict[str, Labels], path: Path | None) -> None:
    rows = zip(*(values.tolist() for values in new.values()), strict=True)
    text = json.dumps([dict(zip(new, row, strict=True)) for row in rows]) + "\n"
    if path is None:
        sys.stdout.write(text)
        return
    with beside(path) as written:
        written.write_text(text, encoding="utf-8")


def _numbers(X: Rows) -> dict[str, Labels]:
    """Return the columns that were converted to numbers."""
    if isinstance(X, np.ndarray):
        return {}
    return {str(name): X[name].to_numpy() for name in X.select_dtypes("number")}
