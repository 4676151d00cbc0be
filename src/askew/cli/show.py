"""``askew show``: print a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def show(
    model: Annotated[Path, typer.Argument(help="Model file.", metavar="MODEL")],
) -> None:
    """Print a model: what it is, and each node as a readable inequality."""
    import askew

    estimator = askew.load(model)
    lines(describe(estimator))
    typer.echo()
    typer.echo(askew.export_text(estimator))


def describe(estimator: Any) -> dict[str, str]:
    """Return what a fitted estimator is, in words."""
    encoder = getattr(estimator, "encoder_", None)
    text = "" if encoder is None else f" ({int(encoder.is_categorical.sum())} categorical)"
    facts = {"model": repr_in_one_line(estimator), "features": f"{estimator.n_features_in_}{text}"}
    if hasattr(estimator, "classes_"):
        facts["classes"] = f"{estimator.classes_.size} ({_first_names(estimator.classes_)})"
    return facts


def lines(facts: dict[str, str]) -> None:
    """Print facts on standard output, one a line, in two columns."""
    width = max(map(len, facts))
    for name, value in facts.items():
        typer.echo(f"{name:<{width}}  {value}")


def repr_in_one_line(estimator: Any) -> str:
    """Return the class with the parameters that are not the defaults; how much it talks is left out."""
    defaults = type(estimator)().get_params(deep=False)
    chosen = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if name != "verbose" and repr(value) != repr(defaults[name])
    }
    return f"{type(estimator).__name__}({', '.join(f'{name}={value!r}' for name, value in chosen.items())})"


def _first_names(classes: Any, shown: int = 10) -> str:
    return ", ".join(str(c) for c in classes[:shown]) + (", ..." if len(classes) > shown else "")
