"""The model file of a command, and the columns of a table that the model needs.

A model stores how the columns of its training table were written, so that `predict` reads ``51,260`` or ``03/04/2024``,
which can be read in two ways, as training did.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew.tables import notes
from askew.tables.categories import read_frame
from askew.tables.dates import expanded, source
from askew.tables.errors import UserError
from askew.tables.numbers import WAYS, Numeral
from askew.tables.sheet import Sheet

if TYPE_CHECKING:
    import pandas

    from askew.data.encoder import Encoder
    from askew.data.frames import Labels, MatrixLike
    from askew.model.fitted import FittedModel

Rows: TypeAlias = "pandas.DataFrame | Labels"


class Model(Protocol):
    """A fitted estimator of askew, as the commands use it.

    Only classifiers have `classes_` and `predict_proba`, only single trees `get_n_leaves` and `get_depth`.
    """

    classes_: Labels
    encoder_: Encoder | None
    missing_: str
    n_features_in_: int
    written_: dict[str, list[str]]

    def fitted_model(self) -> FittedModel:
        """Return the fitted trees and how they combine."""
        ...

    def encoded(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the columns that the trees test."""
        ...

    def predict(self, X: MatrixLike) -> Labels:
        """Return the class or the number of each row."""
        ...

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Model:
        """Fit the estimator."""
        ...

    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Return the probability of each class."""
        ...

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy, or R2."""
        ...

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        ...

    def get_depth(self) -> int:
        """Return the depth."""
        ...

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters."""
        ...

    def set_params(self, **params: object) -> object:
        """Set parameters."""
        ...


def load_model(path: Path) -> Model:
    """Read a model file; raise `UserError` if it is a table or other text."""
    with path.open("rb") as file:
        start = file.read(64)
    # A model file begins with a length of 8 bytes, the last of which are 0; only UTF-16 text contains 0.
    is_text = b"\0" not in start or start.startswith((b"\xff\xfe", b"\xfe\xff"))
    if start.startswith((b"PAR1", b"\x1f\x8b")) or (len(start) >= 8 and is_text and not start.startswith(b"\x80")):
        raise UserError(f"{path}: is a table or other text, not a model file; give a file that askew train wrote")
    import askew

    model: Model = askew.load(path)
    return model


def keep_written(estimator: Model, sheet: Sheet, features: list[str]) -> None:
    """Store in a model how its training columns were written, if not as Python writes numbers and dates."""
    ways = {name: sheet.numerals.get(name) for name in features}
    written = {name: [way.decimal, way.thousands] for name, way in ways.items() if way is not None and not way.plain}
    for one in _members(estimator):
        one.written_ = {**written, **{name: [form] for name, form in sheet.dates.items()}}


def as_trained(estimator: Model, sheet: Sheet) -> Sheet:
    """Return a table whose columns are read as those of the training table."""
    written = getattr(_members(estimator)[0], "written_", {})
    numerals = {name: Numeral(*way) for name, way in written.items() if tuple(way) in WAYS}
    return replace(sheet, trained=numerals, dates={name: way[0] for name, way in written.items() if len(way) == 1})


def _members(estimator: Model) -> list[Model]:
    """Return the trees of k-DT, each of which is stored with its schema; any other estimator itself."""
    return list(vars(estimator).get("estimators_", [estimator]))


# --- the features of the model


def model_features(estimator: Model, sheet: Sheet, dates: Sequence[str] = ()) -> Rows:
    """Return the features of a model from a table, and print notes on how columns were read.

    Parameters
    ----------
    estimator : Model
        The fitted model.
    sheet : Sheet
        The table.
    dates : sequence of str, default=()
        Columns of dates, as the option --dates names them.

    Returns
    -------
    X : pandas.DataFrame or ndarray
        An array if the model was trained without column names.
    """
    sheet = _with_dates(estimator, as_trained(estimator, sheet), dates)
    names = _names(estimator, sheet)
    categories = _categories(estimator, names)
    frame = read_frame(sheet, names, categories, may_miss=estimator.missing_ != "error")
    notes.note_numerals(sheet)
    # scikit-learn would warn of column names that the model does not have.
    return frame if hasattr(estimator, "feature_names_in_") else frame.to_numpy()


def _with_dates(estimator: Model, sheet: Sheet, dates: Sequence[str]) -> Sheet:
    """Return the table with the date features of the model."""
    features = [str(name) for name in getattr(estimator, "feature_names_in_", ())]
    sources = dict.fromkeys(source(name) for name in features if name not in sheet.index)
    named = {item: item if item in sheet.index else item.rpartition("=")[0] for item in dates}
    others = [name for name in sources if name in sheet.index and name not in named.values()]
    return expanded(sheet, [*dates, *(name for name in others if name is not None)])[0]


def _names(estimator: Model, sheet: Sheet) -> list[str]:
    """Return the names of the model's features; if it has none, all columns of the table."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        if len(sheet.names) != estimator.n_features_in_:
            raise UserError(
                f"{sheet.path}: the model was trained without column names on {estimator.n_features_in_} "
                f"columns, and the table has {len(sheet.names)}"
            )
        return sheet.names
    features = [str(name) for name in names]
    others = [name for name in sheet.names if name not in set(features)]
    for name in features:
        sheet.check_column(name, among=others)
    return features


def _categories(estimator: Model, features: list[str]) -> dict[str, Collection[object] | None]:
    """Return the categories of the model's categorical features."""
    encoder = getattr(estimator, "encoder_", None)
    if encoder is None:
        return {}
    return {name: labels for name, labels in zip(features, encoder.categories, strict=True) if labels is not None}
