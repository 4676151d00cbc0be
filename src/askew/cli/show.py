"""``askew show``: print a model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askew.cli import options
from askew.cli.model_file import Model, load_model
from askew.cli.output import say
from askew.export.formatting import printable

if TYPE_CHECKING:
    from askew.selection.leaderboard import Leaderboard, Record


def show(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
    decimals: Annotated[
        int | None, typer.Option(min=0, help="Largest number of decimals; by default as many as are needed.")
    ] = None,
    max_depth: Annotated[
        int | None, typer.Option(min=0, help="Depth to print; deeper subtrees are summarised.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Print a model: its parameters, and each node as a readable inequality."""
    estimator = load_model(model)
    import askew  # late: a file that is not a model is reported without waiting for scikit-learn

    facts = describe(estimator)
    if as_json:
        print_facts({**facts, "tree": json.loads(askew.export_json(estimator))}, as_json)
        return
    print_facts(facts)
    say()
    say(askew.export_text(estimator, decimals=decimals, max_depth=max_depth))


def describe(estimator: Model) -> dict[str, object]:
    """Return the facts of a fitted estimator: its parameters, features and classes."""
    encoder = getattr(estimator, "encoder_", None)
    facts: dict[str, object] = {"model": repr_in_one_line(estimator), "features": int(estimator.n_features_in_)}
    if encoder is not None:
        facts["categorical features"] = int(encoder.is_categorical.sum())
    if hasattr(estimator, "classes_"):
        facts["classes"] = estimator.classes_.tolist()
    if hasattr(estimator, "selection_"):
        facts["chosen"] = getattr(estimator, "chosen_", None)
    return facts


def leaderboard_text(leaderboard: Leaderboard, shown: int = 10) -> str:
    """Return the best candidates of AutoTree, one in each line; the chosen one is marked."""
    records = leaderboard.records
    lines = [record for i, record in enumerate(records) if i < shown or record.chosen]
    width = max((len(record.recipe) for record in lines), default=6)
    head = f"  {'recipe':<{width}}  leaves  terms    mean    s.e.  (of {len(records)} tried, in cross-validation)"
    return "\n".join([head, *(_line(record, width) for record in lines)])


def _line(record: Record, width: int) -> str:
    size, score = f"{record.leaves:6.1f} {record.terms:6.1f}", f"{record.mean:6.4f}  {record.standard_error:6.4f}"
    return f"{'*' if record.chosen else ' '} {record.recipe:<{width}}  {size}  {score}"


def print_facts(facts: Mapping[str, object], as_json: bool = False) -> None:
    """Print facts on standard output, one in each line, or as JSON."""
    if as_json:
        typer.echo(json.dumps({name.replace(" ", "_"): value for name, value in facts.items()}))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        text = f"{len(value)} ({_first_names(value)})" if isinstance(value, list) else printable(value)
        say(f"{name:<{width}}  {text}")


def repr_in_one_line(estimator: Model) -> str:
    """Return the class with the parameters that differ from their defaults, without `verbose`."""
    from askew.parameters import in_short

    defaults = type(estimator)().get_params(deep=False)
    chosen = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name != "verbose" and repr(value) != repr(defaults[name])
    }
    return f"{type(estimator).__name__}({', '.join(f'{name}={in_short(value)}' for name, value in chosen.items())})"


def _first_names(classes: Sequence[object], shown: int = 10) -> str:
    return ", ".join(printable(c) for c in classes[:shown]) + (", ..." if len(classes) > shown else "")
