"""``askew report``: a web page that shows a model and its predictions for a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from askew.cli import options
from askew.cli.evaluate import true_classes
from askew.cli.model_file import Model, load_model, model_features
from askew.cli.output import check_output
from askew.tables.errors import UserError, about
from askew.tables.options import Written
from askew.tables.read import read_sheet
from askew.tables.sheet import Sheet

if TYPE_CHECKING:
    from askew.data.frames import Labels


def report(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
    data: options.Table,
    output: Annotated[Path, typer.Option("--output", "-o", help="Page to write (.html).")],
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Column to predict; by default the only one that is not a feature."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page; by default the name of the table.")] = None,
    dates: options.Dates = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na_values: options.NaValues = None,
    force: options.Force = False,
    config: options.Config = None,
) -> None:
    """Write a web page that shows a model, the rows of a table and the quality of the predictions, in one file."""
    check_output(output, force, model, data)
    written = Written.from_options(delimiter, encoding, decimal, thousands, na_values)
    estimator = load_model(model)
    sheet = read_sheet(data, written)
    target = _target(estimator, sheet) if target is None else target
    sheet.check_column(target)
    X = model_features(estimator, sheet, dates or [])
    import askew

    with about(data):
        y = _labels(estimator.classes_, sheet, target) if hasattr(estimator, "classes_") else sheet.vector(target)
        askew.report(estimator, X, y, output, title=title or f"{data.stem}: {target}")


def _target(estimator: Model, sheet: Sheet) -> str:
    """Return the only column that is not a feature of the model."""
    features = {str(name) for name in getattr(estimator, "feature_names_in_", ())}
    others = [name for name in sheet.names if name not in features]
    if len(others) != 1:
        some = ", ".join(repr(name) for name in others[:5]) or "none"
        raise UserError(f"{sheet.path}: which column is the target? Use --target; not features of the model: {some}")
    return others[0]


def _labels(classes: Labels, sheet: Sheet, target: str) -> NDArray[np.object_]:
    """Return the class of each row as in the model; as text if the model does not know it."""
    known = {str(label): label for label in classes.tolist()}
    named = true_classes(classes, list(known), sheet, target)
    return np.array([known.get(name, name) for name in named], dtype=object)
