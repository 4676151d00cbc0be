"""What a leaf predicts, in words: a class, a number, or the equation of its linear model in the units of the data."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, isfinite, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.payload import Linear

Sum = Callable[[NDArray[np.int64], list[float], float], str]  # columns, weights, constant


def model_of(tree: Any, place: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the columns, weights (terms x outputs) and constants of a place's linear model; None if it has none."""
    return tree.payload.model(place) if isinstance(tree.payload, Linear) else None


def sums(tree: Any, place: int, write: Sum) -> list[str]:
    """Return the sums of a place's model: a number, log odds of the second of two classes, or one a class."""
    model = model_of(tree, place)
    if model is None:
        return []
    columns, weights, constants = model
    if weights.shape[1] == 2:
        with np.errstate(over="ignore"):
            weights, constants = weights[:, 1:] - weights[:, :1], constants[1:] - constants[:1]
    return [write(columns, one.tolist(), float(c)) for one, c in zip(weights.T, constants, strict=True)]


def prediction(tree: Any, place: int, classes: list[str] | None, write: Sum, number: Callable[[float], str]) -> str:
    """Return what a place predicts, in a line."""
    value, found = tree.value[place], sums(tree, place, write)
    if not found:
        return number(float(value[0])) if classes is None else classes[int(value.argmax())]
    if classes is None:
        low, high = (float(getattr(tree.payload, name)[place]) for name in ("model_low", "model_high"))
        return f"{found[0]}, from {number(low)} to {number(high)}"
    if len(found) == 1:
        return f"{classes[1]} if {found[0]} > 0, else {classes[0]}"
    return "the largest of " + "; ".join(f"{name}: {text}" for name, text in zip(classes, found, strict=True))


def significant(value: float, decimals: int) -> float:
    """Return a number rounded to so many decimals, or to as many significant digits and one, whichever is finer.

    Weights of a model multiply values of any size, so that a small one needs its digits.

    Examples
    --------
    >>> from askew.export.leaf_text import significant
    >>> [significant(value, 3) for value in (152.13348, 0.02513456, 0.0)]
    [152.133, 0.02513, 0.0]
    """
    if value == 0 or not isfinite(value):
        return value
    return round(value, max(decimals, decimals - floor(log10(abs(value)))))
