"""CART-ELC: the best of all hyperplanes through r samples in r features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb, inf
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Hyperplane, Split
from askew.parameters import Strategy, documented, integer, none, one_of, param, real
from askew.search.oblique import scored_plane

# Time for one sample in one sweep, or in one plane with a tolerance: the estimate of the cost is based on it.
SECONDS_PER_VISIT = 2e-8
LONG = 60.0
# The exact arithmetic of hyperplanes through r samples keeps 2^r determinants.
MAX_R = 12


@dataclass(kw_only=True, eq=False, repr=False)
class ExhaustiveParameters:
    """The parameters of `Exhaustive`, and of the estimators that search with it.

    Parameters
    ----------
    r : int, default=2
        Number of samples that a hyperplane passes through, and of features that it tests; at most the number of
        features, and at most 12 (ELC, section 2.1).
    orientation : "canonical" or "both", default="canonical"
        Side of the samples on the hyperplane: "canonical", above it, with the first coefficient positive (ELC, section
        2.1, does not specify it), or "both", the better of the two.
    degenerate : "skip" or "eigen", default="skip"
        Treatment of two samples that coincide, at r = 2: "skip" them, or "eigen", the hyperplane ``x_f = p_f`` that
        the authors' linear algebra returns for them.
    threshold : "sample" or "midpoint", default="sample"
        "sample", the hyperplane through the samples (ELC), or "midpoint", moved half-way to the nearest sample on the
        other side.
    side_tol : float or None, default=None
        Samples within this distance of the hyperplane, in units of the data, count as on it. Every hyperplane is then
        evaluated on every sample, and neither max_candidates nor time_limit has an effect. The authors' program uses
        1e-3; None decides the side exactly.
    max_candidates : int or None, default=None
        Approximate number of random candidates to evaluate; None evaluates all.
    time_limit : float or None, default=None
        Seconds for a node; candidates are evaluated in a random order, and the best one so far is returned.
    ties : "values" or "rows", default="values"
        Order of the samples, which decides between equal scores: "values", ascending, so that the order of the rows
        does not matter, or "rows", as in the training data.
    """

    r: int = param(2, integer(1))
    orientation: str = param("canonical", one_of("canonical", "both"))
    degenerate: str = param("skip", one_of("skip", "eigen"))
    threshold: str = param("sample", one_of("sample", "midpoint"))
    side_tol: float | None = param(None, real(0.0) | none)
    max_candidates: int | None = param(None, integer(1, 2**63 - 1) | none)
    time_limit: float | None = param(None, real(0.0, open_low=True) | none)
    ties: str = param("values", one_of("values", "rows"))


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class Exhaustive(ExhaustiveParameters, Strategy):
    """The search of CART-ELC.

    Every hyperplane through r samples in r features (the other coefficients are zero) is a candidate. One rotational
    sweep scores all hyperplanes through the same r-1 samples: n^r log n steps instead of n^(r+1). The result equals
    that of evaluating each candidate: sides are decided exactly (numbers with few decimals are taken as decimal
    fractions), and ties go to the first samples, then to the first features. Columns that are constant at a node are
    ignored; if no hyperplane through r samples divides the rows, r-1 are tried. NaN is below every hyperplane that
    tests it, and a row with a missing feature defines no hyperplane in it (ELC, section 3.2.5).

    References
    ----------
    Laack: CART-ELC: Oblique Decision Tree Induction via Exhaustive Search (2025), section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.exhaustive import Exhaustive
    >>> X, y = load_iris(return_X_y=True)
    >>> ObliqueTreeClassifier(search=Exhaustive(r=2), max_depth=3).fit(X, y).get_n_leaves()
    4
    """

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the best hyperplane through r samples; through fewer if there is none."""
        missing = np.isnan(node.X).any(axis=0)
        varied = np.fmax.reduce(node.X) > np.fmin.reduce(node.X)
        features = np.flatnonzero(varied | missing).astype(np.int64)
        for r in range(min(self.r, MAX_R, features.size), 0, -1):
            best = self._search(node, criterion, features, r, seed)
            split = _split(node, features, best, keep_zeros=bool(missing.any()))
            if split is not None:
                return split
        return None

    def _search(
        self, node: Node, criterion: Criterion, features: NDArray[np.int64], r: int, seed: int
    ) -> _core.ElcPlane | None:
        rules = _core.ExhaustiveRules(
            r=r,
            both=self.orientation == "both",
            eigen=self.degenerate == "eigen",
            half_way=self.threshold == "midpoint",
            side_tol=self.side_tol,
        )
        rows = node.local
        if self.ties == "values":
            rows = replace(rows, rows=node.rows[np.lexsort(node.X.T[::-1])])
        n = node.rows.size
        units = self._units(n, features.size, r)
        _warn_of_cost(n, features.size, r, units, node.threads, self.time_limit, one_by_one=self.side_tol is not None)
        return _core.exhaustive(
            criterion.kernel,
            rows.kernel,
            rules,
            features=features,
            units=units,
            seconds=inf if self.time_limit is None else self.time_limit,
            seed=seed,
            progress=node.progress,
        )

    def _units(self, n: int, d: int, r: int) -> int:
        """Return the number of random sweeps (each fixes r-1 samples and r features); 0 for all, in order."""
        n_sweeps = total = comb(n, r - 1) * comb(d, r)
        if self.max_candidates is not None:
            n_sweeps = max(1, self.max_candidates // max(1, n - r + 1))
        elif self.time_limit is None:
            return 0
        return 0 if n_sweeps >= total and self.time_limit is None else min(n_sweeps, 2**62)


def _split(node: Node, features: NDArray[np.int64], best: _core.ElcPlane | None, *, keep_zeros: bool) -> Split | None:
    plane = scored_plane(node, features, best)
    if plane is None or best is None or not keep_zeros:
        return None if plane is None else plane.split
    # A row in which a feature of weight zero is missing is below the hyperplane, too: 0 times NaN is NaN.
    return Hyperplane(features[best.features], best.weights[best.features], best.threshold)


def _warn_of_cost(n: int, d: int, r: int, units: int, threads: int, limit: float | None, *, one_by_one: bool) -> None:
    """Warn before a search without a limit that takes more than a minute."""
    if limit is not None and not one_by_one:
        return
    sweeps = comb(n, r) * comb(d, r) if one_by_one else units or comb(n, r - 1) * comb(d, r)
    seconds = min(sweeps, 10**300) * n * SECONDS_PER_VISIT / (1 if one_by_one else threads)
    if seconds > LONG:
        warn(
            f"The exact search over planes through {r} of {n} samples in {r} of {d} features takes about "
            f"{_duration(seconds)}. Set max_candidates or time_limit to search a random part of them.",
            UserWarning,
            stacklevel=2,
        )


def _duration(seconds: float) -> str:
    for size, name in ((86400 * 365, "years"), (86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {name}"
    return f"{seconds:.0f} seconds"
