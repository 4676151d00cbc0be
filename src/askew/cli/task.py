"""The learning task of a command: features, categorical features and target of a table; method and parameters."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from askew.cli.model_file import Model
from askew.cli.options import MANY_VALUES, TaskKind
from askew.estimators.registry import METHODS
from askew.tables import notes
from askew.tables.categories import is_text, read_frame
from askew.tables.dates import expanded
from askew.tables.errors import UserError, note, unknown
from askew.tables.options import Written
from askew.tables.read import read_sheet
from askew.tables.sheet import Sheet

if TYPE_CHECKING:
    import pandas

    from askew.data.frames import Labels
    from askew.estimators.model import BaseModel

_FEW_CLASSES = 5  # more integers than this may be quantities: wine is graded from 3 to 8


@dataclass(frozen=True, eq=False)
class Problem:
    """A table to learn from.

    Attributes
    ----------
    sheet : Sheet
        The table.
    features : list of str
        The features.
    categorical : list of str
        The categorical features.
    y : ndarray
        The target.
    is_class : bool
        Whether the target holds classes.
    weights : ndarray or None
        Weights of the rows; None if all are 1.
    """

    sheet: Sheet
    features: list[str]
    categorical: list[str]
    y: Labels
    is_class: bool
    weights: NDArray[np.float64] | None

    def X(self, missing: str = "mean", *, asked: bool = False) -> pandas.DataFrame:  # noqa: N802
        """Return the features, and print notes on how columns were read.

        Parameters
        ----------
        missing : str, default="mean"
            The method's parameter.
        asked : bool, default=False
            Whether the user has set it; otherwise a note says what it does.
        """
        frame = read_frame(self.sheet, self.features, dict.fromkeys(self.categorical), may_miss=missing != "error")
        notes.note_numerals(self.sheet, "; if they are categories, name them with --categorical")
        notes.note_useless(self.sheet, frame)
        if not asked:
            notes.note_missing(self.sheet, frame, missing)
        return frame


def read_problem(
    data: Path,
    target: str,
    written: Written = Written(),  # noqa: B008 - immutable
    *,
    task: TaskKind = TaskKind.AUTO,
    drop: list[str] | None = None,
    weights: str | None = None,
    categorical: list[str] | None = None,
    dates: list[str] | None = None,
) -> Problem:
    """Read a table and its learning task, or raise `UserError`."""
    sheet = read_sheet(data, written)
    sheet.check_column(target)
    sheet, used = expanded(sheet, dates or [])
    features = _features(sheet, target, weights, [*(drop or []), *used])
    y, is_class = _labels(sheet, target, task)
    kept, chosen = _categorical(sheet, features, categorical or [])
    return Problem(sheet, kept, chosen, y, is_class, None if weights is None else sheet.vector(weights))


def _features(sheet: Sheet, target: str, weights: str | None, drop: list[str]) -> list[str]:
    """Return the features: all columns but the target, the weights and the dropped ones."""
    others = dict.fromkeys([target, *([] if weights is None else [weights]), *drop])
    for name in others:
        sheet.check_column(name)
    features = [name for name in sheet.names if name not in others]
    if not features:
        raise UserError(f"{sheet.path}: no feature columns are left")
    return features


def _categorical(sheet: Sheet, features: list[str], options: list[str]) -> tuple[list[str], list[str]]:
    """Return the usable features, and the categorical ones among them: those named in options, and text."""
    named = _named(sheet, features, options)
    text = [name for name in features if name not in named and is_text(sheet, name)]
    unique = notes.left_out(sheet, [name for name in features if name not in named], text)
    kept = [name for name in features if name not in unique]
    if not kept:
        raise UserError(f"{sheet.path}: no feature columns are left")
    chosen = {*named, *text}
    return kept, [name for name in kept if name in chosen]


def _named(sheet: Sheet, features: list[str], options: list[str]) -> set[str]:
    """Return the features that the option --categorical names."""
    known = set(features)
    named = {name for item in options for name in ([item] if item in known else item.split(","))}
    for name in sorted(named):
        sheet.check_column(name, among=features)
        if name not in known:
            raise UserError(f"--categorical {name!r}: the column is not a feature")
    return named


def _labels(sheet: Sheet, target: str, task: TaskKind) -> tuple[Labels, bool]:
    """Return the target as an array, and whether it holds classes."""
    if task is TaskKind.REGRESSION:
        return sheet.vector(target), False
    if task is TaskKind.AUTO and sheet.is_quantity(target, MANY_VALUES):
        return sheet.vector(target), False
    labels = sheet.labels(target)
    n_classes = len(set(labels.tolist()))
    if task is TaskKind.AUTO and n_classes > _FEW_CLASSES and labels.dtype.kind in "iuf":
        note(
            f"{sheet.path}: the {n_classes} distinct integers of the target {target!r} are taken for classes; "
            "use --task regression if they are quantities"
        )
    return labels, True


# --- methods


def check_method(name: str) -> None:
    """Raise `UserError` with the list if there is no such method."""
    if name not in METHODS:
        raise unknown("method", name, METHODS, all_of_them=True)


def find_method(name: str) -> tuple[type[BaseModel] | None, type[BaseModel] | None]:
    """Return the classifier and the regressor of a method, or raise `UserError` with the list."""
    check_method(name)
    return METHODS[name].classes


def make_estimator(
    method: str,
    kinds: tuple[type[BaseModel] | None, type[BaseModel] | None],
    is_class: bool,
    parameters: dict[str, object],
    **defaults: Any,
) -> Model:
    """Return the classifier or the regressor of a method.

    Parameters
    ----------
    method : str
        Name of the method.
    kinds : tuple
        Its classifier and its regressor.
    is_class : bool
        Whether the target holds classes.
    parameters : dict
        Parameters that override the defaults; `UserError` is raised for one that the method does not have.
    **defaults
        Arguments of `askew.estimators.named_parameters.set_comparison_defaults`.
    """
    kind = kinds[0 if is_class else 1]
    if kind is None:
        only = "regression" if is_class else "classification"
        raise UserError(f"method {method!r} supports {only} only; choose another --method, or --task {only}")
    from askew.estimators.named_parameters import parameter_names, set_comparison_defaults, set_named

    estimator = kind(**METHODS[method].parameters)
    known = parameter_names(estimator)
    for name in parameters:
        if name.partition("__")[0] not in known:
            raise unknown(f"parameter of {kind.__name__}", name.partition("__")[0], known)
    if defaults:
        set_comparison_defaults(estimator, **defaults)
    return cast(Model, set_named(estimator, parameters))


def parse_settings(settings: list[str]) -> dict[str, object]:
    """Parse ``name=value``; the value is a Python literal, or else text.

    ``pruning.cv=5``, a parameter of the pruner, becomes ``pruning__cv``, as in `set_params`.
    """
    parsed: dict[str, object] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.strip():
            raise UserError(f"--set {setting!r}: expected name=value, such as max_depth=3")
        name = name.strip().replace(".", "__")
        try:
            parsed[name] = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):  # the last two: brackets nested too deeply
            parsed[name] = text.strip()
    return parsed
