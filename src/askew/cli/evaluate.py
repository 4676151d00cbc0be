"""``askew evaluate``: the accuracy or the errors of a model on a table whose target is known."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from askew.cli import options
from askew.cli.model_file import Model, Rows, load_model, model_features
from askew.cli.output import say
from askew.cli.show import describe, print_facts
from askew.export.formatting import printable
from askew.tables import csv_errors
from askew.tables.errors import about
from askew.tables.options import Written
from askew.tables.read import read_sheet
from askew.tables.sheet import Sheet

if TYPE_CHECKING:
    from askew.data.frames import Labels

_Weights = NDArray[np.float64] | None


def evaluate(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
    data: options.Table,
    target: options.Target,
    weights: options.Weights = None,
    dates: options.Dates = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    na_values: options.NaValues = None,
    as_json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Predict a table whose target is known, and print the accuracy or the errors of the predictions."""
    written = Written.from_options(delimiter, encoding, decimal, thousands, na_values)
    estimator = load_model(model)
    sheet = read_sheet(data, written)
    sheet.check_column(target)
    X = model_features(estimator, sheet, dates or [])
    sample_weight = None if weights is None else sheet.vector(weights)
    with about(data):
        if hasattr(estimator, "classes_"):
            metrics, tables = _classification(estimator, sheet, target, X, sample_weight)
        else:
            metrics, tables = _regression(estimator, sheet, target, X, sample_weight), {}
    facts = {**describe(estimator), "rows": sheet.n_rows, **metrics}
    if as_json:
        print_facts({**facts, **tables}, as_json)
        return
    print_facts(facts)
    if tables:
        say("\n" + _report(tables["classes in detail"]) + "\n\n" + _matrix(tables["confusion matrix"]))


def _regression(estimator: Model, sheet: Sheet, target: str, X: Rows, weights: _Weights) -> dict[str, float]:
    from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

    y, predicted = sheet.vector(target), estimator.predict(X)
    measures = {
        "R2": r2_score,
        "mean absolute error": mean_absolute_error,
        "root mean squared error": root_mean_squared_error,
    }
    return {name: float(f"{measure(y, predicted, sample_weight=weights):.6g}") for name, measure in measures.items()}


def _classification(
    estimator: Model, sheet: Sheet, target: str, X: Rows, weights: _Weights
) -> tuple[dict[str, float], dict[str, dict[str, dict[str, float]]]]:
    """Return the accuracies; and the metrics of each class, and the confusion matrix."""
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, classification_report, confusion_matrix

    names = [str(label) for label in estimator.classes_]
    truth = true_classes(estimator.classes_, names, sheet, target)
    predicted = np.asarray(names, dtype=object)[np.searchsorted(estimator.classes_, estimator.predict(X))]
    labels = [*names, *_unseen(truth, names)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `true_classes` has warned of classes that are not in the training data
        balanced = balanced_accuracy_score(truth, predicted, sample_weight=weights)
    detail = classification_report(
        truth, predicted, labels=labels, sample_weight=weights, output_dict=True, zero_division=0
    )
    counts = confusion_matrix(truth, predicted, labels=labels, sample_weight=weights)
    return {
        "accuracy": round(float(accuracy_score(truth, predicted, sample_weight=weights)), 4),
        "balanced accuracy": round(float(balanced), 4),
    }, {
        "classes in detail": {label: {k: float(v) for k, v in detail[label].items()} for label in labels},
        "confusion matrix": {
            label: {other: float(n) for other, n in zip(labels, row, strict=True)}
            for label, row in zip(labels, counts.tolist(), strict=True)
        },
    }


def true_classes(classes: Labels, names: list[str], sheet: Sheet, target: str) -> NDArray[np.object_]:
    """Return the name of the class of each row, and warn of classes that the model does not know.

    Parameters
    ----------
    classes : ndarray
        The classes of the model.
    names : list of str
        Their names.
    sheet : Sheet
        The table.
    target : str
        The column of the classes.
    """
    values, codes = sheet.known_values(target)

    def named(value: object) -> str:
        if classes.dtype.kind in "iuf":
            number = csv_errors.number(value)
            known = [name for name, label in zip(names, classes.tolist(), strict=True) if label == number]
            return known[0] if known else str(value)
        return str(value)

    truth = np.array([named(value) for value in values], dtype=object)[codes]
    unseen = _unseen(truth, names)
    if unseen:
        share = f"{int(np.isin(truth, unseen).sum())} of {truth.size} rows"
        warnings.warn(
            f"{share} have a class that is not in the training data ({', '.join(unseen)}); each counts as an error",
            UserWarning,
            stacklevel=2,
        )
    return truth


def _unseen(truth: NDArray[np.object_], names: list[str]) -> list[str]:
    """Return the classes of the rows that the model does not know."""
    return sorted(set(truth) - set(names))


def _report(detail: dict[str, dict[str, float]]) -> str:
    from askew.export.names import distinct

    named = dict(zip(distinct(detail), detail.values(), strict=True))
    width = max(len("class"), *map(len, named))
    lines = [f"{'class':<{width}}  precision  recall      f1     rows"]
    for name, row in named.items():
        figures = f"{row['precision']:9.3f}  {row['recall']:6.3f}  {row['f1-score']:6.3f}  {row['support']:7g}"
        lines.append(f"{name:<{width}}  {figures}")
    return "\n".join(lines)


def _matrix(matrix: dict[str, dict[str, float]]) -> str:
    """Return the confusion matrix: a row for each true class, a column for each predicted one."""
    cells = [
        ["true \\ predicted", *map(printable, matrix)],
        *([printable(name), *(f"{n:g}" for n in row.values())] for name, row in matrix.items()),
    ]
    widths = [max(len(row[j]) for row in cells) for j in range(len(cells[0]))]
    return "\n".join(
        "  ".join(text.rjust(w) if j else text.ljust(w) for j, (text, w) in enumerate(zip(row, widths, strict=True)))
        for row in cells
    )
