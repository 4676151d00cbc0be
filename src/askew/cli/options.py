"""The options that several commands share, and ``--config``, which gives any of them from a file."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from askew.estimators.registry import METHODS
from askew.tables.errors import UserError, unknown


class Task(StrEnum):
    """What is to be learnt."""

    AUTO = "auto"
    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Missing(StrEnum):
    """What an empty field is taken for."""

    ERROR = "error"
    MEAN = "mean"
    INDICATOR = "indicator"
    FRACTIONAL = "fractional"
    BELOW = "below"


MANY_VALUES = 30
"""A target of whole numbers with more different values than this is a quantity, not a class."""

_TABLE = "CSV (also .gz), Parquet, or .data of the OC1 program; - is standard input."
_RULE = f"auto: regression if the target has fractions or over {MANY_VALUES} different numbers."
_STRATEGIES = ("pruning", "refinement", "search")  # parameters that have parameters
_FROM_FILE = "askew.set"  # where the parameters of a method that a file gives wait for those that are typed


def _with_file(context: typer.Context, typed: list[str] | None) -> list[str] | None:
    """Put what is typed after what the file has: of a parameter that both give, the typed value counts."""
    given = context.meta.get(_FROM_FILE, [])
    return typed if not typed or list(typed) == given else [*given, *typed]


def _configure(context: typer.Context, path: Path | None) -> None:
    """Take the values in a TOML file for defaults of the command's options; what is typed goes before."""
    if path is None:
        return
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, a number of too many digits
        raise UserError(f"{path}: {error}") from None
    known = {_spelled(parameter): parameter for parameter in context.command.params if parameter.name != "config"}
    defaults: dict[str, Any] = {}
    for key, value in given.items():
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


def _settings(table: dict[str, Any], of_methods: bool) -> list[str]:
    """Return a table as ``--set`` has it; a table in it is of a strategy or, where methods are compared, of one."""
    tables = (*_STRATEGIES, *(METHODS if of_methods else ()))
    settings: list[str] = []
    for name, value in table.items():
        inner = _settings(value, False) if isinstance(value, dict) and name in tables else None
        settings += [f"{name}={value!r}"] if inner is None else [f"{name}.{setting}" for setting in inner]
    return settings


def _spelled(parameter: Any) -> str:
    """Return how a parameter is written without its dashes: ``set``, ``time-limit``, ``data``."""
    return str(max(parameter.opts, key=len)).lstrip("-").replace("_", "-")


def method_names(incomplete: str) -> list[str]:
    """Return what a shell may complete the name of a method, or the last of a list of them, to."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(last)]


Table = Annotated[Path, typer.Argument(help=f"Table: {_TABLE}", metavar="DATA")]
Target = Annotated[str, typer.Option("--target", "-t", help="Column to predict.")]
TaskOption = Annotated[Task, typer.Option("--task", help=f"What to learn. {_RULE}")]
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
        help="Missing values: mean, the mean of the training rows (a category of its own for text); indicator: "
        "the mean, and a column that tells; error; fractional: parts of the row go to each child (c45, its default); "
        "below: the lower side (cart_elc). "
        "[default: mean]",
    ),
]
OwnPruning = Annotated[
    bool,
    typer.Option(
        "--own-pruning", help="Prune as the method's own paper does, or not at all; otherwise by cross-validation."
    ),
]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="Delimiter of a CSV; detected if not given.")]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", help="Encoding of a CSV; UTF-8, UTF-16 and Latin-1 are detected if not given."),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal", help="What stands before decimals, . or , where a number such as 51,260 can be read in two ways."
    ),
]
Thousands = Annotated[
    str | None, typer.Option("--thousands", help="What stands between groups of three digits: , . ' or space.")
]
NaValues = Annotated[
    list[str] | None,
    typer.Option(
        "--na-values",
        metavar="WORD,...",
        help="Fields that stand for missing values, besides empty ones and those of pandas (NA, NaN, null, ...) and ?; "
        "an empty word: besides empty ones alone.",
    ),
]
Dates = Annotated[
    list[str] | None,
    typer.Option(
        "--dates",
        metavar="COLUMN[=FORMAT]",
        help="Column of dates to turn into year, month, weekday and days since 1970; FORMAT such as %d/%m/%Y; "
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
