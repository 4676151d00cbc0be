"""APDT: planes whose two sides are as linearly separable as can be, found by Alopex."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node, child_seed
from askew.model.split import Hyperplane, Split
from askew.parameters import InvalidParameterError, Strategy, boolean, documented, integer, none, one_of, param, real
from askew.search.axis import best_axis_cut
from askew.search.oblique import denormalised
from askew.search.patterns import Patterns, Units, patterns_of, units_of
from askew.search.separability import LinearProgramme


@dataclass(kw_only=True, eq=False, repr=False)
class AlopexParameters:
    """The parameters of `Alopex`, and of the estimators that search with it.

    Parameters
    ----------
    n_restarts : int, default=1
        Walks of Alopex at a node, from starting planes of their own; the best counts (the paper: one).
    n_iterations : int, default=500
        Planes that Alopex visits after the first (section III: 500).
    step : float, default=0.5
        Delta: how far each coefficient moves (section III: 0.05 on the unit square, 0.5 on iris, 0.1 on wine). The
        first plane's coefficients are the difference of two rows.
    final_step : float or None, default=None
        How far it moves at last; in between the step shrinks by equal ratios. None: the step stays as it is, as in the
        paper's runs, though section II-B says that smaller steps towards the end help.
    window : int, default=10
        N: iterations over which the temperature is averaged (section III: 10).
    temperature : float, default=1000.0
        T(0), of the first `window` iterations (section III: 1000).
    separability : "perceptron" or "lp", default="perceptron"
        How rows that are not separable are counted: "perceptron" (section II) or "lp", exactly, by linear programming:
        slower by far.
    perceptron_iterations : int or None, default=None
        Of the perceptron on each side; None is max(300, rows of the node) (section III).
    iteration : "correction" or "pass", default="correction"
        What counts as one: a "correction" of the perceptron's plane, or a "pass" over all rows. The text calls the look
        at one row an iteration, of which so few would decide nothing: see docs/decisions.
    rho : float, default=0.6
        Rows that correct the plane at least this share of the most are not separable (section II: 0.6).
    M : float, default=4.0
        Keeps any split with a separable side ahead of those without one (section II-A: 4).
    normalize : "minmax", "max" or None, default="minmax"
        Scale on which Alopex steps, the same at every node: "minmax" ([-1, 1]), "max" (section III-B: divided by the
        largest value) or None, the data as they are. The perceptron has a scale of its own, on which its plane needs
        fewer corrections: each side at mean 0 and deviation 1.
    centre : bool, default=True
        Put the plane found half-way between the nearest rows of its two sides. Not in the paper.
    """

    n_restarts: int = param(1, integer(1))
    n_iterations: int = param(500, integer(1))
    step: float = param(0.5, real(0.0, open_low=True))
    final_step: float | None = param(None, real(0.0, open_low=True) | none)
    window: int = param(10, integer(1))
    temperature: float = param(1000.0, real(0.0))
    separability: str = param("perceptron", one_of("perceptron", "lp"))
    perceptron_iterations: int | None = param(None, integer(1) | none)
    iteration: str = param("correction", one_of("correction", "pass"))
    rho: float = param(0.6, real(0.0, 1.0, open_low=True))
    M: float = param(4.0, real(1.0))
    normalize: str | None = param("minmax", one_of("minmax", "max") | none)
    centre: bool = param(True, boolean)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class Alopex(AlopexParameters, Strategy):
    """The search of APDT.

    A split is judged by how linearly separable its sides are, not by how pure: a separable side is finished by one
    more plane. Where the node itself is separable, the plane that separates it is the split, and no search is made;
    so a side that was found separable gets its plane at once (the look-ahead of section II-C).

    Notes
    -----
    Where a side has several classes, it is the predominant one of that side that is to be separable from the others
    (section V). Equal rows are one pattern, which the perceptron sees once a pass, and which counts with the weight of
    them all; the order of the patterns comes from a hash of the row. So weights are repetitions, and the order of the
    rows does not matter. A split that the limits forbid is as bad as one of inseparable sides, and never taken. Where
    no plane is found that they allow, or the numbers are too small to be scaled, the best axis-parallel split is.

    References
    ----------
    Shah, Sastry: New Algorithms for Learning and Pruning Oblique Decision Trees. IEEE Transactions on Systems, Man,
    and Cybernetics, Part C 29 (1999), sections II and III.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.alopex import Alopex
    >>> X, y = load_iris(return_X_y=True)
    >>> ObliqueTreeClassifier(search=Alopex(), random_state=0).fit(X, y).score(X, y)
    1.0
    """

    classification_only: ClassVar[bool] = True

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the plane that separates the rows if there is one, else the best that Alopex finds."""
        if not node.table.classification:
            raise InvalidParameterError("APDT supports classification only.")
        units = units_of(node.table, self.normalize)
        patterns = patterns_of(node, units)
        plane = self._separator(node, patterns) if units.features.size > 0 else None
        if units.features.size > 0 and (plane is None or not self._allowed(node, patterns, plane)):
            plane = self._walk(node, patterns, seed)
        split = None if plane is None else _placed(node, units, patterns, plane, self.centre)
        if split is not None:
            return split
        axis = best_axis_cut(node, criterion)
        return None if axis is None else axis.split

    def _perceptron(self, n_patterns: int) -> _core.PerceptronRules:
        """Return the rules of the perceptron for so many patterns."""
        given = self.perceptron_iterations
        iterations = max(300, n_patterns) if given is None else given
        return _core.PerceptronRules(iterations=iterations, passes=self.iteration == "pass", rho=self.rho)

    def _separator(self, node: Node, patterns: Patterns) -> NDArray[np.float64] | None:
        """Return the plane that separates the predominant class from the rest; None if none is found."""
        node.n_evaluated += 1
        # As many iterations as at any node above: what was found separable there is found separable here.
        rules = self._perceptron(node.table.n_distinct)
        count, plane, _ = _core.perceptron(patterns.X, patterns.label, patterns.weight, patterns.n_classes, rules)
        if count > 0 and self.separability == "lp":
            return LinearProgramme(patterns, rules).separator()
        return plane if count == 0 else None

    def _allowed(self, node: Node, patterns: Patterns, plane: NDArray[np.float64]) -> bool:
        """Whether the sides of a plane have the samples and the weight that the limits ask for."""
        upper = _values(patterns.X, plane[:-1], plane[-1]) > 0
        return all(
            patterns.samples[side].sum() >= max(1.0, node.min_samples_leaf)
            and patterns.weight[side].sum() >= node.min_weight_leaf
            for side in (upper, ~upper)
        )

    def _walk(self, node: Node, patterns: Patterns, seed: int) -> NDArray[np.float64] | None:
        perceptron = self._perceptron(patterns.label.size)
        rules = _core.AlopexRules(
            n_iterations=self.n_iterations,
            window=self.window,
            step=self.step,
            final_step=self.step if self.final_step is None else self.final_step,
            temperature=self.temperature,
            M=self.M,
        )
        counter = LinearProgramme(patterns, perceptron) if self.separability == "lp" else None
        best, least = None, np.inf
        for number in range(self.n_restarts):
            plane, score, trace = _core.alopex(
                patterns.X,
                patterns.label,
                patterns.weight,
                patterns.samples,
                patterns.n_classes,
                rules,
                perceptron=perceptron,
                min_samples_leaf=node.min_samples_leaf,
                min_weight_leaf=node.min_weight_leaf,
                seed=child_seed(seed, number),
                counter=counter,
            )
            node.n_evaluated += trace.size
            if score < least:
                best, least = plane, score
            if least == 0:
                break
        return best


def _placed(
    node: Node, units: Units, patterns: Patterns, plane: NDArray[np.float64], centre: bool
) -> Hyperplane | None:
    """Return the plane in the units of the data; its lower side is child 0.

    The threshold is put half-way between the sides if `centre` asks for it, or if rounding would move a row across.
    """
    split = denormalised(-plane, units.features, units.shift, units.scale)
    if split is None:
        return None
    upper = _values(patterns.X, plane[:-1], plane[-1]) > 0
    with np.errstate(over="ignore", invalid="ignore"):
        value = _values(node.table.X[patterns.rows][:, split.features], split.weights, 0.0)
        low = float(value[~upper].max(initial=-np.inf))
        high = float(value[upper].min(initial=np.inf))
    between = low / 2 + high / 2
    if low <= between < high and (centre or not low <= split.threshold < high):
        return Hyperplane(split.features, split.weights, between)
    return split


def _values(X: NDArray[np.float64], weights: NDArray[np.float64], constant: float) -> NDArray[np.float64]:
    """Return ``X @ weights + constant``, summed as the kernel and the tree's walker sum it."""
    values = np.full(X.shape[0], constant)
    for column, weight in zip(X.T, weights, strict=True):
        values += weight * column
    return values
