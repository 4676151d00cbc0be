"""`plot_trace`: how the cross-entropy search closed in on a plane, on the circle or the sphere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from askew import _core
from askew.grow.grow import child_seed
from askew.model.fitted import Estimator
from askew.plot.palette import colours, pyplot
from askew.search.cross_entropy import Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = 3


def plot_trace(trace: Trace | Estimator) -> Figure:
    """Draw each iteration of the cross-entropy search at a node: its samples, and the mean direction as an arrow.

    A plane in two features is a point on the sphere, in one feature a point on the circle; other nodes cannot be drawn.
    The picture is Figure 4 of CE-DT; the samples are generated again from their seeds.

    Parameters
    ----------
    trace : Trace or estimator
        An entry of `trace_` of a fitted `CEDTClassifier(trace=True)`, or the estimator, for its first node.

    Returns
    -------
    figure : matplotlib.figure.Figure
        The figure, with a panel for each iteration.

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = askew.CEDTClassifier(trace=True, random_state=0).fit(X[:, :2], y)
    >>> figure = askew.plot_trace(tree.trace_[0])
    """
    if not isinstance(trace, Trace):
        kept: list[Trace] | None = getattr(trace, "trace_", None)
        if not kept:
            raise ValueError(
                f"plot_trace takes a trace, or a tree that was fitted with trace=True. Got {trace!r} instead."
            )
        trace = kept[0]
    p = trace.features.size + 1
    if p not in (2, 3):
        raise ValueError(f"a trace is drawn for one or two features, this one has {trace.features.size}")
    n, columns = trace.gamma.size, min(_COLUMNS, trace.gamma.size)
    rows = -(-n // columns)
    figure = pyplot().figure(figsize=(3.6 * columns, 3.8 * rows), layout="constrained")
    for t in range(n):
        ax = figure.add_subplot(rows, columns, t + 1, projection="3d" if p == 3 else None)
        _iteration(ax, trace, t)
    return figure  # type: ignore[no-any-return]


def _iteration(ax: Any, trace: Trace, t: int) -> None:
    mu, kappa = np.ascontiguousarray(trace.mu[t]), float(trace.kappa[t])
    samples = _core.draw_directions(mu, kappa, n=trace.n_drawn, seed=child_seed(trace.seed, t))
    blue, orange = colours(2)
    if mu.size == 3:
        _sphere(ax)
    else:
        turn = np.linspace(0, 2 * np.pi, 200)
        ax.plot(np.cos(turn), np.sin(turn), color="0.8", linewidth=0.8)
    ax.scatter(*samples.T, marker="x", s=14, linewidths=0.8, color=blue, label="samples")
    if mu.any():
        ax.plot(*np.array([np.zeros_like(mu), 1.25 * mu]).T, color=orange, linewidth=2.2, label="mean direction")
        ax.scatter(*(1.25 * mu)[:, None], color=orange, s=30, label="_tip")
    ax.set_aspect("equal")
    if mu.size == 3:
        ax.set_box_aspect((1, 1, 1), zoom=0.8)  # the layout makes no room for the labels of three axes
    ax.set_title(
        f"t = {t + 1}, $\\kappa$ = {kappa:.4g}, $\\gamma$ = {trace.gamma[t]:.3g}",
        fontsize=10,
        y=0.94 if mu.size == 3 else None,
    )
    names = [f"$a_{{{j + 1}}}$" for j in range(mu.size)]
    ax.set(**dict(zip(("xlabel", "ylabel", "zlabel"), names, strict=False)))


def _sphere(ax: Any) -> None:
    """Draw a few circles of latitude and longitude."""
    turn = np.linspace(0, 2 * np.pi, 100)
    for height in np.linspace(-0.75, 0.75, 5):
        radius = np.sqrt(1 - height**2)
        ax.plot(radius * np.cos(turn), radius * np.sin(turn), np.full(100, height), color="0.85", linewidth=0.6)
    for angle in np.linspace(0, np.pi, 6, endpoint=False):
        ax.plot(np.cos(angle) * np.cos(turn), np.sin(angle) * np.cos(turn), np.sin(turn), color="0.85", linewidth=0.6)
