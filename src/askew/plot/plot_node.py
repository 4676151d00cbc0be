"""`plot_node`: one node of a fitted tree, large: its rows along what it tests, and its weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askew.data.frames import MatrixLike
from askew.export.fitted import Fitted, fitted_model
from askew.export.formatting import shortest
from askew.export.wording import WeightedTerm, percent
from askew.plot.node_rows import NodeHistogram, TreeRows
from askew.plot.palette import legend, on_scale, plain_colours, pyplot, wrapped
from askew.plot.tree_cards import MINUS, Boxes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BINS = 40
_NAME = 40  # characters of a line of a feature's name
_INK, _BAR = "#222222", "#666666"


def plot_node(
    estimator: Fitted,
    node: int,
    X: MatrixLike,
    y: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_terms: int = 15,
    decimals: int | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Draw one node of a fitted tree: the distribution of its rows along the tested sum, and its weights.

    Above is the histogram of the sum that the node compares with its threshold (a line), stacked by class; for
    regression, the colour of a bar is the mean target. Rows left of the line go to the first child. Below, for a sum of
    several features, are the weights in the units of the data, and beside them each feature's share of the decision:
    weight times standard deviation, so that units do not matter. Bars to the right send rows to the right.

    A leaf is drawn as its class counts, or as the histogram of the target. For a linear machine or a category table the
    rows of each child are drawn.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted tree, or a fitted Pipeline that ends in one.
    node : int
        Number of the node in `tree_`; 0 is the root.
    X, y : array-like
        Rows to show, with their target; rows that do not reach the node are ignored.
    feature_names : sequence of str or None, default=None
        Names of the features; by default those of the data frame that the tree was fitted to.
    class_names : sequence of str or None, default=None
        Names of the classes, in the order of `classes_`.
    max_terms : int, default=15
        Weights to draw, those with the largest share.
    decimals : int or None, default=None
        Digits after the point, as for `export_text`.
    figure : matplotlib.figure.Figure or None, default=None
        Figure to draw in; by default a new one.

    Returns
    -------
    figure : matplotlib.figure.Figure
        The figure.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = askew.ObliqueTreeClassifier(search="linear", random_state=0).fit(X, y)
    >>> figure = askew.plot_node(tree, 2, X, y)
    """
    plt = pyplot()  # raises an error before any work if Matplotlib is missing
    model = fitted_model(estimator)
    tree = model.tree
    if not isinstance(node, int | np.integer) or not 0 <= node < tree.node_count:
        raise ValueError(f"node must be a number from 0 to {tree.node_count - 1}. Got {node!r} instead.")
    node, rows = int(node), TreeRows.of(estimator, X, y)
    words = Boxes(model, feature_names, class_names, max_terms, decimals)
    kept, others = words.wording.parts(node) if words.is_sum(node) else ([], [])
    below = 0.5 + 0.26 * (len(kept) + bool(others)) if kept else 0.0
    if figure is None:
        figure = plt.figure(figsize=(7.0, 3.2 + below), layout="constrained")
    grid = figure.add_gridspec(2 if kept else 1, 2, height_ratios=[3.0, below] if kept else [1.0], width_ratios=[1, 1])
    above = figure.add_subplot(grid[0, :])
    if tree.is_leaf[node]:
        _draw_leaf(above, node, rows, words)
    else:
        _draw_rows(above, node, rows, words)
    figure.suptitle(f"node {node}: {rows.size(node)} of {rows.size(0)} rows", fontsize="medium", fontweight="bold")
    if kept:
        units = figure.add_subplot(grid[1, 0])
        _draw_weights(units, figure.add_subplot(grid[1, 1], sharey=units), kept, others)
    return figure


def _draw_rows(ax: Axes, node: int, rows: TreeRows, words: Boxes) -> None:
    found = rows.histogram(node, words.wording, _BINS)
    width = np.diff(found.edges) * (0.92 if found.threshold is not None else 0.7)
    middle = (found.edges[1:] + found.edges[:-1]) / 2
    _stack(ax, middle, width, found, rows, words)
    ax.set_ylabel("rows")
    if found.threshold is None:
        names = [way.split("\n")[0] for way in words.ways(node)] or ["yes", "no"]
        ax.set_xticks(middle, [wrapped(name, 20) for name in names])
        ax.set_xlabel(words.inner(node), loc="left")
        return
    if found.mirrored:
        ax.invert_xaxis()
    ax.set_xlim(*(found.edges[[-1, 0]] if found.mirrored else found.edges[[0, -1]]))
    single = words.wording.single(node)
    ax.set_xlabel("weighted sum of the features" if single is None else wrapped(words.columns.names[single[0]], 80))
    ax.axvline(found.threshold, color=_INK, linewidth=1.4)
    level, first = shortest(found.threshold, MINUS), int(rows.tree.first_child[node])
    signs = ("≥", "<") if found.mirrored else ("≤", ">")
    for child, sign, side in ((first, signs[0], "left"), (first + 1, signs[1], "right")):
        text = f"{sign} {level}: {rows.size(child)} to node {child}"
        ax.set_title(text, loc=side, fontsize="small")  # type: ignore[arg-type]


def _stack(
    ax: Axes,
    middle: NDArray[np.float64],
    width: NDArray[np.float64],
    found: NodeHistogram,
    rows: TreeRows,
    words: Boxes,
) -> None:
    """Draw the bars of a histogram: a layer for each class, or one in the colours of the mean targets."""
    if found.mean is not None:
        low, high = float(rows.tree.value.min()), float(rows.tree.value.max())
        shown = ~np.isnan(found.mean)
        colours = [on_scale((mean - low) / ((high - low) or 1.0)) for mean in found.mean[shown].tolist()]
        ax.bar(middle[shown], found.count[shown, 0], width[shown], color=colours)
        plt = pyplot()
        scale = plt.cm.ScalarMappable(plt.Normalize(low, high), plt.get_cmap("viridis"))
        ax.figure.colorbar(scale, ax=ax, label="mean target")
        return
    base = np.zeros(len(found.count))
    colours = plain_colours(len(words.classes))
    for c, name in enumerate(words.classes):
        ax.bar(middle, found.count[:, c], width, bottom=base, color=[colours[c]], label=wrapped(name, 24))
        base += found.count[:, c]
    legend(ax, len(words.classes), True)


def _draw_leaf(ax: Axes, node: int, rows: TreeRows, words: Boxes) -> None:
    at = rows.at(node)
    said = words.prediction(node)
    ax.set_xlabel(f"predicts {said}" if "\n" not in said else said, loc="left")
    ax.set_ylabel("rows")
    if not words.classes:
        low, high = float(rows.target.min()), float(rows.target.max())
        ends = (low, high if high > low else low + 1)
        ax.hist(rows.target[at], bins=_BINS, range=ends, color=_BAR, rwidth=0.92)
        ax.axvline(float(rows.tree.value[node][0]), color=_INK, linewidth=1.4)
        return
    n = len(words.classes)
    ax.bar(np.arange(n), rows.counts(at), 0.7, color=plain_colours(n))
    if n <= 12:
        ax.set_xticks(np.arange(n), [wrapped(name, 20) for name in words.classes])


def _draw_weights(units: Axes, shares: Axes, kept: list[WeightedTerm], others: list[WeightedTerm]) -> None:
    """Draw the weights of a sum as bars: in the units of the data, and as shares of the decision."""
    position = np.arange(len(kept))
    weight = np.array([part.term.weight for part in kept])
    share = np.array([part.share for part in kept])
    units.barh(position, weight, 0.7, color=_BAR)
    shares.barh(position, 100 * share * np.sign(weight), 0.7, color=_BAR)
    names = [wrapped(part.term.name, _NAME) for part in kept]
    if others:
        names.append(f"+ {len(others)} more")
        position = np.append(position, len(kept))
        rest = sum(part.share for part in others)
        shares.annotate(
            percent(rest), (0, len(kept)), (4, 0), textcoords="offset points", va="center", fontsize="small"
        )
    units.set_yticks(position, names, fontsize="small")
    units.set_ylim(len(names) - 0.4, -0.6)
    shares.tick_params(labelleft=False)
    _number(units, weight, [shortest(w, MINUS) for w in weight.tolist()])
    _number(shares, share * np.sign(weight), [percent(s) for s in share.tolist()], 100.0)
    units.set_xlabel("weight, in the data's units", fontsize="small")
    shares.set_xlabel("share of the decision, %", fontsize="small")
    shares.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")


def _number(ax: Axes, ends: NDArray[np.float64], texts: list[str], factor: float = 1.0) -> None:
    """Write a number at the end of each bar, and make room for it."""
    for k, (end, text) in enumerate(zip(ends.tolist(), texts, strict=True)):
        ax.annotate(
            text,
            (factor * end, k),
            (3 if end > 0 else -3, 0),
            textcoords="offset points",
            ha="left" if end > 0 else "right",
            va="center",
            fontsize="x-small",
        )
    low, high = factor * min(float(ends.min()), 0.0), factor * max(float(ends.max()), 0.0)
    room = 0.3 * (high - low)
    ax.set_xlim(low - room * (low < 0), high + room * (high > 0))
    ax.axvline(0, color=_INK, linewidth=0.8)
    ax.tick_params(labelsize="small", left=False)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
