"""The artificial data of OC1-94, section 4.3.1 (LS10, POL, RCB), their plot, and stand-ins for those of APDT.

The classes of LS10, POL and RCB are numbered from 1, as in the paper.

The stand-ins replace problems 1 to 3 of Shah & Sastry (1999), whose figure with the class regions is lost. They have
the properties that the paper states: two features, uniform in the unit square, two classes, no noise; straight
boundaries in the first two, a curved one in the third. The positions of the boundaries are ours. Results on them do not
reproduce the paper's Tables II, III, VI and VII, and every report must say so. Classes are 0 and 1, as in the paper.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from askew.parameters import RandomStateLike, check_values, integer, real
from askew.plot.palette import pyplot, scatter
from askew.plot.regions import halve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Positions of the lines, as signed distances from the centre of the unit square: POL's along the axis from the
# lower left to the upper right, RCB's along the axis from the lower right to the upper left.
POL_CUTS = (-0.55, -0.28, 0.05, 0.48)
RCB_CUTS = (-0.28, 0.0, 0.28)
_UP, _ACROSS = np.array([1.0, 1.0]) / sqrt(2), np.array([-1.0, 1.0]) / sqrt(2)
_SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
_CENTRE = np.array([0.5, 0.5])


def make_ls10(
    n: int = 2000, noise: float = 0.0, random_state: RandomStateLike = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make LS10: two classes in ten dimensions that one hyperplane separates (OC1-94, section 4.3.1).

    Ten features, uniform in [0, 1]. Class 1 where ``x1 + ... + x5 < x6 + ... + x10``, else class 2. The paper
    states the rule, but not which side is class 1.

    Parameters
    ----------
    n : int, default=2000
        Number of rows (OC1-94: 2000).
    noise : float, default=0.0
        Share of the labels that are replaced by another class (OC1-94: none).
    random_state : int, RandomState or None, default=None
        Seed or generator, as in scikit-learn.

    Returns
    -------
    X : ndarray
        Features (n x 10).
    y : ndarray
        Class of each row, 1 or 2.

    Examples
    --------
    >>> from askew.datasets import make_ls10
    >>> X, y = make_ls10(random_state=0)
    >>> X.shape, set(y.tolist())
    ((2000, 10), {1, 2})
    """
    X, random = points(n, 10, noise, random_state)
    y = np.where(X[:, :5].sum(axis=1) < X[:, 5:].sum(axis=1), 1, 2)
    return X, with_noise(y, 2, noise, random)


def make_pol(
    n: int = 2000, noise: float = 0.0, random_state: RandomStateLike = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make POL, parallel oblique lines (OC1-94, section 4.3.1 and Figure 9; reconstructed).

    Two features, uniform in [0, 1]; four parallel lines at 45 degrees divide the square into five strips of
    classes 1, 2, 1, 2, 1 from the lower left. Reconstructed: the paper does not give the lines, and the
    distances used here were fitted to the points of its Figure 9, good to a few hundredths.

    Parameters
    ----------
    n : int, default=2000
        Number of rows (OC1-94: 2000).
    noise : float, default=0.0
        Share of the labels that are replaced by another class (OC1-94: none).
    random_state : int, RandomState or None, default=None
        Seed or generator, as in scikit-learn.

    Returns
    -------
    X : ndarray
        Features (n x 2).
    y : ndarray
        Class of each row, 1 or 2.

    Examples
    --------
    >>> from askew.datasets import make_pol
    >>> X, y = make_pol(random_state=0)
    >>> X.shape, set(y.tolist())
    ((2000, 2), {1, 2})
    """
    X, random = points(n, 2, noise, random_state)
    u, _ = rotated(X)
    y = 1 + np.searchsorted(POL_CUTS, u) % 2
    return X, with_noise(y, 2, noise, random)


def make_rcb(
    n: int = 2000, noise: float = 0.0, random_state: RandomStateLike = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make RCB, the rotated checker board (OC1-94, section 4.3.1 and Figure 9; reconstructed).

    Two features, uniform in [0, 1]; three parallel lines at 45 degrees and one across them divide the square
    into eight cells, each a class. The correct root, the middle line, separates no class by itself.
    Reconstructed: the paper does not give the lines, and the distances used here were fitted to the points of
    its Figure 9, good to a few hundredths.

    Parameters
    ----------
    n : int, default=2000
        Number of rows (OC1-94: 2000).
    noise : float, default=0.0
        Share of the labels that are replaced by another class (OC1-94: none).
    random_state : int, RandomState or None, default=None
        Seed or generator, as in scikit-learn.

    Returns
    -------
    X : ndarray
        Features (n x 2).
    y : ndarray
        Class of each row, 1 to 8.

    Examples
    --------
    >>> from askew.datasets import make_rcb
    >>> X, y = make_rcb(random_state=0)
    >>> X.shape, len(set(y.tolist()))
    ((2000, 2), 8)
    """
    X, random = points(n, 2, noise, random_state)
    u, v = rotated(X)
    row = np.searchsorted(RCB_CUTS, v)  # 3 is the row of the upper left corner, 0 that of the lower right
    y = 1 + 4 * (row < 2) + 2 * (u > 0) + (row % 2 == 0)
    return X, with_noise(y, 8, noise, random)


def rotated(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the signed distances from the centre of the square, towards its upper right and its upper left."""
    x, y = X[:, 0] - 0.5, X[:, 1] - 0.5
    return (x + y) / sqrt(2), (y - x) / sqrt(2)


def points(
    n: int, d: int, noise: float, random_state: RandomStateLike
) -> tuple[NDArray[np.float64], np.random.RandomState]:
    """Check the parameters of a generator; return points in the unit cube, and the random state."""
    check_values({"n": n, "noise": noise}, {"n": integer(1), "noise": real(0.0, 1.0)})
    random: np.random.RandomState = check_random_state(random_state)
    return random.uniform(size=(n, d)), random


def with_noise(
    y: NDArray[np.integer], n_classes: int, noise: float, random: np.random.RandomState
) -> NDArray[np.int64]:
    """Replace a share of the labels by another class, each other class being equally likely."""
    noisy = y.astype(np.int64)
    rows = random.permutation(y.size)[: round(noise * y.size)]
    step = random.randint(1, n_classes, size=rows.size)
    noisy[rows] = (noisy[rows] - 1 + step) % n_classes + 1
    return noisy


def make_apdt1_standin(
    n: int = 1000, noise: float = 0.0, random_state: RandomStateLike = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make a stand-in for Problem 1 of APDT: one rectangle (Shah & Sastry 1999, section III-A; not their data).

    Class 1 where ``0.3 < x1 < 0.8 and x2 > 0.4``, else class 0. A chain of three axis-parallel tests solves it, as
    in the paper's tables.

    Parameters
    ----------
    n : int, default=1000
        Number of rows (paper: 1000 to train, 500 to test).
    noise : float, default=0.0
        Share of the labels that are replaced by the other class (paper: none).
    random_state : int, RandomState or None, default=None
        Seed or generator, as in scikit-learn.

    Returns
    -------
    X : ndarray
        Features (n x 2).
    y : ndarray
        Class of each row, 0 or 1.

    Examples
    --------
    >>> from askew.datasets import make_apdt1_standin
    >>> X, y = make_apdt1_standin(random_state=0)
    >>> X.shape, set(y.tolist())
    ((1000, 2), {0, 1})
    """
    X, random = points(n, 2, noise, random_state)
    inside = (X[:, 0] > 0.3) & (X[:, 0] < 0.8) & (X[:, 1] > 0.4)
    return X, with_noise(inside + 1, 2, noise, random) - 1


def make_apdt2_standin(
    n: int = 1000, noise: float = 0.0, random_state: RandomStateLike = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make a stand-in for Problem 2 of APDT: two convex regions (Shah & Sastry 1999, section III-A; not their data).

    Class 1 where ``x2 - x1 > 0.2 and x1 + x2 > 0.9`` or ``x1 - x2 > 0.1 and x1 + x2 < 1.1 and x2 > 0.1``, else
    class 0: five lines and two regions, as in the paper's tables.

    Parameters
    ----------
    n : int, default=1000
        Number of rows (paper: 1000 to train, 500 to test).
    noise : float, default=0.0
        Share of the labels that are replaced by the other class (paper: none in section III, 15% in section IV).
    random_state : int, RandomState or None, default=None
        Seed or generator, as in scikit-learn.

    Returns
    -------
    X : ndarray
        Features (n x 2).
    y : ndarray
        Class of each row, 0 or 1.

    Examples
    --------
    >>> from askew.datasets import make_apdt2_standin
    >>> X, y = make_apdt2_standin(random_state=0)
    >>> X.shape, set(y.tolist())
    ((1000, 2), {0, 1})
    """
    X, random = points(n, 2, noise, random_state)
    a, b = X.T
    upper = (b - a > 0.2) & (a + b > 0.9)
    lower = (a - b > 0.1) & (a + b < 1.1) & (b > 0.1)
    return X, with_noise((upper | lower) + 1, 2, noise, random) - 1


def make_apdt3_standin(
    n: int = 1000, noise: float = 0.0, random_state: RandomStateLike = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make a stand-in for Problem 3 of APDT: a curved boundary (Shah & Sastry 1999, section III-A; not their data).

    Class 1 where ``x2 > 0.5 + 0.3 sin(2 pi x1)``, else class 0.

    Parameters
    ----------
    n : int, default=1000
        Number of rows (paper: 1000 to train, 500 to test).
    noise : float, default=0.0
        Share of the labels that are replaced by the other class (paper: none).
    random_state : int, RandomState or None, default=None
        Seed or generator, as in scikit-learn.

    Returns
    -------
    X : ndarray
        Features (n x 2).
    y : ndarray
        Class of each row, 0 or 1.

    Examples
    --------
    >>> from askew.datasets import make_apdt3_standin
    >>> X, y = make_apdt3_standin(random_state=0)
    >>> X.shape, set(y.tolist())
    ((1000, 2), {0, 1})
    """
    X, random = points(n, 2, noise, random_state)
    above = X[:, 1] > 0.5 + 0.3 * np.sin(2 * np.pi * X[:, 0])
    return X, with_noise(above + 1, 2, noise, random) - 1


def plot(n: int = 2000, noise: float = 0.0, random_state: RandomStateLike = 0) -> Figure:
    """Draw LS10, POL and RCB with the lines that divide them (OC1-94, Figure 9).

    LS10 has ten dimensions and is drawn twice: the sums of its two halves, which a line separates, and two of its
    features, in which the separator cannot be seen.

    Parameters
    ----------
    n : int, default=2000
        Number of rows of each data set.
    noise : float, default=0.0
        Share of the labels that are replaced by another class.
    random_state : int, RandomState or None, default=0
        Seed or generator, as in scikit-learn.

    Returns
    -------
    figure : matplotlib.figure.Figure
        Four plots.

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
        x, y = ends[0] + 0.2 * (ends[1] - ends[0])
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        ax.text(float(x), float(y), name, ha="center", va="center", fontsize=9, fontweight="bold", bbox=paper)
