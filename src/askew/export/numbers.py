"""Numbers and names as a reader wants them. Shared by the exports that people read."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

HUGE = 1e9


def number(value: float, decimals: int = 3) -> str:
    """Return a number with so many decimals; tiny and huge ones by significant digits. No trailing zeros.

    Examples
    --------
    >>> from askew.export.numbers import number
    >>> [number(v) for v in (2.45, 3.0, 0.000123456, 1234567.8912, 1.23456789e12)]
    ['2.45', '3', '0.000123', '1234567.891', '1.23457e+12']
    """
    size = abs(value)
    if size == 0:
        return "0"
    if not isfinite(size):
        return str(value)
    if size < 10.0 ** (1 - decimals):  # fewer than two digits would be left of it
        return f"{value:.{max(decimals, 1)}g}"
    if size >= HUGE:
        return f"{value:.{decimals + 3}g}"
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def linear(names: Sequence[str], weights: Sequence[float], constant: float = 0.0, decimals: int = 3) -> str:
    """Return a sum of features as people write it.

    Examples
    --------
    >>> from askew.export.numbers import linear
    >>> linear(["length", "width", "height"], [0.52, -1.0, 0.0], constant=-4.1)
    '0.52 length - width - 4.1'
    """
    terms = []
    for name, weight in zip(names, weights, strict=True):
        if weight != 0:
            size = number(abs(weight), decimals)
            terms.append((weight < 0, name if abs(weight) == 1 else f"{size} {name}"))
    if constant != 0 or not terms:
        terms.append((constant < 0, number(abs(constant), decimals)))
    (negative, first), *others = terms
    return ("-" if negative else "") + first + "".join(f" {'-' if minus else '+'} {term}" for minus, term in others)


def printable(name: object) -> str:
    """Return a name without anything that would break a line or steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(name))
