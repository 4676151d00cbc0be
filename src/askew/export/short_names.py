"""Long names made short for pictures, so that no two become the same."""

from __future__ import annotations

from collections.abc import Sequence

_WORTH = 6  # characters that a common beginning must have to be left out


def elided(name: str, longest: int) -> str:
    """Return a name of at most so many characters: what stands in its middle goes.

    Examples
    --------
    >>> from askew.export.short_names import elided
    >>> elided("number of open accounts in the last year", 20)
    'number of…last year'
    """
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end].rstrip()}…{name[len(name) - end :]}"


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """Return names of at most so many characters, or of as many as keep those different that were.

    Where a name is too long, the words that all names begin with are left out.

    Examples
    --------
    >>> from askew.export.short_names import shortened
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
