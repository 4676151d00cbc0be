"""What is to be learnt from a table: which columns, which of them are categories, and the target."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from askew.cli.options import MANY_VALUES, Task
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

_FEW_CLASSES = 5  # more whole numbers than this may be quantities: wine is graded from 3 to 8


@dataclass(frozen=True, eq=False)
class Problem:
    """A table to learn from.

    Attributes
    ----------
    sheet : the table
    features : columns to learn from
    categorical : those of them that hold categories
    y : the target
    is_class : whether it holds classes
    weights : of the rows; None if all count once
    """

    sheet: Sheet
    features: list[str]
    categorical: list[str]
    y: NDArray[Any]
    is_class: bool
    weights: NDArray[Any] | None

    def X(self, missing: str = "mean", *, asked: bool = False) -> pandas.DataFrame:  # noqa: N802
        """Return the columns to learn from, and say how they were understood.

        `missing` is the method's parameter; what it does is said unless the user `asked` for it.
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
    task: Task = Task.AUTO,
    drop: list[str] | None = None,
    weights: str | None = None,
    categorical: list[str] | None = None,
    dates: list[str] | None = None,
) -> Problem:
    """Read a table and what is to be learnt from it, or raise `UserError`."""
    sheet = read_sheet(data, written)
    sheet.check_column(target)
    sheet, used = expanded(sheet, dates or [])
    features = _features(sheet, target, weights, [*(drop or []), *used])
    y, is_class = _labels(sheet, target, task)
    kept, chosen = _categorical(sheet, features, categorical or [])
    return Problem(sheet, kept, chosen, y, is_class, None if weights is None else sheet.vector(weights))


def _features(sheet: Sheet, target: str, weights: str | None, drop: list[str]) -> list[str]:
    """Return the columns to learn from: all that are not the target, the weights or dropped."""
    others = dict.fromkeys([target, *([] if weights is None else [weights]), *drop])
    for name in others:
        sheet.check_column(name)
    features = [name for name in sheet.names if name not in others]
    if not features:
        raise UserError(f"{sheet.path}: no feature columns are left")
    return features


def _categorical(sheet: Sheet, features: list[str], given: list[str]) -> tuple[list[str], list[str]]:
    """Return the features that can be learnt from, and those of them that hold categories: the named, and text."""
    named = _named(sheet, features, given)
    text = [name for name in features if name not in named and is_text(sheet, name)]
    unique = notes.left_out(sheet, [name for name in features if name not in named], text)
    kept = [name for name in features if name not in unique]
    if not kept:
        raise UserError(f"{sheet.path}: no feature columns are left")
    chosen = {*named, *text}
    return kept, [name for name in kept if name in chosen]


def _named(sheet: Sheet, features: list[str], given: list[str]) -> set[str]:
    """Return the features that the user says hold categories."""
    known = set(features)
    named = {name for item in given for name in ([item] if item in known else item.split(","))}
    for name in sorted(named):
        sheet.check_column(name, among=features)
        if name not in known:
            raise UserError(f"--categorical {name!r}: the column is not a feature")
    return named


def _labels(sheet: Sheet, target: str, task: Task) -> tuple[Any, bool]:
    """Return the target as an array, and whether it holds classes."""
    if task is Task.REGRESSION:
        return sheet.vector(target), False
    if task is Task.AUTO and sheet.is_quantity(target, MANY_VALUES):
        return sheet.vector(target), False
    labels = sheet.labels(target)
    n_classes = len(set(labels.tolist()))
    if task is Task.AUTO and n_classes > _FEW_CLASSES and labels.dtype.kind in "iuf":
        note(
            f"{sheet.path}: the {n_classes} different whole numbers of the target {target!r} are taken for classes; "
            "use --task regression if they are quantities"
        )
    return labels, True


# --- methods


def check_method(name: str) -> None:
    """Raise `UserError` with the list if there is no such method."""
    if name not in METHODS:
        raise unknown("method", name, METHODS, all_of_them=True)


def find_method(name: str) -> tuple[type[Any] | None, type[Any] | None]:
    """Return the classifier and the regressor of a method, or raise `UserError` with the list."""
    check_method(name)
    return METHODS[name].classes


def make_estimator(
    method: str,
    kinds: tuple[type[Any] | None, type[Any] | None],
    is_class: bool,
    parameters: dict[str, Any],
    **usual: Any,
) -> Any:
    """Return the method's classifier or regressor with the parameters, each of which it must have.

    They go over the `usual` ones (see `askew.estimators.named_parameters.set_comparison_defaults`), if these are given.
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
    if usual:
        set_comparison_defaults(estimator, **usual)
    return set_named(estimator, parameters)


def parse_settings(settings: list[str]) -> dict[str, Any]:
    """Read ``name=value``: the value is a Python literal, and text if it is none.

    ``pruning.cv=5``, a parameter of the pruner, becomes ``pruning__cv``, as `set_params` has it.
    """
    parsed: dict[str, Any] = {}
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
