"""``askew predict``: from a model file and a table to the table with predictions."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from askew.cli import options
from askew.cli.model_file import as_trained, load_model
from askew.cli.output import check_output, or_standard, write_sheet
from askew.files import beside
from askew.tables import notes
from askew.tables.categories import read_frame
from askew.tables.dates import expanded, source
from askew.tables.errors import UserError, about
from askew.tables.options import Written
from askew.tables.read import read_sheet
from askew.tables.sheet import Sheet


def predict(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
    data: options.Table,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Table to write: CSV (also .gz) or Parquet; standard output if not given."),
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
    """Predict each row of a table: its rows come back with a column of predictions.

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
            shares = estimator.predict_proba(X)
            new.update({f"proba_{name}": shares[:, k] for k, name in enumerate(estimator.classes_)})
    if as_json:
        _write_json(new, output)
        return
    for name in new:
        if name in sheet.index:
            raise UserError(f"{sheet.path}: already has a column {name!r}; choose another name with --column")
    write_sheet(sheet, _numbers(X), new, output)


def _write_json(new: dict[str, Any], path: Path | None) -> None:
    rows = zip(*(values.tolist() for values in new.values()), strict=True)
    text = json.dumps([dict(zip(new, row, strict=True)) for row in rows]) + "\n"
    if path is None:
        sys.stdout.write(text)
        return
    with beside(path) as written:
        written.write_text(text, encoding="utf-8")


def model_features(estimator: Any, sheet: Sheet, dates: Sequence[str] = ()) -> Any:
    """Return the columns that the model wants, as it wants them, and say how they were understood."""
    sheet = _with_dates(estimator, as_trained(estimator, sheet), dates)
    names = _names(estimator, sheet)
    categories = _categories(estimator, names)
    frame = read_frame(sheet, names, categories, may_miss=estimator.missing_ != "error")
    notes.note_numerals(sheet)
    # scikit-learn warns of names where the model has none.
    return frame if hasattr(estimator, "feature_names_in_") else frame.to_numpy()


def _with_dates(estimator: Any, sheet: Sheet, given: Sequence[str]) -> Sheet:
    """Return the table with the numbers of those dates that the model wants."""
    wanted = [str(name) for name in getattr(estimator, "feature_names_in_", ())]
    sources = dict.fromkeys(source(name) for name in wanted if name not in sheet.index)
    named = {item: item if item in sheet.index else item.rpartition("=")[0] for item in given}
    also = [name for name in sources if name in sheet.index and name not in named.values()]
    return expanded(sheet, [*given, *(name for name in also if name is not None)])[0]


def _numbers(X: Any) -> dict[str, Any]:
    """Return the columns that were turned into numbers."""
    return {name: X[name].to_numpy() for name in X.select_dtypes("number")} if hasattr(X, "columns") else {}


def _names(estimator: Any, sheet: Sheet) -> list[str]:
    """Return the names of the columns that the model wants, in its order; without names, all columns in theirs."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        if len(sheet.names) != estimator.n_features_in_:
            raise UserError(
                f"{sheet.path}: the model was trained without column names on {estimator.n_features_in_} "
                f"columns, and the table has {len(sheet.names)}"
            )
        return sheet.names
    features = [str(name) for name in names]
    wanted = set(features)
    others = [name for name in sheet.names if name not in wanted]
    for name in features:
        sheet.check_column(name, among=others)
    return features


def _categories(estimator: Any, features: list[str]) -> dict[str, Any]:
    """Return the categories that the model knows, of the columns that hold categories."""
    encoder = getattr(estimator, "encoder_", None)
    if encoder is None:
        return {}
    return {name: labels for name, labels in zip(features, encoder.categories, strict=True) if labels is not None}
