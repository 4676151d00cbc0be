"""`plot_path`: the path of one row through a tree, with the contribution of each feature at each node."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from askew.data.frames import MatrixLike
from askew.explaining.explanation import Contribution, Explanation, LeafModel, Path, Step, largest, shown_value
from askew.explaining.one_row import RowLike
from askew.explaining.path import explain
from askew.export.fitted import Fitted
from askew.export.formatting import elided, number
from askew.plot.palette import Colour, axes, colours, pyplot, tint, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Prediction: TypeAlias = "float | Mapping[Hashable, float]"
Colours: TypeAlias = "Mapping[Hashable, Colour]"

# In points (1/72 inch) at the font size of 9, from left to right: names and values, bars with amounts, shares.
_SIZE, _LINE, _GAP = 9.0, 13.0, 12.0
_NAMES, _BARS, _AMOUNT, _SHARES = 240.0, 210.0, 46.0, 84.0
_WIDTH = _NAMES + _BARS + _AMOUNT + _SHARES
_FOR, _AGAINST, _GREY = "#009E73", "#D55E00", "#555555"
_LETTERS = 96  # of a line of text
_FIRST, _LAST = 12, 4  # of many nodes, those that are drawn
_LARGEST = 40 * 72.0


def plot_path(
    estimator: Fitted,
    x: RowLike,
    *,
    ax: Axes | None = None,
    background: MatrixLike | None = None,
    max_terms: int = 6,
    path: int = 0,
) -> Axes:
    """Draw the path of one row: at each node the contribution of every feature to the tested sum.

    The first bar starts at the distance of the reference from the threshold (the dashed line), each further bar where
    the one before ends. Green bars push the row towards its side of the threshold, red bars away from it; the diamond
    is the row. On the right is the prediction at the node: class frequencies, or the number. Contributions are those of
    `askew.explain`. Of more than 17 nodes, the first and the last are drawn.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted tree, or a fitted Pipeline that ends in one.
    x : mapping, Series or array-like
        One row, as for `askew.explain`.
    ax : matplotlib.axes.Axes or None, default=None
        Axes to draw in; by default new ones of the size that is needed.
    background : array-like or None, default=None
        Rows to compare with, as for `askew.explain`.
    max_terms : int, default=6
        Features to draw at a node, those with the largest contributions; the others are one bar.
    path : int, default=0
        Which path to draw, for fractional instances and one-vs-rest trees.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> tree = askew.CARTClassifier(max_depth=2).fit(iris.data, iris.target_names[iris.target])
    >>> ax = askew.plot_path(tree, iris.data.iloc[70], background=iris.data)
    """
    pyplot()  # raises an error before any work if Matplotlib is missing
    found = explain(estimator, x, background=background)
    if not 0 <= path < len(found.paths):
        raise ValueError(f"path must be from 0 to {len(found.paths) - 1}. Got {path} instead.")
    drawing = _PathDrawing(found, found.paths[path], max_terms)
    height = drawing.height
    shrink = min(1.0, _LARGEST / height)
    ax = axes(ax, (_WIDTH * shrink / 72, height * shrink / 72))
    ax.set(xlim=(0, _WIDTH), ylim=(-height, 0))
    ax.set_aspect("equal")
    ax.set_axis_off()
    drawing.draw(ax)
    return ax


class _PathDrawing:
    """Blocks from top to bottom: a title, a block for each node, the leaf, what the reference is."""

    def __init__(self, found: Explanation, path: Path, max_terms: int) -> None:
        self.found, self.path, self.max_terms = found, path, max_terms
        labels = list(path.prediction) if isinstance(path.prediction, Mapping) else []
        self.colour = dict(zip(labels, colours(max(len(labels), 1)), strict=False))
        steps = list(path.steps)
        cut = len(steps) > _FIRST + _LAST + 1
        self.left_out = len(steps) - _FIRST - _LAST if cut else 0
        self.steps: list[Step | None] = [*steps[:_FIRST], None, *steps[-_LAST:]] if cut else [*steps]

    @property
    def height(self) -> float:
        """The height of all blocks."""
        return _draw_blocks(self, None)

    def draw(self, ax: Axes) -> None:
        """Draw all blocks."""
        _draw_blocks(self, ax)


def _draw_blocks(of: _PathDrawing, ax: Axes | None) -> float:
    """Draw from top to bottom, or only measure; return the height."""
    y = _text(ax, 0, 0, _title(of.found, of.path), weight="bold") - _GAP
    for step in of.steps:
        if step is None:
            y = _text(ax, 12, y, f"… {of.left_out} more nodes") - _GAP
            continue
        _shares(ax, y, step.before, of.colour)
        y = _text(ax, 0, y, _test(step, of.max_terms), _LETTERS - 18)
        if step.missing:
            y = _text(ax, 12, y, "a value is missing: each child gets its share of the row")
        elif np.isfinite(step.margin):
            y = _waterfall(ax, y, step.base, step.contributions, of.max_terms, 1 if step.side else -1, threshold=True)
        y -= _GAP
    rows = f"leaf {of.path.leaf}, {of.path.n_samples} training {'row' if of.path.n_samples == 1 else 'rows'}"
    y = _text(ax, 0, y, rows)
    if of.path.model is not None:
        y = _model(ax, y, of.path.model, of.max_terms)
    y = _prediction(ax, y, of.path.prediction, of.colour)
    if of.path.steps or of.path.model:
        y = _text(ax, 0, y - _GAP / 2, f"dashed: the threshold; reference: {of.found.reference}", colour=_GREY)
    return -y


def _test(step: Step, max_terms: int) -> str:
    """Return the test of a node; of a long sum, how many features it has."""
    n = len(step.contributions)
    if n <= max_terms + 1 or not np.isfinite(step.threshold):
        return step.test
    return f"node {step.node}: sum of {n} features {'>' if step.margin > 0 else '<='} {number(step.threshold)}"


def _title(found: Explanation, path: Path) -> str:
    predicted = number(found.prediction) if found.probability is None else str(found.prediction)
    part = f"{100 * path.part:.1f}% of the row" if path.part < 1 else ""
    return ": ".join(filter(None, [path.title, part, f"predicts {predicted}"]))


def _model(ax: Axes | None, y: float, model: LeafModel, max_terms: int) -> float:
    y = _text(ax, 0, y, model.of)
    return _waterfall(ax, y, model.base, model.contributions, max_terms, 1, threshold=model.of != "prediction")


def _waterfall(
    ax: Axes | None,
    y: float,
    base: float,
    contributions: Sequence[Contribution],
    max_terms: int,
    way: int,
    *,
    threshold: bool,
) -> float:
    """Draw the bars of a sum, each from the end of the one before."""
    shown, others = largest(contributions, max_terms)
    rows = [(elided(one.feature, 32), elided(shown_value(one.value), 12), one.amount) for one in shown]
    if others:
        rows.append((f"{len(others)} others", "", sum(one.amount for one in others)))
    ends = base + np.concatenate(([0.0], np.cumsum([amount for _, _, amount in rows])))
    low, high = float(min(ends.min(), 0.0 if threshold else base)), float(max(ends.max(), 0.0 if threshold else base))
    at = _scale(low, high)
    bottom = y - _LINE * (len(rows) + 1)
    if ax is not None and threshold:
        ax.plot([at(0.0)] * 2, [y, bottom], color="black", linewidth=0.8, linestyle="--", zorder=3)
    _bar_text(ax, y, "reference", "", base)
    if ax is not None:
        ax.plot([at(base)] * 2, [y - 2, y - _LINE], color=_GREY, linewidth=1.5)
    for i, (name, value, amount) in enumerate(rows):
        top = y - _LINE * (i + 1)
        _bar_text(ax, top, name, value, amount)
        _bar(ax, top, at(ends[i]), at(ends[i + 1]), _FOR if amount * way >= 0 else _AGAINST, i + 1 == len(rows))
    if ax is not None:
        ax.plot([at(ends[-1])], [bottom + 1], marker="D", markersize=4, color="black", zorder=4)
    return bottom - 3


def _scale(low: float, high: float) -> Callable[[float], float]:
    room = (high - low) or 1.0
    return lambda value: _NAMES + _BARS * (0.03 + 0.94 * (value - low) / room)


def _bar(ax: Axes | None, top: float, start: float, end: float, colour: str, last: bool) -> None:
    if ax is None:
        return
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((min(start, end), top - _LINE + 2), max(abs(end - start), 0.5), _LINE - 4, color=colour))
    if not last:
        ax.plot([end, end], [top - _LINE + 2, top - _LINE - 2], color=_GREY, linewidth=0.5)


def _bar_text(ax: Axes | None, top: float, name: str, value: str, amount: float) -> None:
    if ax is None:
        return
    middle = top - _LINE / 2
    _write(ax, _NAMES - 62, middle, name, ha="right")
    minus = "\N{MINUS SIGN}"
    _write(
        ax, _NAMES - 6, middle, value.replace("-", minus) if value[1:2].isdigit() else value, ha="right", colour=_GREY
    )
    _write(ax, _NAMES + _BARS + _AMOUNT - 4, middle, f"{amount:+.3g}".replace("-", minus), ha="right")


def _shares(ax: Axes | None, top: float, before: Prediction | None, colour: Colours) -> None:
    """Draw what a node predicts: a small bar of the classes' shares, or the number."""
    if ax is None or before is None:
        return
    if not isinstance(before, Mapping):
        _write(ax, _WIDTH, top - _LINE / 2, number(before), ha="right", colour=_GREY)
        return
    _stack(ax, _WIDTH - _SHARES + 6, top - _LINE + 3, _SHARES - 6, _LINE - 5, before, colour)


def _prediction(ax: Axes | None, y: float, predicted: Prediction, colour: Colours) -> float:
    """Draw what the leaf predicts: a bar of the classes' shares, with their names, or the number."""
    if not isinstance(predicted, Mapping):
        return _text(ax, 0, y, number(predicted), weight="bold")
    if ax is not None:
        _stack(ax, 0, y - _LINE, _WIDTH, _LINE - 2, predicted, colour)
    y -= _LINE + 2
    ordered = sorted(predicted.items(), key=lambda item: -item[1])
    named = [f"{elided(str(name), 30)} {100 * p:.1f}%" for name, p in ordered if p > 0][:6]
    return _text(ax, 0, y, "   ".join(named))


def _stack(
    ax: Axes,
    x: float,
    y: float,
    width: float,
    height: float,
    shares: Mapping[Hashable, float],
    colour: Colours,
) -> None:
    from matplotlib.patches import Rectangle

    for name, share in shares.items():
        ax.add_patch(Rectangle((x, y), width * share, height, facecolor=tint(colour[name], 0.8), edgecolor="none"))
        x += width * share


def _text(
    ax: Axes | None,
    x: float,
    y: float,
    text: str,
    letters: int = _LETTERS,
    colour: str = "black",
    weight: str = "normal",
) -> float:
    """Write lines of text downwards; return where they end."""
    lines = wrapped(text.replace("<=", "≤").replace(">=", "≥"), letters).split("\n")
    for line in lines:
        if ax is not None:
            _write(ax, x, y - _LINE / 2, line, ha="left", colour=colour, weight=weight)
        y -= _LINE
    return y


def _write(
    ax: Axes,
    x: float,
    y: float,
    text: str,
    *,
    ha: Literal["left", "right"],
    colour: str = "black",
    weight: str = "normal",
) -> None:
    from askew.plot.fitted_text import FittedText  # late: it needs Matplotlib

    ax.add_artist(FittedText(x, y, text, units=_SIZE, ha=ha, va="center_baseline", color=colour, fontweight=weight))
