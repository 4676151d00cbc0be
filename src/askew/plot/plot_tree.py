"""`plot_tree`: a drawing of a fitted tree with the test and the rows of every node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from askew.export.fitted import fitted_model
from askew.plot.matplotlib_shapes import render, width_of
from askew.plot.node_rows import TreeRows
from askew.plot.palette import axes, pyplot
from askew.plot.tree_drawing import draw_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LARGEST = 40 * 72.0  # points; a wider tree is drawn smaller
_MARGIN = 2.0


def plot_tree(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    ax: Axes | None = None,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_terms: int | None = None,
    decimals: int | None = None,
) -> Axes:
    """Draw a fitted tree: the test of each node, what each leaf predicts, and how the rows run down.

    Rows for which a node's inequality holds go to the left. A leaf has the colour of its class, or of its number, and a
    bar with the shares of the classes. The ribbons are as wide as the share of the rows that take them.

    With `X` and `y`, each node shows the distribution of what it sums up to, stacked by class (in regression, bars have
    the colour of their mean target), and a line at the threshold: what stands left of it goes left. Beside the weights
    of a sum are bars: the share of the node's decision that each term has (weight times spread, as
    `feature_importances_` counts it), to the right if larger values drive a row to the right. Leaves of numbers show
    their distribution. All counts are then those of these rows, which may be held out. Half a per cent of the rows on
    either side is gathered in the first and the last bar of a histogram.

    Of a linear machine, the number of the largest function is that of the child.

    Parameters
    ----------
    estimator : a fitted tree, or a fitted Pipeline that ends in one
    X, y : rows to show, with their classes or numbers; by default the counts of the training rows alone
    ax : Matplotlib axes to draw in, at whatever size they have; by default new ones in a figure of the size that the
        tree needs
    max_depth : draw no deeper; what is left out is counted in its place. By default all, or of a tree of more than 60
        leaves as much as has 60, with a note
    feature_names : names of the features; by default those of the data frame the tree was fitted to
    class_names : names of the classes, in the order of `classes_`
    max_terms : terms of an inequality to show, those that matter most by weight times spread; by default 6, fewer for
        trees of more than 8 leaves
    decimals : digits after the point, as for `export_text`

    Returns
    -------
    ax : the axes

    Examples
    --------
    >>> import askew
    >>> X, y = askew.datasets.make_pol(random_state=0)
    >>> ax = askew.plot_tree(askew.CARTClassifier(max_depth=3).fit(X, y), X, y)
    """
    pyplot()  # before any work, the error that names the extra
    model = fitted_model(estimator)
    rows = None if X is None and y is None else TreeRows.of(estimator, X, y)
    drawing = draw_tree(model, rows, width_of, max_depth, feature_names, class_names, max_terms, decimals)
    shrink = min(1.0, _LARGEST / drawing.width)
    size = (max(drawing.width * shrink / 72 + 0.1, 2.0), max(drawing.height * shrink / 72 + 0.1, 1.0))
    ax = axes(ax, size)
    _set_limits(ax, drawing.width, drawing.height)
    render(ax, drawing)
    return ax


def _set_limits(ax: Axes, width: float, height: float) -> None:
    """Let a unit be a point, or less if the axes are too small for that; the tree stands in the middle."""
    space, points = ax.get_window_extent(), 72.0 / ax.figure.dpi
    wide, high = (max(need + 2 * _MARGIN, has * points) for need, has in ((width, space.width), (height, space.height)))
    ax.set(xlim=((width - wide) / 2, (width + wide) / 2), ylim=(-(height + high) / 2, (high - height) / 2))
    ax.set_aspect("equal")
    ax.set_axis_off()
