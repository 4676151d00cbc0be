"""OC1: coordinate-wise hill climbing on the coefficients of a hyperplane, with random jumps and restarts."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Split
from askew.parameters import Strategy, boolean, documented, features_drawn, integer, none, one_of, param, real, share
from askew.search.axis import best_axis_cut
from askew.search.oblique import ScoredPlane, scaling, scored_plane, starting_plane


@dataclass(kw_only=True, eq=False, repr=False)
class OC1Parameters:
    """The parameters of `OC1`, and of the estimators that search with it.

    Parameters
    ----------
    n_restarts : int, default=20
        Number of starting hyperplanes at a node; the first is the best axis-parallel split (OC1-94, section 4.1: 20).
    n_jumps : int, default=5
        Random directions tried at a local minimum (OC1-94, section 3.2: 5).
    order : "sequential", "best" or "random", default="sequential"
        Order in which coefficients are perturbed: "sequential" (OC1-94's choice), "best" (the coefficient that improves
        the score most) or "random" (R-50).
    n_random_moves : int, default=50
        Number of perturbations in random order (50).
    stagnation : "counter" or "exponential", default="counter"
        How often a perturbation that does not change the score is accepted: "counter" (OC1-94: `max_stagnant` times in
        a row) or "exponential" (OC1-93: with probability exp(-number of such perturbations)).
    max_stagnant : int, default=10
        Largest number of consecutive perturbations that do not change the score, with ``stagnation="counter"`` (10).
    oblique_min_samples : int or "2d", default="2d"
        Nodes with fewer samples have an axis-parallel split; "2d" is twice the number of features (OC1-94, footnote 4).
    axis_bias : float, default=1.0
        An oblique split is taken if its score times this factor is below that of the axis-parallel split (1.0).
    perturb_bias : bool, default=False
        Whether the constant is perturbed like a coefficient (OC1-93; not in OC1-94).
    oblique : bool, default=True
        False for axis-parallel splits only: OC1-AP.
    normalize : "minmax", "standard", "robust" or None, default="standard"
        Scale on which the hill climbing runs, undone exactly: "standard" (mean 0, deviation 1 at the node; a column of
        two values has 0 for the more frequent one and a distance of 1), "minmax" (the unit cube, as the papers'
        synthetic data), "robust" (median and quartiles) or None, the original units. Changing one coefficient rotates
        the hyperplane about an axis through the origin, so the origin matters: see docs/decisions.
    max_features : int, float, "sqrt", "log2" or None, default=None
        Features that an oblique split may use, drawn at random at each node: a number, a share of all, the root or the
        logarithm of their number (rounded down); None: all.
    max_loss : float or None, default=None
        Drop features from the hyperplane, weakest first, while the score rises by no more than this share of the
        improvement over the axis-parallel split (None: drop none).
    centre : bool, default=True
        Centre the hyperplane between the nearest rows of its two sides; no row changes its side. Not in the papers.
    """

    n_restarts: int = param(20, integer(1))
    n_jumps: int = param(5, integer(0))
    order: str = param("sequential", one_of("sequential", "best", "random"))
    n_random_moves: int = param(50, integer(1))
    stagnation: str = param("counter", one_of("counter", "exponential"))
    max_stagnant: int = param(10, integer(0))
    oblique_min_samples: int | str = param("2d", integer(1) | one_of("2d"))
    axis_bias: float = param(1.0, real(0.0))
    perturb_bias: bool = param(False, boolean)
    oblique: bool = param(True, boolean)
    normalize: str | None = param("standard", one_of("minmax", "standard", "robust") | none)
    max_features: int | float | str | None = param(None, integer(1) | share() | one_of("sqrt", "log2") | none)
    max_loss: float | None = param(None, real(0.0) | none)
    centre: bool = param(True, boolean)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class OC1(OC1Parameters, Strategy):
    """The search of OC1.

    Hill climbing: each coefficient in turn is set to its best value, a one-dimensional problem that is solved exactly.
    At a local minimum the hyperplane jumps in a random direction, by the best step. The climb starts from the best
    axis-parallel split and restarts from random hyperplanes.

    References
    ----------
    Murthy, Kasif, Salzberg: A System for Induction of Oblique Decision Trees. JAIR 2 (1994), section 3.
    Murthy, Kasif, Salzberg, Beigel: OC1: Randomized Induction of Oblique Decision Trees. AAAI-93.

    Examples
    --------
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.datasets import make_pol
    >>> from askew.search.oc1 import OC1
    >>> X, y = make_pol(random_state=0)
    >>> ObliqueTreeClassifier(search=OC1(n_jumps=20), criterion="twoing", random_state=0).fit(X, y).get_n_leaves()
    5
    """

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the better of the best axis-parallel split and the best oblique one."""
        axis = best_axis_cut(node, criterion)
        score = inf if axis is None else axis.score
        plane = None
        if self.oblique and score > 0 and node.n_samples >= self._min_samples(node.table):
            features = self._features(node.table.n_features, 0 if axis is None else axis.feature, seed)
            plane = self._climb(node, criterion, features, starting_plane(features, axis), score, seed)
        if plane is not None and plane.score * self.axis_bias < score:
            return plane.split
        return None if axis is None else axis.split

    def _min_samples(self, table: Table) -> int:
        if isinstance(self.oblique_min_samples, str):
            return 2 * (table.n_input_features or table.n_features)
        return self.oblique_min_samples

    def _features(self, n_features: int, first: int, seed: int) -> NDArray[np.int64]:
        """Return the features of the hyperplane, ascending: all, or a random sample that includes `first`."""
        n_drawn = features_drawn(self.max_features, n_features, floor)
        if n_drawn >= n_features:
            return np.arange(n_features)
        others = np.delete(np.arange(n_features), first)
        drawn = np.random.default_rng(seed).choice(others, n_drawn - 1, replace=False)
        return np.sort(np.append(drawn, first))

    def _climb(
        self,
        node: Node,
        criterion: Criterion,
        features: NDArray[np.int64],
        start: NDArray[np.float64],
        score: float,
        seed: int,
    ) -> ScoredPlane | None:
        """Climb from `start`, a hyperplane over these features with this score, and from random hyperplanes."""
        rules = _core.ClimbRules(
            scaling=scaling(self.normalize),
            n_restarts=self.n_restarts,
            order=_core.Order[self.order],
            n_random_moves=self.n_random_moves,
            n_jumps=self.n_jumps,
            exponential=self.stagnation == "exponential",
            max_stagnant=self.max_stagnant,
            perturb_bias=self.perturb_bias,
            max_loss=-1.0 if self.max_loss is None else self.max_loss,
            centre=self.centre,
        )
        best = _core.oc1(
            criterion.kernel,
            node.kernel,
            rules,
            features=features,
            start=start,
            axis_score=score,
            seed=seed,
            progress=node.progress,
        )
        return scored_plane(node, features, best)
