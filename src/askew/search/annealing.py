"""SADT: simulated annealing of the coefficients of a hyperplane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Split
from askew.parameters import Strategy, boolean, documented, integer, none, one_of, param, real
from askew.search.axis import best_axis_cut
from askew.search.oblique import ScoredPlane, scaling, scored_plane


@dataclass(kw_only=True, eq=False, repr=False)
class AnnealingParameters:
    """The parameters of `Annealing`, and of the estimators that search with it.

    Parameters
    ----------
    perturb : "one" or "all", default="one"
        Coefficients that a perturbation changes: "one" at random, or "all" (OC1-94, section 2, says all).
    step : float, default=0.5
        A coefficient changes by a number drawn uniformly from [-step, step) (0.5).
    temperature : float or None, default=None
        Initial temperature. None accepts about half of the moves that raise the score by the mean change of a random
        move (ours).
    n_probes : int, default=100
        Random moves over which this mean is taken, between hyperplanes that divide the rows (ours).
    cooling : float, default=0.999
        Factor by which the temperature falls at each perturbation (ours).
    max_unproductive : int, default=10000
        Perturbations without an improvement after which the search ends (OC1-94, section 4.3: 10,000).
    normalize : "minmax", "standard", "robust" or None, default="minmax"
        Scale on which the search runs, undone exactly: "minmax" (the unit cube, in which the initial hyperplane cuts
        every axis at 1), "standard", "robust" or None.
    centre : bool, default=True
        Centre the hyperplane between the nearest rows of its two sides; no row changes its side. Not in the papers.
    univariate : bool, default=True
        Take the best univariate split if it is better than the hyperplane. Not in the papers.
    """

    perturb: str = param("one", one_of("one", "all"))
    step: float = param(0.5, real(0.0, open_low=True))
    temperature: float | None = param(None, real(0.0) | none)
    n_probes: int = param(100, integer(1))
    cooling: float = param(0.999, real(0.0, 1.0, open_low=True))
    max_unproductive: int = param(10_000, integer(1))
    normalize: str | None = param("minmax", one_of("minmax", "standard", "robust") | none)
    centre: bool = param(True, boolean)
    univariate: bool = param(True, boolean)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class Annealing(AnnealingParameters, Strategy):
    """The search of SADT.

    Starting from the hyperplane that cuts every axis at 1, coefficients are perturbed at random. A move that does not
    raise the score is accepted; one that raises it by e is accepted with probability exp(-e / temperature), and the
    temperature falls. The split is the best hyperplane visited. "Ours" marks what the papers do not specify.

    References
    ----------
    Heath, Kasif, Salzberg: Learning oblique decision trees. IJCAI-93.
    Murthy, Kasif, Salzberg: A System for Induction of Oblique Decision Trees. JAIR 2 (1994), sections 2 and 4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.annealing import Annealing
    >>> X, y = load_iris(return_X_y=True)
    >>> ObliqueTreeClassifier(search=Annealing(), criterion="entropy", random_state=0).fit(X, y).score(X, y)
    1.0
    """

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the best hyperplane visited, or the best univariate split if that is better."""
        cut = best_axis_cut(node, criterion) if self.univariate else None
        if cut is not None and cut.score <= 0:
            return cut.split
        plane = self._anneal(node, criterion, seed)
        if cut is not None and (plane is None or cut.score < plane.score):
            return cut.split
        return None if plane is None else plane.split

    def _anneal(self, node: Node, criterion: Criterion, seed: int) -> ScoredPlane | None:
        features = np.arange(node.table.n_features)
        rules = _core.AnnealRules(
            scaling=scaling(self.normalize),
            all=self.perturb == "all",
            step=self.step,
            temperature=-1.0 if self.temperature is None else self.temperature,
            n_probes=self.n_probes,
            cooling=self.cooling,
            max_unproductive=self.max_unproductive,
            centre=self.centre,
        )
        best = _core.anneal(criterion.kernel, node.kernel, rules, features=features, seed=seed)
        return scored_plane(node, features, best)
