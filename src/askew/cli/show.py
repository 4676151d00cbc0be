"""``askew show``: print a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from askew.cli import options
from askew.cli.models import load_model
from askew.cli.outputs import say
from askew.export.numbers import printable


def show(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
    decimals: Annotated[int, typer.Option(min=0, help="Digits after the point.")] = 3,
    max_depth: Annotated[int | None, typer.Option(min=0, help="Depth to print; what is deeper is summed up.")] = None,
    as_json: options.Json = False,
) -> None:
    """Print a model: what it is, and each node as a readable inequality."""
    estimator = load_model(model)
    import askew  # late: a file that is no model is told without waiting for scikit-learn

    facts = describe(estimator)
    if as_json:
        tell({**facts, **_tree(estimator)}, as_json)
        return
    tell(facts)
    say()
    say(askew.export_text(estimator, decimals=decimals, max_depth=max_depth))


def _tree(estimator: Any) -> dict[str, Any]:
    """Return the tree for programs; a rule network, or many trees, as text."""
    import askew

    try:
        return {"tree": json.loads(askew.export_json(estimator))}
    except ValueError:
        return {"text": askew.export_text(estimator)}


def describe(estimator: Any) -> dict[str, Any]:
    """Return what a fitted estimator is, in words."""
    encoder = getattr(estimator, "encoder_", None)
    text = "" if encoder is None else f" ({int(encoder.is_categorical.sum())} categorical)"
    facts = {"model": repr_in_one_line(estimator), "features": f"{estimator.n_features_in_}{text}"}
    if hasattr(estimator, "classes_"):
        facts["classes"] = f"{estimator.classes_.size} ({_first_names(estimator.classes_)})"
    return facts


def tell(facts: dict[str, Any], as_json: bool = False) -> None:
    """Print facts on standard output, one a line in two columns, or as JSON."""
    if as_json:
        typer.echo(json.dumps({name.replace(" ", "_"): value for name, value in facts.items()}))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        say(f"{name:<{width}}  {printable(value)}")


def repr_in_one_line(estimator: Any) -> str:
    """Return the class with the parameters that are not the defaults; `verbose` is left out."""
    defaults = type(estimator)().get_params(deep=False)
    chosen = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name != "verbose" and repr(value) != repr(defaults[name])
    }
    return f"{type(estimator).__name__}({', '.join(f'{name}={value!r}' for name, value in chosen.items())})"


def _first_names(classes: Any, shown: int = 10) -> str:
    return ", ".join(printable(c) for c in classes[:shown]) + (", ..." if len(classes) > shown else "")
