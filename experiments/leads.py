"""Words for the comparison of a method with its rivals: wins and losses, and leads that hang on one data set."""

from __future__ import annotations

from experiments.field import Comparison, Field, marked


def record(comparison: Comparison) -> str:
    """Return the data sets won, tied and lost, and the median difference.

    Examples
    --------
    >>> from experiments.field import Comparison
    >>> from experiments.leads import record
    >>> record(Comparison({"Iris": 0.5, "Wine": -1.0, "Glass": -2.0}, 2))
    '1-0-2 (-1.00)'
    """
    return f"{'-'.join(map(str, comparison.record))} ({comparison.median:+.{comparison.decimals}f})"


def fragile_leads(field: Field, method: str) -> list[str]:
    """Return a sentence for each rival whose mean is above or below the method's because of one data set."""
    if method not in field.methods:
        return []
    found = (_sentence(field, method, rival) for rival in field.methods if rival != method)
    lines = [f"- {sentence}" for sentence in found if sentence is not None]
    return [*lines, ""] if lines else []


def _sentence(field: Field, method: str, rival: str) -> str | None:
    compared = field.against(method, rival)
    decisive = compared.decisive()
    if not decisive:
        return None
    data, rest = next(iter(decisive.items()))
    own, other = (field.outcome[data, m][field.score].mean for m in (method, rival))
    shown = 1 if field.score == "accuracy" else 3
    side = "above" if compared.mean > 0 else "below"
    lead = f"The mean {field.score} of {method} is {abs(compared.mean):.{field.decimals}f} {side} that of {rival}"
    without = f"without {marked(data)} ({own:.{shown}f} against {other:.{shown}f}) the difference is"
    if len(decisive) == 1:
        return f"{lead} because of one data set: {without} {rest:+.{field.decimals}f}."
    return (
        f"{lead}, but the sign changes if any one of {len(decisive)} data sets is left out: {without} "
        f"{rest:+.{field.decimals}f}."
    )
