"""`plot`: the artificial data drawn as in Figure 9 of OC1-94."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from askew.datasets.synthetic import POL_CUTS, RCB_CUTS, make_ls10, make_pol, make_rcb
from askew.plot.palette import pyplot, scatter
from askew.plot.regions import halve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UP, _ACROSS = np.array([1.0, 1.0]) / sqrt(2), np.array([-1.0, 1.0]) / sqrt(2)
_SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
_CENTRE = np.array([0.5, 0.5])


def plot(n: int = 2000, noise: float = 0.0, random_state: Any = 0) -> Figure:
    """Draw LS10, POL and RCB with the lines that divide them (OC1-94, Figure 9).

    LS10 has ten dimensions and is drawn twice: the sums of its two halves, where the separator is a line, and
    two of its features, where nothing of it can be seen.

    Parameters
    ----------
    n, noise, random_state : as for the generators

    Returns
    -------
    figure : a Matplotlib figure

    Examples
    --------
    >>> from askew import datasets
    >>> figure = datasets.plot(n=200)
    """
    figure, ((sums, pair), (pol, rcb)) = pyplot().subplots(2, 2, figsize=(10, 9.4), layout="constrained")
    X, y = make_ls10(n, noise, random_state)
    halves = np.column_stack([X[:, :5].sum(axis=1), X[:, 5:].sum(axis=1)])
    _scatter(sums, halves, y)
    sums.axline((2.5, 2.5), slope=1, color="black", linewidth=1.8)
    sums.set(title="LS10, the two sums", xlabel="x1 + … + x5", ylabel="x6 + … + x10")
    _scatter(pair, X[:, [0, 5]], y)
    pair.set(title="LS10, two of its features", xlabel="x1", ylabel="x6")
    _scatter(pol, *make_pol(n, noise, random_state))
    for name, cut in zip(("root", "r", "rr", "rrr"), POL_CUTS, strict=True):
        _line(pol, _UP, cut, _SQUARE, name)
    pol.set(title="POL (reconstructed)", xlabel="x1", ylabel="x2")
    _scatter(rcb, *make_rcb(n, noise, random_state))
    for name, cut in zip(("", "root", ""), RCB_CUTS, strict=True):
        _line(rcb, _ACROSS, cut, _SQUARE, name)
    _line(rcb, _UP, 0.0, _SQUARE, "")
    rcb.set(title="RCB (reconstructed)", xlabel="x1", ylabel="x2")
    return figure  # type: ignore[no-any-return]


def _scatter(ax: Axes, X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    scatter(ax, X, y, np.unique(y))
    ax.set_aspect("equal")


def _line(ax: Axes, normal: NDArray[np.float64], cut: float, box: NDArray[np.float64], name: str) -> None:
    ends = halve(box, normal, cut + float(normal @ _CENTRE))[2]
    ax.plot(*ends.T, color="black", linewidth=1.8)
    if name:
        place = ends[0] + 0.2 * (ends[1] - ends[0])
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        ax.text(
            float(place[0]), float(place[1]), name, ha="center", va="center", fontsize=9, fontweight="bold", bbox=paper
        )
