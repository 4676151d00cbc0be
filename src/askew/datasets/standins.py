"""Stand-ins for problems 1 to 3 of Shah & Sastry (1999), whose figure with the class regions is lost.

They keep what the paper says of its problems: two features, uniform in the unit square, two classes, no noise; the
first two with straight boundaries, the third with a curved one. Where the boundaries run is ours. Figures on them are
therefore no reproduction of the paper's Tables II, III, VI and VII, and every report must say so. Classes are 0 and 1,
as in the paper.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew.datasets.synthetic import points, with_noise


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
