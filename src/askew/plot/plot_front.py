"""`plot_front`: accuracy against size, for what AutoTree tried."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.export.fitted import Fitted, final_step
from askew.plot.palette import LEGEND_OUTSIDE, Colour, LegendPosition, axes, colours, wrapped
from askew.selection.leaderboard import Leaderboard, Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = 6  # alternatives that are named


def plot_front(estimator: Fitted, *, ax: Axes | None = None) -> Axes:
    """Plot the score of AutoTree's candidates against their size, with the choice and some alternatives numbered.

    The line is the Pareto front of size and score; the bar of the choice is its standard error. The scores are those of
    the cross-validation by which the tree was chosen, so the best of them is optimistic.

    Parameters
    ----------
    estimator : AutoTreeClassifier or AutoTreeRegressor
        A fitted estimator.
    ax : matplotlib.axes.Axes or None, default=None
        Axes to draw in; by default new ones.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = askew.plot_front(askew.AutoTreeClassifier(effort="low", random_state=0).fit(X, y))
    """
    estimator = final_step(estimator)
    check_is_fitted(estimator)
    choice = getattr(estimator, "selection_", None)
    if not isinstance(choice, Leaderboard) or choice.chosen is None:
        raise ValueError("nothing was chosen: fit an AutoTreeClassifier or AutoTreeRegressor on enough rows")
    outside = ax is None
    ax = axes(ax, (8.4, 4.2))
    blue, orange, *_ = colours(4)
    front, chosen = _front(choice.records), choice.chosen
    ax.scatter([r.leaves for r in choice.records], [r.mean for r in choice.records], s=12, color="0.75", zorder=1)
    ax.plot([r.leaves for r in front], [r.mean for r in front], "o-", color=blue, ms=4, zorder=2)
    ax.errorbar(chosen.leaves, chosen.mean, yerr=chosen.standard_error, fmt="D", color=orange, capsize=3, zorder=3)
    _name(ax, [chosen, *_alternatives(front, chosen)], (orange, blue), outside)
    largest = max(r.leaves for r in choice.records)
    ax.set_xscale("log", base=2)
    ticks = 2.0 ** np.arange(0, np.ceil(np.log2(max(largest, 2))) + 1)
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    measure = "score" if choice.scored else "accuracy" if is_classifier(estimator) else "R²"
    ax.set(xlabel="leaves", ylabel=f"{measure} in cross-validation")
    return ax


def _front(records: Iterable[Record]) -> list[Record]:
    """Return the Pareto front of leaves and score, the smallest tree first."""
    front: list[Record] = []
    for record in sorted(records, key=lambda r: (r.leaves, -r.mean, r.terms)):
        if not front or record.mean > front[-1].mean:
            front.append(record)
    return front


def _alternatives(front: list[Record], chosen: Record) -> list[Record]:
    """Return some of the front, evenly, without the choice."""
    others = [record for record in front if record is not chosen]
    return others[:: max(1, -(-len(others) // _NAMED))]


def _name(ax: Axes, records: list[Record], looks: tuple[Colour, Colour], outside: bool) -> None:
    """Mark the entries by numbers, the choice first, and name them in a legend: names in the plot would overlap."""
    from matplotlib.lines import Line2D

    entries = []
    for k, record in enumerate(records, 1):
        size = f"{_many(record.leaves, 'leaf', 'leaves')}, {_many(record.terms, 'term', 'terms')}"
        label = f"{wrapped(record.recipe, 34)}\n{size}"
        colour = looks[min(k - 1, 1)]
        entries.append(Line2D([], [], label=label, marker=f"${k}$", color=colour, linestyle="none", markersize=7))
        ax.annotate(
            str(k),
            (record.leaves, record.mean),
            xytext=(6, -9),
            textcoords="offset points",
            fontsize="small",
            fontweight="bold" if k == 1 else "normal",
        )
    position = LEGEND_OUTSIDE if outside else LegendPosition(loc="lower right", framealpha=0.8)
    title = "the choice, and others"
    ax.legend(handles=entries, title=title, fontsize="small", title_fontsize="small", alignment="left", **position)


def _many(n: float, one: str, more: str) -> str:
    return f"{n:.1f}".removesuffix(".0") + f" {one if n == 1 else more}"
