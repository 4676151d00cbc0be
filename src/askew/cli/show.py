"""``askew show``: print a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from askew.cli import options
from askew.cli.model_file import load_model
from askew.cli.output import say
from askew.export.formatting import printable


def show(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
    decimals: Annotated[
        int | None, typer.Option(min=0, help="Digits after the point, at most; as many as are needed by default.")
    ] = None,
    max_depth: Annotated[int | None, typer.Option(min=0, help="Depth to print; what is deeper is summed up.")] = None,
    as_json: options.Json = False,
) -> None:
    """Print a model: what it is, and each node as a readable inequality."""
    estimator = load_model(model)
    import askew  # late: a file that is no model is told without waiting for scikit-learn

    facts = describe(estimator)
    if as_json:
        tell({**facts, "tree": json.loads(askew.export_json(estimator))}, as_json)
        return
    tell(facts)
    say()
    say(askew.export_text(estimator, decimals=decimals, max_depth=max_depth))


def describe(estimator: Any) -> dict[str, Any]:
    """Return what a fitted estimator is."""
    encoder = getattr(estimator, "encoder_", None)
    facts = {"model": repr_in_one_line(estimator), "features": int(estimator.n_features_in_)}
    if encoder is not None:
        facts["categorical features"] = int(encoder.is_categorical.sum())
    if hasattr(estimator, "classes_"):
        facts["classes"] = estimator.classes_.tolist()
    if hasattr(estimator, "selection_"):
        facts["chosen"] = estimator.chosen_
    return facts


def leaderboard_text(estimator: Any, shown: int = 10) -> str:
    """Return the best of what was tried, one a line; the choice is marked."""
    records = estimator.selection_.records
    lines = [record for i, record in enumerate(records) if i < shown or record.chosen]
    width = max((len(record.recipe) for record in lines), default=6)
    head = f"  {'recipe':<{width}}  leaves  terms    mean    s.e.  (of {len(records)} tried, in cross-validation)"
    return "\n".join([head, *(_line(record, width) for record in lines)])


def _line(record: Any, width: int) -> str:
    size, score = f"{record.leaves:6.1f} {record.terms:6.1f}", f"{record.mean:6.4f}  {record.standard_error:6.4f}"
    return f"{'*' if record.chosen else ' '} {record.recipe:<{width}}  {size}  {score}"


def tell(facts: dict[str, Any], as_json: bool = False) -> None:
    """Print facts on standard output, one a line in two columns, or as JSON."""
    if as_json:
        typer.echo(json.dumps({name.replace(" ", "_"): value for name, value in facts.items()}))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        text = f"{len(value)} ({_first_names(value)})" if isinstance(value, list) else printable(value)
        say(f"{name:<{width}}  {text}")


def repr_in_one_line(estimator: Any) -> str:
    """Return the class with the parameters that are not the defaults; `verbose` is left out."""
    from askew.parameters import in_short

    defaults = type(estimator)().get_params(deep=False)
    chosen = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name != "verbose" and repr(value) != repr(defaults[name])
    }
    return f"{type(estimator).__name__}({', '.join(f'{name}={in_short(value)}' for name, value in chosen.items())})"


def _first_names(classes: list[Any], shown: int = 10) -> str:
    return ", ".join(printable(c) for c in classes[:shown]) + (", ..." if len(classes) > shown else "")
