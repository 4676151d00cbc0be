"""`plot_partition`: the regions of a fitted tree over two features, with the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.encoding import Encoder, label_text
from askew.export.numbers import printable
from askew.export.palette import axes, colours, legend_columns, pyplot, scatter, tint, wrapped
from askew.export.pipeline import final_step, transformed
from askew.export.regions import partition, regions
from askew.network import RuleNetwork
from askew.one_vs_rest import OneVsRest
from askew.payload import Linear
from askew.split import HYPERPLANE, LEAF
from askew.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARGIN = 0.03  # of the range of the data, around it
_LABEL = 50  # characters of a line of an axis' label
_GRID = 400  # points a side, where the regions are no polygons


def plot_partition(
    estimator: Any, X: Any, y: Any, features: Sequence[int | str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the regions of a fitted tree over two features, each node's line inside its region, and the data.

    For trees of hyperplanes the regions are exact polygons: the box around the data, halved down the tree by
    every node's line. So they are for rule networks; a region is drawn over those that come after it. For others
    (linear machines, category tables, ensembles), and where a categorical feature is drawn, they are drawn on a grid.

    Parameters
    ----------
    estimator : a fitted classifier or regressor; of a Pipeline that ends in a tree, the tree is drawn over the columns
        that it sees, which the steps before make of X
    X : the data to draw (rows x features), array or data frame
    y : its classes or numbers
    features : the two features to draw, by number or name; needed if there are more than two. The others are
        held at their mean in `X`, categories at the most frequent one, so that data and regions need not agree then.
    ax : Matplotlib axes to draw in, with the legend inside; new ones by default, with the legend beside them

    Returns
    -------
    ax : the axes

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
    outside = ax is None
    more = legend_columns(len(getattr(estimator, "classes_", ()))) - 1
    ax = axes(ax, (6.4 + 1.5 * max(more, 0), 5.2))
    names = _names(estimator, X)
    i, j = chosen = _two(features, names)
    encoder: Encoder | None = getattr(estimator, "encoder_", None)
    points = np.asarray(X, dtype=np.float64) if encoder is None else encoder.code(X)
    shown = points[:, [i, j]]
    at = _middle(points, encoder)
    box = _box(shown, [None if encoder is None else encoder.categories[feature] for feature in chosen])
    paint = _Classes(estimator) if is_classifier(estimator) else _Numbers(y)
    tree = getattr(estimator, "tree_", None)
    varies = isinstance(getattr(tree, "payload", None), Linear)  # within a leaf: its model does
    if varies:
        _draw_grid(ax, estimator, X, chosen, at, box, paint)
    if _of_planes(tree) and not _categorical(encoder, chosen):
        where = at if encoder is None else encoder.expand(at[None])[0]
        columns = chosen if encoder is None else _columns(encoder, chosen)
        draw: Any = _draw_regions if isinstance(tree, RuleNetwork) else _draw_polygons
        draw(ax, tree, columns, where, box, None if varies else paint)
    elif not varies:
        _draw_grid(ax, estimator, X, chosen, at, box, paint)
    paint.points(ax, shown, np.asarray(y), outside)
    ax.set(xlim=box[:, 0], ylim=box[:, 1], xlabel=wrapped(names[i], _LABEL), ylabel=wrapped(names[j], _LABEL))
    for axis, feature in ((ax.xaxis, i), (ax.yaxis, j)):
        labels = None if encoder is None else encoder.categories[feature]
        if labels is not None:
            axis.set_ticks(range(len(labels)), labels=[printable(label_text(label)) for label in labels])
    return ax


def _names(estimator: Any, X: Any) -> list[str]:
    """Return the names of the columns of X; where it has none, those that the estimator has."""
    n = int(np.shape(X)[1])
    seen = getattr(estimator, "feature_names_in_", ())
    return [str(name) for name in getattr(X, "columns", seen if len(seen) == n else [f"x{j}" for j in range(n)])]


def _of_planes(tree: Any) -> bool:
    return isinstance(tree, Tree | RuleNetwork) and bool(np.isin(tree.kind, (LEAF, HYPERPLANE)).all())


def _middle(points: NDArray[np.float64], encoder: Encoder | None) -> NDArray[np.float64]:
    """Return the mean of each feature, of categories the most frequent code."""
    at: NDArray[np.float64] = np.nanmean(points, axis=0)
    for j in [] if encoder is None else np.flatnonzero(encoder.is_categorical).tolist():
        codes = points[points[:, j] >= 0, j].astype(np.int64)
        at[j] = np.bincount(codes, minlength=1).argmax()
    return at


def _box(shown: NDArray[np.float64], categories: list[tuple[Any, ...] | None]) -> NDArray[np.float64]:
    """Return the lower and the upper end of what is drawn: a little more than the data, or all categories."""
    low, high = np.nanmin(shown, axis=0), np.nanmax(shown, axis=0)
    room = np.where(high > low, _MARGIN * (high - low), 0.5)
    box = np.array([low - room, high + room])
    for k, labels in enumerate(categories):
        if labels is not None:
            box[:, k] = -0.5, len(labels) - 0.5
    return box


def _categorical(encoder: Encoder | None, features: Sequence[int]) -> bool:
    return encoder is not None and bool(encoder.is_categorical[list(features)].any())


def _columns(encoder: Encoder, features: tuple[int, int]) -> tuple[int, int]:
    """Return the columns of the tree that two features of numbers are."""
    first, second = np.searchsorted(encoder.origin, features).tolist()
    return first, second


def _two(features: Sequence[int | str] | None, names: list[str]) -> tuple[int, int]:
    if features is None:
        if len(names) != 2:
            raise ValueError(f"features must name the two of {len(names)} features to draw. Got None instead.")
        return 0, 1
    found = [names.index(f) if isinstance(f, str) and f in names else f for f in features]
    if len(set(found)) != 2 or any(isinstance(f, str) or not 0 <= f < len(names) for f in found):
        raise ValueError(f"features must be two of the {len(names)} features, by number or name. Got {features!r}")
    return int(found[0]), int(found[1])


def _draw_polygons(
    ax: Axes, tree: Tree, features: tuple[int, int], at: NDArray[np.float64], box: NDArray[np.float64], paint: Any
) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    leaves, lines = partition(tree, features, at, box)
    fill = "none" if paint is None else [paint.of_value(tree.value[leaf]) for leaf in leaves]
    # The thin edge of the same colour closes the hairlines between neighbours.
    ax.add_collection(PolyCollection(list(leaves.values()), facecolors=fill, edgecolors=fill, linewidths=0.3, zorder=0))
    depth = tree.node_depth[list(lines)]
    widths = np.maximum(2.4 * 0.8**depth, 0.8)
    ax.add_collection(LineCollection(list(lines.values()), colors="black", linewidths=widths, zorder=3))


def _draw_regions(
    ax: Axes,
    network: RuleNetwork,
    features: tuple[int, int],
    at: NDArray[np.float64],
    box: NDArray[np.float64],
    paint: Any,
) -> None:
    from matplotlib.collections import PolyCollection

    polygons = regions(network, features, at, box)
    order = sorted(polygons, reverse=True)  # the first region that holds a point is seen
    fill = "none" if paint is None else [paint.of_value(network.value[region]) for region in order]
    shapes = [polygons[region] for region in order]
    ax.add_collection(PolyCollection(shapes, facecolors=fill, edgecolors="black", linewidths=1.6, zorder=0))


def _draw_grid(
    ax: Axes,
    estimator: Any,
    X: Any,
    features: tuple[int, int],
    at: NDArray[np.float64],
    box: NDArray[np.float64],
    paint: Any,
) -> None:
    horizontal, vertical = (np.linspace(box[0, k], box[1, k], _GRID) for k in (0, 1))
    rows = np.tile(at, (_GRID * _GRID, 1))
    rows[:, features[0]] = np.tile(horizontal, _GRID)
    rows[:, features[1]] = np.repeat(vertical, _GRID)
    encoder = getattr(estimator, "encoder_", None)
    if encoder is None:
        given = type(X)(rows, columns=X.columns) if hasattr(X, "columns") else rows
        picture = paint.of_prediction(estimator.predict(given)).reshape(_GRID, _GRID, -1)
    else:
        rows[:, encoder.is_categorical] = np.rint(rows[:, encoder.is_categorical])  # the category whose strip it is
        predicted = estimator.predict_encoded(encoder.expand(rows))
        if is_classifier(estimator):
            predicted = estimator.classes_[predicted]
        picture = paint.of_prediction(predicted).reshape(_GRID, _GRID, -1)
    extent = (box[0, 0], box[1, 0], box[0, 1], box[1, 1])
    ax.imshow(picture, extent=extent, origin="lower", aspect="auto", interpolation="nearest", zorder=0)


class _Classes:
    """Colours by class: pale regions, full points with a marker for each class, a legend."""

    def __init__(self, estimator: Any) -> None:
        self.classes = estimator.classes_
        self.colours = colours(len(self.classes))

    def of_value(self, value: NDArray[np.float64]) -> Any:
        return tint(self.colours[int(value.argmax())], 0.3)

    def of_prediction(self, predicted: NDArray[Any]) -> NDArray[np.float64]:
        pale = np.array([tint(colour, 0.3) for colour in self.colours])
        return np.asarray(pale[np.searchsorted(self.classes, predicted)])

    def points(self, ax: Axes, shown: NDArray[np.float64], y: NDArray[Any], outside: bool) -> None:
        scatter(ax, shown, y, self.classes, outside)


class _Numbers:
    """Colours by number: one scale for regions and points."""

    def __init__(self, y: Any) -> None:
        plt = pyplot()
        self.scale = plt.cm.ScalarMappable(plt.Normalize(np.min(y), np.max(y)), plt.get_cmap("viridis"))

    def of_value(self, value: NDArray[np.float64]) -> Any:
        return tint(self.scale.to_rgba(float(value[0])), 0.6)

    def of_prediction(self, predicted: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(1 - 0.6 * (1 - self.scale.to_rgba(predicted)[:, :3]))

    def points(self, ax: Axes, shown: NDArray[np.float64], y: NDArray[Any], outside: bool) -> None:
        ax.scatter(shown[:, 0], shown[:, 1], c=self.scale.to_rgba(y), s=14, edgecolor="white", linewidth=0.25, zorder=2)
        ax.figure.colorbar(self.scale, ax=ax, label="target")
