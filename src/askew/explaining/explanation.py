"""`Explanation`: the path of one row through a tree, as data; `str` and notebooks show it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan
from typing import Any

from askew.export.formatting import elided, number

_SHOWN = 6  # parts of a node that are listed, the largest; the others are added up
_WIDEST = 40  # characters of a name


@dataclass(frozen=True)
class Contribution:
    """The contribution of one feature to a sum.

    Attributes
    ----------
    feature : str
        Name of the feature.
    value : object
        Its value in the row; None if it is missing.
    amount : float
        Weight times the difference from the reference, over all columns of the feature. NaN if the sum is undefined
        because a value is missing, or if the node tests a category instead of a sum.
    """

    feature: str
    value: object
    amount: float


@dataclass(frozen=True)
class Step:
    """A node on the path.

    Attributes
    ----------
    node : int
        Number of the node; in a rule network, of the split.
    test : str
        The condition that the row satisfies, in the names and units of the data.
    value, threshold : float
        The tested sum and its threshold, on the scale of the printed test (`askew.export_text`); for a linear machine
        the lead of the largest sum over the next, and 0. NaN for a test of categories, and if a value is missing.
    side : int
        Index of the child that the row goes to.
    base : float
        Value minus threshold of the reference.
    contributions : tuple of Contribution
        The contribution of each feature, the largest first; base and amounts add up to value - threshold.
    before : float, mapping or None
        The prediction of the node: a number, or the probability of each class; None in a rule network.
    n_samples : int
        Training samples at the node.
    missing : bool
        Whether the tested value was missing, so that the row was divided.
    """

    node: int
    test: str
    value: float
    threshold: float
    side: int
    base: float
    contributions: tuple[Contribution, ...]
    before: float | Mapping[Hashable, float] | None
    n_samples: int
    missing: bool = False

    @property
    def margin(self) -> float:
        """How far the sum is above the threshold; 0 and below: the row goes to the first child."""
        return self.value - self.threshold


@dataclass(frozen=True)
class LeafModel:
    """The linear model of a leaf, applied to the row.

    Attributes
    ----------
    equation : str
        The sum, in the units of the data.
    of : str
        Meaning of the sum: "prediction", or the log odds of one class against another.
    base : float
        The sum of the reference.
    contributions : tuple of Contribution
        The contribution of each feature.
    total : float
        The sum.
    clipped : float or None
        The prediction, if it is clipped to the range of the leaf; otherwise None.
    """

    equation: str
    of: str
    base: float
    contributions: tuple[Contribution, ...]
    total: float
    clipped: float | None


@dataclass(frozen=True)
class Path:
    """A path from the root to a leaf.

    Attributes
    ----------
    steps : tuple of Step
        The nodes, from the root.
    leaf : int
        Number of the leaf, or of the region of a rule network.
    prediction : float or mapping
        The prediction of the leaf: a number, or the probability of each class.
    n_samples : int
        Training samples in the leaf.
    model : LeafModel or None
        The linear model of the leaf.
    part : float
        Share of the row on this path; below 1 for fractional instances.
    title : str
        The tree, if each class has one; otherwise empty.
    """

    steps: tuple[Step, ...]
    leaf: int
    prediction: float | Mapping[Hashable, float]
    n_samples: int
    model: LeafModel | None = None
    part: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Explanation:
    """The explanation of one prediction, as `askew.explain` returns it.

    Attributes
    ----------
    prediction : object
        The predicted class or number.
    probability : mapping or None
        Probability of each class; None for regression.
    paths : tuple of Path
        The path of the row; several for fractional instances (the largest first) and for one-vs-rest trees.
    reference : str
        Description of the reference that contributions are differences from.
    """

    prediction: Any  # a number, or a class label of any type
    probability: Mapping[Hashable, float] | None
    paths: tuple[Path, ...]
    reference: str

    @property
    def steps(self) -> tuple[Step, ...]:
        """The nodes on the (first) path."""
        return self.paths[0].steps

    def __str__(self) -> str:
        return "\n".join(line for line, _ in _lines(self))

    def _repr_html_(self) -> str:
        rows = [
            f'<div style="padding-left:{1.2 * indent:g}em;white-space:pre">{escape(line.lstrip())}</div>'
            for line, indent in _lines(self)
        ]
        return f'<div style="font-family:monospace;overflow-x:auto">{"".join(rows)}</div>'


def outcome(prediction: float | Mapping[Hashable, float]) -> str:
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
    likeliest = [(name, p) for name, p in ordered if p > 0][:3]
    return ", ".join(f"{name} {100 * p:.1f}%" for name, p in likeliest)


def largest(contributions: Sequence[Contribution], n: int) -> tuple[Sequence[Contribution], Sequence[Contribution]]:
    """Return the n largest contributions, and the others; a single other is one of the first."""
    n = len(contributions) if len(contributions) <= n + 1 else n
    return contributions[:n], contributions[n:]


def shown_value(value: object) -> str:
    """Return a value of the data as it is written."""
    if value is None:
        return "missing"
    return number(value) if isinstance(value, float) else str(value)


def _lines(found: Explanation) -> list[tuple[str, int]]:
    """Return the lines of the text, each with its indentation."""
    text = outcome(found.prediction if found.probability is None else found.probability)
    head = f"predicts {text}" if found.probability is None else f"predicts {found.prediction}: {text}"
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
