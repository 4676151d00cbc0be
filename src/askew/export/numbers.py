"""Numbers and names as a reader wants them. Shared by the exports that people read."""

from __future__ import annotations

from math import isfinite

_HUGE = 1e9


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
    if size >= _HUGE:
        return f"{value:.{decimals + 3}g}"
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def shortest(value: float, minus: str = "-") -> str:
    """Return a number with all its digits, and no more than are needed to read it back.

    Examples
    --------
    >>> from askew.export.numbers import shortest
    >>> [shortest(v) for v in (2.45, -3.0, 0.1 + 0.2, 1e-7, 1234567.0, -0.0)]
    ['2.45', '-3', '0.30000000000000004', '1e-07', '1234567', '0']
    """
    text = repr(float(value) + 0.0).removesuffix(".0")
    return text.replace("-", minus)


def printable(name: object) -> str:
    """Return a name without anything that would break a line or steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(name))
