"""The artificial data of OC1-94, section 4.3.1: LS10, POL and RCB. Classes are numbered from 1, as there.

Stand-ins for problems 1 to 3 of Shah & Sastry (1999), whose figure with the class regions is lost.

They keep what the paper says of its problems: two features, uniform in the unit square, two classes, no noise; the
first two with straight boundaries, the third with a curved one. Where the boundaries run is ours. Figures on them are
therefore no reproduction of the paper's Tables II, III, VI and VII, and every report must say so. Classes are 0 and 1,
as in the paper.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from askew.parameters import check_values, integer, real

# Where the lines run, as signed distances from the centre of the unit square: POL's along the axis from the
# lower left to the upper right, RCB's along the axis from the lower right to the upper left.
POL_CUTS = (-0.55, -0.28, 0.05, 0.48)
RCB_CUTS = (-0.28, 0.0, 0.28)


def make_ls10(
    n: int = 2000, noise: float = 0.0, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make LS10: two classes in ten dimensions that one hyperplane separates (OC1-94, section 4.3.1).

    Ten features, uniform in [0, 1]. Class 1 where ``x1 + ... + x5 < x6 + ... + x10``, else class 2. The paper
    gives the rule in full, so that this generator is its own; which side is called 1 it does not say.

    Parameters
    ----------
    n : number of rows (OC1-94: 2000)
    noise : share of the labels that is replaced by another class (OC1-94: none)
    random_state : seed or generator, as in scikit-learn

    Returns
    -------
    X : array (n x 10)
    y : array of n classes, 1 or 2

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
    n: int = 2000, noise: float = 0.0, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make POL, parallel oblique lines (OC1-94, section 4.3.1 and Figure 9; reconstructed).

    Two features, uniform in [0, 1]; four parallel lines at 45 degrees divide the square into five strips of
    classes 1, 2, 1, 2, 1 from the lower left. Reconstructed: the paper does not give the lines, and the
    distances used here were fitted to the points of its Figure 9, good to a few hundredths.

    Parameters
    ----------
    n : number of rows (OC1-94: 2000)
    noise : share of the labels that is replaced by another class (OC1-94: none)
    random_state : seed or generator, as in scikit-learn

    Returns
    -------
    X : array (n x 2)
    y : array of n classes, 1 or 2

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
    n: int = 2000, noise: float = 0.0, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make RCB, the rotated checker board (OC1-94, section 4.3.1 and Figure 9; reconstructed).

    Two features, uniform in [0, 1]; three parallel lines at 45 degrees and one across them divide the square
    into eight cells, each a class. The correct root, the middle line, separates no class by itself.
    Reconstructed: the paper does not give the lines, and the distances used here were fitted to the points of
    its Figure 9, good to a few hundredths.

    Parameters
    ----------
    n : number of rows (OC1-94: 2000)
    noise : share of the labels that is replaced by another class (OC1-94: none)
    random_state : seed or generator, as in scikit-learn

    Returns
    -------
    X : array (n x 2)
    y : array of n classes, 1 to 8

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
    """Return the distances from the centre of the square: to the upper right, and to the upper left."""
    x, y = X[:, 0] - 0.5, X[:, 1] - 0.5
    return (x + y) / sqrt(2), (y - x) / sqrt(2)


def points(n: int, d: int, noise: float, random_state: Any) -> tuple[NDArray[np.float64], np.random.RandomState]:
    """Check the parameters of a generator; return points in the unit cube, and where further chance comes from."""
    check_values({"n": n, "noise": noise}, {"n": integer(1), "noise": real(0.0, 1.0)})
    random: np.random.RandomState = check_random_state(random_state)
    return random.uniform(size=(n, d)), random


def with_noise(
    y: NDArray[np.integer[Any]], n_classes: int, noise: float, random: np.random.RandomState
) -> NDArray[np.int64]:
    """Replace a share of the labels by another class, each other class being equally likely."""
    noisy = y.astype(np.int64)
    rows = random.permutation(y.size)[: round(noise * y.size)]
    step = random.randint(1, n_classes, size=rows.size)
    noisy[rows] = (noisy[rows] - 1 + step) % n_classes + 1
    return noisy


def make_apdt1_standin(
    n: int = 1000, noise: float = 0.0, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make a stand-in for Problem 1 of APDT: one rectangle (Shah & Sastry 1999, section III-A; not their data).

    Class 1 where ``0.3 < x1 < 0.8 and x2 > 0.4``, else class 0. Three axis-parallel tests in a chain solve it, as
    the paper's tables show of theirs.

    Parameters
    ----------
    n : number of rows (paper: 1000 to train, 500 to test)
    noise : share of the labels that is replaced by the other class (paper: none)
    random_state : seed or generator, as in scikit-learn

    Returns
    -------
    X : array (n x 2)
    y : array of n classes, 0 or 1

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
    n: int = 1000, noise: float = 0.0, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make a stand-in for Problem 2 of APDT: two convex regions (Shah & Sastry 1999, section III-A; not their data).

    Class 1 where ``x2 - x1 > 0.2 and x1 + x2 > 0.9`` or ``x1 - x2 > 0.1 and x1 + x2 < 1.1 and x2 > 0.1``, else
    class 0: five lines and two regions, as the paper's tables show of theirs.

    Parameters
    ----------
    n : number of rows (paper: 1000 to train, 500 to test)
    noise : share of the labels that is replaced by the other class (paper: none in section III, 15% in section IV)
    random_state : seed or generator, as in scikit-learn

    Returns
    -------
    X : array (n x 2)
    y : array of n classes, 0 or 1

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
    n: int = 1000, noise: float = 0.0, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make a stand-in for Problem 3 of APDT: a curved boundary (Shah & Sastry 1999, section III-A; not their data).

    Class 1 where ``x2 > 0.5 + 0.3 sin(2 pi x1)``, else class 0.

    Parameters
    ----------
    n : number of rows (paper: 1000 to train, 500 to test)
    noise : share of the labels that is replaced by the other class (paper: none)
    random_state : seed or generator, as in scikit-learn

    Returns
    -------
    X : array (n x 2)
    y : array of n classes, 0 or 1

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
