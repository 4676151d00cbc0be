"""`plot_partition`: the regions of a fitted tree over two features or directions, with the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.data.encoder import label_text
from askew.data.frames import MatrixLike
from askew.export.fitted import Fitted, FittedTreeEstimator, final_step, transformed
from askew.export.formatting import printable
from askew.model.fitted import Part
from askew.model.leaf_values import AnyArray
from askew.model.one_vs_rest import OneVsRest
from askew.model.rule_network import RuleNetwork
from askew.model.split import HYPERPLANE, LEAF
from askew.model.tree import Tree
from askew.plot.palette import axes, colours, legend_columns, pyplot, scatter, tint, wrapped
from askew.plot.partition_view import Section, View, view_of
from askew.plot.regions import partition, regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Colours: TypeAlias = "_ClassColours | _NumberColours"

_LABEL = 50  # characters of a line of an axis' label
_GRID = 400  # points a side, where the regions are not polygons


def plot_partition(
    estimator: Fitted,
    X: MatrixLike,
    y: ArrayLike,
    *,
    features: Sequence[int | str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the regions of a fitted tree over two features or directions, with each node's line and the data.

    For trees of hyperplanes and for rule networks the regions are exact polygons: the box around the data, divided by
    the line of every node. For other models (linear machines, category tables, ensembles), and for categorical
    features, they are drawn on a grid.

    With more than two features, two may be chosen. The others are fixed at their median in `X`, categories at the most
    frequent one, so data and regions need not agree. By default the axes are the two best discriminating directions of
    the root: the sum that it tests (the first linear discriminant, if it is not a hyperplane), and the linear
    discriminant (least squares for regression) of the rest, uncorrelated with it. All other directions are fixed at
    their mean, conditional on these two. The line of the root then divides the data as the tree does.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted classifier or regressor. If it is a Pipeline, the tree is drawn over the columns that the steps before
        it output.
    X : array-like
        The rows to draw.
    y : array-like
        Their classes or numbers.
    features : sequence of int or str, or None, default=None
        The two features to draw, by index or name; None: both of two features, otherwise the directions.
    ax : matplotlib.axes.Axes or None, default=None
        Axes to draw in, with the legend inside; by default new ones, with the legend beside them.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import askew
    >>> X, y = askew.datasets.make_pol(random_state=0)
    >>> tree = askew.CARTClassifier(max_depth=4).fit(X, y)
    >>> ax = askew.plot_partition(tree, X, y)
    """
    check_is_fitted(estimator)
    if isinstance(getattr(final_step(estimator), "tree_", None), Tree | RuleNetwork | OneVsRest):
        estimator, X = final_step(estimator), transformed(estimator, X)
    pyplot()  # before any work, the error that names the extra
    view = view_of(cast("FittedTreeEstimator", estimator), X, y, features)
    outside = ax is None
    classes = getattr(estimator, "classes_", np.empty(0))
    more = legend_columns(len(classes)) - 1
    ax = axes(ax, (6.4 + 1.5 * max(more, 0), 5.2))
    paint: _Colours = _ClassColours(classes) if is_classifier(estimator) else _NumberColours(y)
    tree = getattr(estimator, "tree_", None)
    varies = _of_planes(tree) and tree.payload.varies  # the prediction, within a leaf
    if varies or view.plane is None or not _of_planes(tree):
        _draw_grid(ax, view, paint)
    if view.plane is not None and _of_planes(tree):
        if isinstance(tree, RuleNetwork):
            _draw_regions(ax, tree, view.plane, view.box, None if varies else paint)
        else:
            _draw_polygons(ax, tree, view.plane, view.box, None if varies else paint)
    paint.points(ax, view.shown, np.asarray(y), outside)
    label, other = ("\n".join(wrapped(line, _LABEL) for line in text.split("\n")) for text in view.labels)
    ax.set(xlim=view.box[:, 0], ylim=view.box[:, 1], xlabel=label, ylabel=other)
    for axis, labels in zip((ax.xaxis, ax.yaxis), view.categories, strict=True):
        if labels is not None:
            axis.set_ticks(range(len(labels)), labels=[printable(label_text(label)) for label in labels])
    return ax


def _of_planes(tree: object) -> TypeGuard[Part]:
    return isinstance(tree, Tree | RuleNetwork) and bool(np.isin(tree.kind, (LEAF, HYPERPLANE)).all())


def _draw_polygons(ax: Axes, tree: Tree, plane: Section, box: NDArray[np.float64], paint: _Colours | None) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    leaves, lines = partition(tree, plane, box)
    fill = "none" if paint is None else [paint.of_value(tree.value[leaf]) for leaf in leaves]
    # The thin edge of the same colour closes the hairlines between neighbours.
    ax.add_collection(PolyCollection(list(leaves.values()), facecolors=fill, edgecolors=fill, linewidths=0.3, zorder=0))
    depth = tree.node_depth[list(lines)]
    widths = np.maximum(2.4 * 0.8**depth, 0.8)
    ax.add_collection(LineCollection(list(lines.values()), colors="black", linewidths=widths, zorder=3))


def _draw_regions(
    ax: Axes, network: RuleNetwork, plane: Section, box: NDArray[np.float64], paint: _Colours | None
) -> None:
    from matplotlib.collections import PolyCollection

    polygons = regions(network, plane, box)
    order = sorted(polygons, reverse=True)  # the first region that holds a point is seen
    fill = "none" if paint is None else [paint.of_value(network.value[region]) for region in order]
    shapes = [polygons[region] for region in order]
    ax.add_collection(PolyCollection(shapes, facecolors=fill, edgecolors="black", linewidths=1.6, zorder=0))


def _draw_grid(ax: Axes, view: View, paint: _Colours) -> None:
    box = view.box
    horizontal, vertical = (np.linspace(box[0, k], box[1, k], _GRID) for k in (0, 1))
    points = np.stack([np.tile(horizontal, _GRID), np.repeat(vertical, _GRID)], axis=1)
    picture = paint.of_prediction(view.predict(points)).reshape(_GRID, _GRID, -1)
    extent = (box[0, 0], box[1, 0], box[0, 1], box[1, 1])
    ax.imshow(picture, extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)


class _ClassColours:
    """Colours by class: pale regions, full points with a marker for each class, a legend."""

    def __init__(self, classes: AnyArray) -> None:
        self.classes = classes
        self.colours = colours(len(self.classes))

    def of_value(self, value: NDArray[np.float64]) -> tuple[float, float, float]:
        return tint(self.colours[int(value.argmax())], 0.3)

    def of_prediction(self, predicted: NDArray[np.generic]) -> NDArray[np.float64]:
        pale = np.array([tint(colour, 0.3) for colour in self.colours])
        return np.asarray(pale[np.searchsorted(self.classes, predicted)])

    def points(self, ax: Axes, shown: NDArray[np.float64], y: NDArray[np.generic], outside: bool) -> None:
        scatter(ax, shown, y, self.classes, outside)


class _NumberColours:
    """Colours by number: one scale for regions and points."""

    def __init__(self, y: ArrayLike) -> None:
        plt = pyplot()
        self.scale = plt.cm.ScalarMappable(plt.Normalize(np.min(y), np.max(y)), plt.get_cmap("viridis"))

    def of_value(self, value: NDArray[np.float64]) -> tuple[float, float, float]:
        return tint(self.scale.to_rgba(float(value[0])), 0.6)

    def of_prediction(self, predicted: NDArray[np.generic]) -> NDArray[np.float64]:
        return np.asarray(1 - 0.6 * (1 - self.scale.to_rgba(predicted)[:, :3]))

    def points(self, ax: Axes, shown: NDArray[np.float64], y: NDArray[np.generic], outside: bool) -> None:
        ax.scatter(shown[:, 0], shown[:, 1], c=self.scale.to_rgba(y), s=14, edgecolor="white", linewidth=0.25, zorder=2)
        ax.figure.colorbar(self.scale, ax=ax, label="target")
