"""The options that several commands share, and ``--config``, a file with values of options."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol

import typer

from askew.estimators.registry import METHODS
from askew.tables.errors import UserError, unknown


class _Parameter(Protocol):
    """A parameter of a command; its package depends on the version of Typer."""

    opts: list[str]


class TaskKind(StrEnum):
    """Classification or regression; "auto" decides by the target."""

    AUTO = "auto"
    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Missing(StrEnum):
    """The treatment of missing values."""

    ERROR = "error"
    MEAN = "mean"
    INDICATOR = "indicator"
    FRACTIONAL = "fractional"
    BELOW = "below"


MANY_VALUES = 30
"""A target of integers with more distinct values than this is a quantity, not a class."""

_TABLE = "CSV (also .gz), Parquet, or .data of the OC1 program; - is standard input."
_RULE = f"auto: regression if the target has fractions or over {MANY_VALUES} different numbers."
_STRATEGIES = ("pruning", "refinement", "search")  # parameters that have parameters
_FROM_FILE = "askew.set"  # key under which the context keeps the settings of the file


def _with_file(context: typer.Context, typed: list[str] | None) -> list[str] | None:
    """Return the settings of the file, then those of the command line, which override them."""
    from_file = context.meta.get(_FROM_FILE, [])
    return typed if not typed or list(typed) == from_file else [*from_file, *typed]


def _configure(context: typer.Context, path: Path | None) -> None:
    """Read defaults of the command's options from a TOML file; the command line overrides them."""
    if path is None:
        return
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, a number of too many digits
        raise UserError(f"{path}: {error}") from None
    known = {_spelled(parameter): parameter for parameter in context.command.params if parameter.name != "config"}
    defaults: dict[str, object] = {}
    for key, value in content.items():
        name = key.replace("_", "-")
        if name not in known:
            raise UserError(f"{path}: {unknown(f'option of askew {context.command.name}', key, known)}")
        parameter = known[name]
        if name == "set" and isinstance(value, dict):
            value = _settings(value, of_methods=context.command.name == "compare")
        several = bool(getattr(parameter, "multiple", False))
        if several and not isinstance(value, list):
            value = [value]
        elif not several and isinstance(value, list) and name == "methods":
            value = ",".join(map(str, value))
        elif not several and isinstance(value, list | dict):
            raise UserError(f"{path}: {key}: expected one value, found {value!r}")
        defaults[str(parameter.name)] = value
        if name == "set":
            context.meta[_FROM_FILE] = list(value)
    context.default_map = {**(context.default_map or {}), **defaults}


def _settings(table: dict[str, object], of_methods: bool) -> list[str]:
    """Return a TOML table as values of ``--set``; a table inside it belongs to a strategy or, in compare, a method."""
    tables = (*_STRATEGIES, *(METHODS if of_methods else ()))
    settings: list[str] = []
    for name, value in table.items():
        inner = _settings(value, False) if isinstance(value, dict) and name in tables else None
        settings += [f"{name}={value!r}"] if inner is None else [f"{name}.{setting}" for setting in inner]
    return settings


def _spelled(parameter: _Parameter) -> str:
    """Return the name of a parameter without its dashes: ``set``, ``time-limit``, ``data``."""
    return str(max(parameter.opts, key=len)).lstrip("-").replace("_", "-")


def method_names(incomplete: str) -> list[str]:
    """Return the completions of the name of a method, or of the last name in a list."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(last)]


Table = Annotated[Path, typer.Argument(help=f"Table: {_TABLE}", metavar="DATA")]
Target = Annotated[str, typer.Option("--target", "-t", help="Column to predict.")]
TaskOption = Annotated[TaskKind, typer.Option("--task", help=f"Classification or regression. {_RULE}")]
Drop = Annotated[list[str] | None, typer.Option("--drop", metavar="COLUMN", help="Column to leave out; repeatable.")]
Weights = Annotated[str | None, typer.Option("--weights", metavar="COLUMN", help="Column of the rows' weights.")]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical", metavar="COLUMN,...", help="Columns of categories, besides those of text; repeatable."
    ),
]
MissingOption = Annotated[
    Missing | None,
    typer.Option(
        "--missing",
        help="Missing values: mean, the mean of the training rows (a separate category for text); indicator: the mean, "
        "and an indicator column; error; fractional: the row goes to all children with fractional weights (c45, its "
        "default); below: the lower side (cart_elc). "
        "[default: mean]",
    ),
]
OwnPruning = Annotated[
    bool,
    typer.Option(
        "--own-pruning", help="Prune as in the paper of the method, or not at all; otherwise by cross-validation."
    ),
]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="Delimiter of a CSV; detected by default.")]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", help="Encoding of a CSV; by default UTF-8, UTF-16 and Latin-1 are detected."),
]
Decimal = Annotated[
    str | None,
    typer.Option("--decimal", help="Decimal separator, . or , if numbers such as 51,260 can be read in two ways."),
]
Thousands = Annotated[str | None, typer.Option("--thousands", help="Separator of thousands: , . ' or space.")]
NaValues = Annotated[
    list[str] | None,
    typer.Option(
        "--na-values",
        metavar="WORD,...",
        help="Words for missing values, besides empty fields, those of pandas (NA, NaN, null, ...) and ?; an empty "
        "word: besides empty fields only.",
    ),
]
Dates = Annotated[
    list[str] | None,
    typer.Option(
        "--dates",
        metavar="COLUMN[=FORMAT]",
        help="Column of dates to convert to year, month, weekday and days since 1970; FORMAT such as %d/%m/%Y; "
        "repeatable.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Random seed.", min=0, max=2**32 - 1)]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any parameter of the method, or of its pruning (pruning.cv=10); repeatable.",
        callback=_with_file,
    ),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Write over a file that exists.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="TOML",
        help="File with values for any of these options: target = 'species', set = {max_depth = 3}.",
        callback=_configure,
        is_eager=True,
    ),
]
