"""APDT: hyperplanes whose two sides are as linearly separable as possible, found by the Alopex algorithm."""

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
from askew.search.separability import LinearProgramme, Patterns, Units, patterns_of, units_of


@dataclass(kw_only=True, eq=False, repr=False)
class AlopexParameters:
    """The parameters of `Alopex`, and of the estimators that search with it.

    Parameters
    ----------
    n_restarts : int, default=1
        Runs of Alopex at a node, each from another starting hyperplane; the best result is taken (the paper: one run).
    n_iterations : int, default=500
        Iterations of Alopex: hyperplanes visited after the first (section III: 500).
    step : float, default=0.5
        Delta, the step size of each coefficient (section III: 0.05 on the unit square, 0.5 on iris, 0.1 on wine). The
        coefficients of the first hyperplane are the difference of two rows.
    final_step : float or None, default=None
        Step size of the last iteration; in between the step shrinks by equal ratios. None: the step is constant, as in
        the paper's experiments, though section II-B says that smaller steps towards the end help.
    window : int, default=10
        N: iterations over which the temperature is averaged (section III: 10).
    temperature : float, default=1000.0
        T(0), of the first `window` iterations (section III: 1000).
    separability : "perceptron" or "lp", default="perceptron"
        How rows that are not separable are counted: by a "perceptron" (section II), or exactly by linear programming,
        "lp", which is much slower.
    perceptron_iterations : int or None, default=None
        Iterations of the perceptron on each side; None is max(300, rows of the node) (section III).
    iteration : "correction" or "pass", default="correction"
        What counts as one iteration of the perceptron: a "correction" of its weights, or a "pass" over all rows. In
        the paper's text it is the presentation of one row; 300 of these cannot detect separability: see docs/decisions.
    rho : float, default=0.6
        A row is not separable if the number of its corrections is at least this share of the largest number of
        corrections of any row (section II: 0.6).
    M : float, default=4.0
        Factor that ranks a split with a separable side before all splits without one (section II-A: 4).
    normalize : "minmax", "max" or None, default="minmax"
        Scale on which Alopex runs, the same at every node: "minmax" ([-1, 1]), "max" (section III-B: divided by the
        largest value) or None, the original units. The perceptron standardises each side (mean 0, deviation 1), because
        it then needs fewer corrections.
    centre : bool, default=True
        Move the hyperplane to the midpoint between the nearest rows of its two sides. Not in the paper.
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

    A split is scored by the linear separability of its sides, not by their purity: one more hyperplane completes a
    separable side. If the node itself is linearly separable, the separating hyperplane is the split, without a search;
    so a separable side gets its hyperplane at once (the look-ahead of section II-C).

    Notes
    -----
    With more than two classes, separability means that the predominant class of a side is separable from the others
    (section V). Equal rows are one pattern, which the perceptron sees once in each pass and which has their total
    weight; the patterns are ordered by a hash of the row. So weights are repetitions, and the order of the rows does
    not matter. A split that the limits forbid scores like one with inseparable sides, and is never chosen. If no
    admissible hyperplane is found, or the values are too small to be scaled, the best axis-parallel split is taken.

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
        """Return the separating hyperplane if there is one, else the best that Alopex finds."""
        if not node.table.classification:
            raise InvalidParameterError("APDT supports classification only.")
        units = units_of(node.table, self.normalize)
        patterns = patterns_of(node, units)
        plane = self._separator(node, patterns) if units.features.size > 0 else None
        if units.features.size > 0 and (plane is None or not self._allowed(node, patterns, plane)):
            plane = self._walk(node, patterns, seed)
        split = None if plane is None else _as_split(node, units, patterns, plane, self.centre)
        if split is not None:
            return split
        axis = best_axis_cut(node, criterion)
        return None if axis is None else axis.split

    def _perceptron(self, n_patterns: int) -> _core.PerceptronRules:
        """Return the stopping rules of the perceptron on `n_patterns` patterns."""
        iterations = self.perceptron_iterations
        if iterations is None:
            iterations = max(300, n_patterns)
        return _core.PerceptronRules(iterations=iterations, passes=self.iteration == "pass", rho=self.rho)

    def _separator(self, node: Node, patterns: Patterns) -> NDArray[np.float64] | None:
        """Return the hyperplane that separates the predominant class from the rest; None if none is found."""
        node.n_evaluated += 1
        # As many iterations as at any ancestor: rows that were found separable there are found separable here.
        rules = self._perceptron(node.table.n_distinct)
        count, plane, _ = _core.perceptron(patterns.X, patterns.label, patterns.weight, patterns.n_classes, rules)
        if count > 0 and self.separability == "lp":
            return LinearProgramme(patterns, rules).separator()
        return plane if count == 0 else None

    def _allowed(self, node: Node, patterns: Patterns, plane: NDArray[np.float64]) -> bool:
        """Whether both sides of a hyperplane have the samples and the weight that the limits require."""
        upper = _values(patterns.X, plane[:-1], plane[-1]) > 0
        return all(
            patterns.samples[side].sum() >= max(1.0, node.min_samples_leaf)
            and patterns.weight[side].sum() >= node.min_weight_leaf
            for side in (upper, ~upper)
        )

    def _walk(self, node: Node, patterns: Patterns, seed: int) -> NDArray[np.float64] | None:
        """Run Alopex `n_restarts` times; return the best hyperplane, None if the limits allow none."""
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
        best, best_score = None, np.inf
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
            if score < best_score:
                best, best_score = plane, score
            if best_score == 0:
                break
        return best


def _as_split(
    node: Node, units: Units, patterns: Patterns, plane: NDArray[np.float64], centre: bool
) -> Hyperplane | None:
    """Return the hyperplane in the units of the data; its lower side is child 0.

    The threshold is the midpoint between the two sides if `centre` is true, or if rounding would move a row across.
    """
    split = denormalised(-plane, units.features, units.shift, units.scale)
    if split is None:
        return None
    upper = _values(patterns.X, plane[:-1], plane[-1]) > 0
    with np.errstate(over="ignore", invalid="ignore"):
        value = _values(node.table.X[patterns.rows][:, split.features], split.weights, 0.0)
        low = float(value[~upper].max(initial=-np.inf))
        high = float(value[upper].min(initial=np.inf))
    midpoint = low / 2 + high / 2
    if low <= midpoint < high and (centre or not low <= split.threshold < high):
        return Hyperplane(split.features, split.weights, midpoint)
    return split


def _values(X: NDArray[np.float64], weights: NDArray[np.float64], constant: float) -> NDArray[np.float64]:
    """Return ``X @ weights + constant``, summed in the order of the kernels and of `Tree.apply`."""
    values = np.full(X.shape[0], constant)
    for column, weight in zip(X.T, weights, strict=True):
        values += weight * column
    return values
