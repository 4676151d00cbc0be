"""`Explanation`: the path of one row through a tree, as data; `str` and notebooks show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan
from typing import Any

from askew.export.formatting import elided, number

_SHOWN = 6  # parts of a node that are listed, the largest; the others are added up
_WIDEST = 40  # characters of a name


@dataclass(frozen=True)
class Contribution:
    """What one feature adds to a sum.

    Attributes
    ----------
    feature : its name
    value : its value in the row, as the data have it; None where it is missing
    amount : weight times the difference from the reference, over all columns of the feature. NaN if the sum has no
        value because one is missing, or if there is no sum: the category of this feature alone decides
    """

    feature: str
    value: Any
    amount: float


@dataclass(frozen=True)
class Step:
    """A node on the path.

    Attributes
    ----------
    node : number of the node; of a rule network, of the split
    test : what holds for the row, in the words and units of the data
    value, threshold : the sum that is tested, and what it is compared with, on the scale on which the test is printed
        (`askew.export_text`); for a linear machine the lead of the largest sum over the next, compared with 0. NaN for
        a test of categories, and where a value is missing
    side : number of the child that the row goes to
    base : value minus threshold of the reference
    contributions : what each feature adds to that, the largest first; base and amounts add up to value - threshold
    before : what the node predicts, before the test: a number, or the probability of each class; None in a rule network
    n_samples : training samples at the node
    missing : whether the test had no answer, so that only a part of the row went this way
    """

    node: int
    test: str
    value: float
    threshold: float
    side: int
    base: float
    contributions: tuple[Contribution, ...]
    before: float | Mapping[Any, float] | None
    n_samples: int
    missing: bool = False

    @property
    def margin(self) -> float:
        """How far the sum is above the threshold; 0 and below: the row goes to the first child."""
        return self.value - self.threshold


@dataclass(frozen=True)
class LeafModel:
    """What the linear model of a leaf makes of the row.

    Attributes
    ----------
    equation : the sum, in the units of the data
    of : what the sum is: "prediction", or the log odds of one class against another
    base : the sum of the reference
    contributions : what each feature adds to it
    total : the sum
    clipped : the prediction, if the range of the leaf limits it; otherwise None
    """

    equation: str
    of: str
    base: float
    contributions: tuple[Contribution, ...]
    total: float
    clipped: float | None


@dataclass(frozen=True)
class Path:
    """The way to a leaf.

    Attributes
    ----------
    steps : the nodes, from the root
    leaf : number of the leaf, or of the region of a rule network
    prediction : what is predicted there: a number, or the probability of each class
    n_samples : training samples there
    model : the linear model of the leaf; None without one
    part : share of the row that goes this way; below 1 where values are missing and rows go down in parts
    title : which tree this is, where each class has its own; otherwise empty
    """

    steps: tuple[Step, ...]
    leaf: int
    prediction: float | Mapping[Any, float]
    n_samples: int
    model: LeafModel | None = None
    part: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Explanation:
    """Why a tree predicts what it does for one row: what `askew.explain` returns.

    Attributes
    ----------
    prediction : what is predicted: a class or a number
    probability : of each class; None for a number
    paths : the path of the row; several if values are missing and it goes down in parts (the largest first), or if each
        class has a tree of its own
    reference : what contributions are differences from
    """

    prediction: Any
    probability: Mapping[Any, float] | None
    paths: tuple[Path, ...]
    reference: str

    @property
    def steps(self) -> tuple[Step, ...]:
        """The nodes on the (first) way."""
        return self.paths[0].steps

    def __str__(self) -> str:
        return "\n".join(line for line, _ in _lines(self))

    def _repr_html_(self) -> str:
        rows = [
            f'<div style="padding-left:{1.2 * indent:g}em;white-space:pre">{escape(line.lstrip())}</div>'
            for line, indent in _lines(self)
        ]
        return f'<div style="font-family:monospace;overflow-x:auto">{"".join(rows)}</div>'


def outcome(prediction: float | Mapping[Any, float]) -> str:
    """Return a prediction in words: a number, or the likeliest classes with their probabilities.

    Examples
    --------
    >>> from askew.explaining.explanation import outcome
    >>> outcome({"no": 0.25, "yes": 0.75})
    'yes 75.0%, no 25.0%'
    """
    if not isinstance(prediction, Mapping):
        return number(prediction)
    ordered = sorted(prediction.items(), key=lambda item: -item[1])
    told = [(name, p) for name, p in ordered if p > 0][:3]
    return ", ".join(f"{name} {100 * p:.1f}%" for name, p in told)


def largest(contributions: Sequence[Contribution], n: int) -> tuple[Sequence[Contribution], Sequence[Contribution]]:
    """Return the n largest contributions, and the others; a single other is one of the first."""
    n = len(contributions) if len(contributions) <= n + 1 else n
    return contributions[:n], contributions[n:]


def shown_value(value: Any) -> str:
    """Return a value of the data as it is written."""
    if value is None:
        return "missing"
    return number(value) if isinstance(value, float) else str(value)


def _lines(found: Explanation) -> list[tuple[str, int]]:
    """Return the lines of the text, each with how far in it stands."""
    told = outcome(found.prediction if found.probability is None else found.probability)
    head = f"predicts {told}" if found.probability is None else f"predicts {found.prediction}: {told}"
    lines = [(head, 0)]
    for path in found.paths:
        indent = 0
        if path.title or path.part < 1:
            part = f"{100 * path.part:.1f}% of the row" if path.part < 1 else ""
            lines.append((", ".join(filter(None, [path.title, part])), 0))
            indent = 1
        for step in path.steps:
            lines += _step(step, indent)
        lines += _leaf(path, indent)
    if any(path.steps or path.model for path in found.paths):
        lines.append((f"contributions are differences from {found.reference}", 0))
    return lines


def _step(step: Step, indent: int) -> list[tuple[str, int]]:
    where = f"node {step.node}" if step.before is None else f"node {step.node} ({outcome(step.before)})"
    lines = [_line(f"{where}: {step.test}", indent)]
    if step.missing:
        return [*lines, _line("a value is missing: each child gets its share of the row", indent + 2)]
    if isnan(step.value):
        return lines
    lines.append(_line(f"{number(step.value)} against {number(step.threshold)}: {step.margin:+.3g}", indent + 2))
    return lines + _contributions(step.base, *largest(step.contributions, _SHOWN), indent + 2)


def _leaf(path: Path, indent: int) -> list[tuple[str, int]]:
    rows = f"{path.n_samples} training {'row' if path.n_samples == 1 else 'rows'}"
    lines = [_line(f"leaf {path.leaf}: {outcome(path.prediction)} ({rows})", indent)]
    if path.model is None:
        return lines
    model = path.model
    lines.append(_line(f"{model.of}: {model.equation} = {number(model.total)}", indent + 2))
    lines += _contributions(model.base, *largest(model.contributions, _SHOWN), indent + 2)
    if model.clipped is not None:
        lines.append(_line(f"limited to {number(model.clipped)}, by the training rows", indent + 2))
    return lines


def _contributions(
    base: float, shown: Sequence[Contribution], others: Sequence[Contribution], indent: int
) -> list[tuple[str, int]]:
    rows = [("reference", "", base), *((elided(c.feature, _WIDEST), shown_value(c.value), c.amount) for c in shown)]
    if others:
        rows.append((f"{len(others)} others", "", sum(one.amount for one in others)))
    name, value = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    return [_line(f"{a:<{name}}  {b:>{value}}  {c:+.3g}", indent + 1) for a, b, c in rows]


def _line(text: str, indent: int) -> tuple[str, int]:
    return f"{'  ' * indent}{text}", indent
