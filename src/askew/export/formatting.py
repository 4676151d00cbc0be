"""Numbers and names as text: few digits, no control characters, long names shortened."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

_HUGE = 1e9


def number(value: float, decimals: int = 3) -> str:
    """Return a number with this many decimals; tiny and huge ones by significant digits. No trailing zeros.

    Examples
    --------
    >>> from askew.export.formatting import number
    >>> [number(v) for v in (2.45, 3.0, 0.000123456, 1234567.8912, 1.23456789e12)]
    ['2.45', '3', '0.000123', '1234567.891', '1.23457e+12']
    """
    size = abs(value)
    if size == 0:
        return "0"
    if not isfinite(size):
        return str(value)
    if size < 10.0 ** (1 - decimals):  # fewer than two significant digits would remain
        return f"{value:.{max(decimals, 1)}g}"
    if size >= _HUGE:
        return f"{value:.{decimals + 3}g}"
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def shortest(value: float, minus: str = "-") -> str:
    """Return a number with all its digits, and no more than are needed to read it back.

    Examples
    --------
    >>> from askew.export.formatting import shortest
    >>> [shortest(v) for v in (2.45, -3.0, 0.1 + 0.2, 1e-7, 1234567.0, -0.0)]
    ['2.45', '-3', '0.30000000000000004', '1e-07', '1234567', '0']
    """
    text = repr(float(value) + 0.0).removesuffix(".0")
    return text.replace("-", minus)


def printable(name: object) -> str:
    """Return a name with line breaks and control characters escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(name))


_WORTH = 6  # characters that a common beginning must have to be left out


def elided(name: str, longest: int) -> str:
    """Return a name of at most this many characters: the middle is elided.

    Examples
    --------
    >>> from askew.export.formatting import elided
    >>> elided("number of open accounts in the last year", 20)
    'number of…last year'
    """
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end].rstrip()}…{name[len(name) - end :]}"


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """Return names of at most this many characters, or of as many as keep those different that were.

    Where a name is too long, the words that all names begin with are left out.

    Examples
    --------
    >>> from askew.export.formatting import shortened
    >>> shortened(["average number of calls", "average number of late payments"], 15)
    ['…calls', '…late payments']
    >>> shortened(["height", "weight"], 15)
    ['height', 'weight']
    """
    if all(len(name) <= longest for name in names):
        return list(names)
    shared = _shared_words(names)
    rest = [f"…{name[shared:]}" if shared else name for name in names]
    for limit in range(longest, max(map(len, rest)) + 1):
        found = [elided(name, limit) for name in rest]
        if len(set(found)) == len(set(names)):
            return found
    return rest


def _shared_words(names: Sequence[str]) -> int:
    """Return how many characters of the words that all names begin with are worth leaving out."""
    if len(set(names)) < 2:
        return 0
    first, last = min(names), max(names)  # what these share, all do
    same = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    shared = first[:same]
    end = max(shared.rfind(" "), shared.rfind("_")) + 1
    return end if end >= _WORTH else 0
