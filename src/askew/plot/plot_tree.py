"""`plot_tree`: a drawing of a fitted tree with the test and the rows of every node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from askew.data.frames import MatrixLike
from askew.export.fitted import Fitted, fitted_model
from askew.plot.matplotlib_shapes import render, width_of
from askew.plot.node_rows import TreeRows
from askew.plot.palette import axes, pyplot
from askew.plot.tree_drawing import draw_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LARGEST = 40 * 72.0  # points; a wider tree is drawn smaller
_MARGIN = 2.0


def plot_tree(
    estimator: Fitted,
    X: MatrixLike | None = None,
    y: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
    max_depth: int | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_terms: int | None = None,
    decimals: int | None = None,
) -> Axes:
    """Draw a fitted tree: the test of each node, the prediction of each leaf, and the share of the rows on each branch.

    Rows for which a node's inequality holds go to the left. A leaf has the colour of its class or its prediction, and a
    bar with the class frequencies. The width of a ribbon is its share of the rows.

    With `X` and `y`, each node shows the distribution of the tested sum, stacked by class (for regression, a bar has
    the colour of its mean target), and a line at the threshold: rows left of it go left. Beside the weights are bars:
    the share of each term in the node's decision (weight times standard deviation, as in `feature_importances_`), to
    the right if larger values send a row to the right. Leaves of a regression show the distribution of the target.
    All counts are those of these rows, which may be held out. The first and the last bar of a histogram include the
    outer half per cent of the rows.

    At a linear machine, a row goes to the child of the largest function.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted tree, or a fitted Pipeline that ends in one.
    X, y : array-like or None, default=None
        Rows to show, with their target; by default the counts of the training rows are shown.
    ax : matplotlib.axes.Axes or None, default=None
        Axes to draw in; by default new ones in a figure of the size that the tree needs.
    max_depth : int or None, default=None
        Largest depth to draw; deeper nodes are counted. None: all, or the upper part with 60 leaves of a larger tree.
    feature_names : sequence of str or None, default=None
        Names of the features; by default those of the data frame that the tree was fitted to.
    class_names : sequence of str or None, default=None
        Names of the classes, in the order of `classes_`.
    max_terms : int or None, default=None
        Terms of an inequality to show, those with the largest weight times standard deviation; by default 6, fewer for
        trees of more than 8 leaves.
    decimals : int or None, default=None
        Digits after the point, as for `export_text`.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import askew
    >>> X, y = askew.datasets.make_pol(random_state=0)
    >>> ax = askew.plot_tree(askew.CARTClassifier(max_depth=3).fit(X, y), X, y)
    """
    pyplot()  # raises an error before any work if Matplotlib is missing
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
    """Make a unit one point, or less if the axes are too small for that, and centre the tree."""
    space, points = ax.get_window_extent(), 72.0 / ax.figure.dpi
    wide, high = (max(need + 2 * _MARGIN, has * points) for need, has in ((width, space.width), (height, space.height)))
    ax.set(xlim=((width - wide) / 2, (width + wide) / 2), ylim=(-(height + high) / 2, (high - height) / 2))
    ax.set_aspect("equal")
    ax.set_axis_off()
