"""LMDT: a linear machine at each node, trained by thermal error correction, with elimination of features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node, child_seed
from askew.model.split import LinearMachine, Split
from askew.parameters import InvalidParameterError, Strategy, boolean, documented, integer, one_of, param, real
from askew.search.axis import best_axis_cut


@dataclass(kw_only=True, eq=False, repr=False)
class ThermalMachineParameters:
    """The parameters of `ThermalMachine`, and of the estimators that search with it.

    Parameters
    ----------
    beta : float, default=2.0
        At first (2).
    beta_factor : float, default=0.999
        Beta becomes beta_factor * beta - beta_decrement when a correction shrinks the weights after one that made them
        grow (0.999).
    beta_decrement : float, default=0.0005
        The same (0.0005).
    least_beta : float, default=0.001
        Training ends below it (0.001).
    epsilon : float, default=0.1
        What a correction is more than just enough (0.1; ours).
    correction : "squared" or "simple", default="squared"
        Size of a correction for a row that needs k: "squared" is beta^2 / (beta + k), which vanishes with beta;
        "simple" is beta / (beta + k).
    eliminate : bool, default=True
        Drop features that are not needed.
    max_passes : int, default=1000
        Passes over the rows in one training, at most (ours: beta may fall slowly on rows that are separated by a hair).
    univariate : bool, default=True
        Take the best univariate split where the machine sends all rows one way, or has children smaller than the limits
        allow. False makes a leaf there, as LMDT does.
    """

    beta: float = param(2.0, real(0.0, open_low=True))
    beta_factor: float = param(0.999, real(0.0, 1.0, open_low=True))
    beta_decrement: float = param(0.0005, real(0.0))
    least_beta: float = param(0.001, real(0.0, open_low=True))
    epsilon: float = param(0.1, real(0.0, open_low=True))
    correction: str = param("squared", one_of("squared", "simple"))
    eliminate: bool = param(True, boolean)
    max_passes: int = param(1000, integer(1))
    univariate: bool = param(True, boolean)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ThermalMachine(ThermalMachineParameters, Strategy):
    """The search of LMDT.

    A linear machine has a weight vector for each class at the node; the largest sum decides, so that a node has a
    branch for each class. A row that is classified wrongly corrects the two weight vectors concerned, unless it is
    wrong by more than beta, which falls as training goes on ("thermal" training). Then features whose weights differ
    least between the classes are dropped, one at a time, as long as training accuracy does not fall.

    Notes
    -----
    Features have mean 0 and deviation 1 at the node in training; the machine comes back in the data's units. Rows are
    shuffled once a pass. The criterion serves the univariate splits and what the tree records; the machine itself
    counts errors.

    References
    ----------
    Utgoff, Brodley: Linear machine decision trees. COINS Technical Report 91-10 (1991).
    Brodley, Utgoff: Multivariate decision trees. Machine Learning 19 (1995).
    Murthy, Kasif, Salzberg: A System for Induction of Oblique Decision Trees. JAIR 2 (1994), sections 2 and 4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.linear_machine import ThermalMachine
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = ObliqueTreeClassifier(search=ThermalMachine(), random_state=0).fit(X, y)
    >>> int(tree.tree_.n_children[0])
    3
    """

    classification_only: ClassVar[bool] = True

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the linear machine of a node."""
        if not node.table.classification:
            raise InvalidParameterError("LMDT supports classification only.")
        cases = Cases.of(node)
        split = None
        if cases.y.shape[1] > 1:
            machine = self._eliminated(node, cases, seed) if self.eliminate else self._trained(node, cases, seed)
            split = _admissible(node, cases, machine)
        if split is None and self.univariate:
            cut = best_axis_cut(node, criterion)
            return None if cut is None else cut.split
        return split

    def _trained(self, node: Node, cases: Cases, seed: int, start: Machine | None = None) -> Machine:
        """Train on the features of a machine, from its weights; on all, from none."""
        used = np.arange(cases.y.shape[1]) if start is None else start.used
        weights = np.zeros((used.size, cases.classes.size)) if start is None else start.weights
        rules = _core.ThermalRules(
            beta=self.beta,
            factor=self.beta_factor,
            decrement=self.beta_decrement,
            least_beta=self.least_beta,
            epsilon=self.epsilon,
            squared=self.correction == "squared",
            max_passes=self.max_passes,
        )
        y = cases.y if used.size == cases.y.shape[1] else np.ascontiguousarray(cases.y[:, used])
        begin = np.ascontiguousarray(weights)
        trained = _core.thermal_training(
            y, cases.label, cases.weight, rules, whole_weights=cases.whole, start=begin, seed=seed
        )
        node.n_evaluated += trained.corrections
        return Machine(used, trained.weights, 1 - trained.wrong / cases.weight.sum())

    def _eliminated(self, node: Node, cases: Cases, seed: int) -> Machine:
        """Drop the weakest feature and train again, as long as accuracy is not meaningfully below the best.

        Fewer than twice as many rows as features settle nothing: such machines are only steps on the way.
        """
        machine = chosen = self._trained(node, cases, seed)
        best, n_rows = chosen.accuracy, cases.weight.sum()
        for number in range(1, cases.y.shape[1] - 1):
            capacious = n_rows < 2 * (machine.used.size - 1)
            machine = self._trained(node, cases, child_seed(seed, number), machine.without_the_weakest())
            if capacious or machine.accuracy >= best - 1 / np.sqrt(4 * n_rows):
                chosen, best = machine, machine.accuracy if capacious else max(best, machine.accuracy)
            else:
                break
        return chosen


@dataclass(frozen=True, eq=False)
class Machine:
    """Weights of a trained machine.

    Attributes
    ----------
    used : columns of the cases that it uses; the last is the constant
    weights : one row for each of them, one column for each class
    accuracy : share of the cases that it classifies rightly
    """

    used: NDArray[np.int64]
    weights: NDArray[np.float64]
    accuracy: float

    def without_the_weakest(self) -> Machine:
        """Leave out the feature whose weights differ least between the classes."""
        # The sum over pairs of classes of (w_k - w_l)^2, up to a factor.
        spread = ((self.weights - self.weights.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        weakest = int(np.argmin(spread[:-1]))
        return Machine(np.delete(self.used, weakest), np.delete(self.weights, weakest, axis=0), self.accuracy)


@dataclass(frozen=True, eq=False)
class Cases:
    """The rows of a node as training sees them: equal rows are one case, in an order of their own.

    Neither the order of the rows nor how repetition is written down can matter then.

    Attributes
    ----------
    y : standardised features that vary, then a column of ones
    label : class of each case, as a place in `classes`
    weight : weight of each case
    whole : whether the weights are numbers of repetitions; else they are importances, 1 on average
    classes : classes at the node
    features, power, mean, deviation : feature f of the data is ``2**power * (mean + deviation * y)``
    """

    y: NDArray[np.float64]
    label: NDArray[np.int32]
    weight: NDArray[np.float64]
    whole: bool
    classes: NDArray[Any]
    features: NDArray[np.int64]
    power: NDArray[np.int32]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]

    @classmethod
    def of(cls, node: Node) -> Cases:
        """Gather and standardise the rows of a node."""
        table = node.table.take(node.rows)
        classes, place = np.unique(table.y, return_inverse=True)
        hashed = replace(table, y=place.astype(np.int32)).row_hash(0)
        order = np.argsort(hashed, kind="stable")
        X, label, hashed = table.X[order], place[order], hashed[order]
        new = np.append(True, (hashed[1:] != hashed[:-1]) | (label[1:] != label[:-1]) | (X[1:] != X[:-1]).any(axis=1))
        weight = np.add.reduceat(table.weight[order], np.flatnonzero(new))
        whole = bool(np.all(weight == np.floor(weight)))
        X = X[new]
        size = np.abs(X).max(axis=0)
        power = np.frexp(size)[1].astype(np.int32)
        scaled = np.ldexp(X, -power)  # between -1 and 1: squares of huge and tiny numbers are harmless
        share = (weight / weight.sum()).astype(np.longdouble)
        mean = (scaled * share[:, None]).sum(axis=0)
        deviation = np.sqrt(((scaled - mean) ** 2 * share[:, None]).sum(axis=0)).astype(np.float64)
        features = np.flatnonzero((deviation > 0) & (X.max(axis=0) > X.min(axis=0)))
        mean = mean.astype(np.float64)
        y = (scaled[:, features] - mean[features]) / deviation[features]
        return cls(
            np.ascontiguousarray(np.column_stack([y, np.ones(len(y))])),
            label[new].astype(np.int32),
            weight if whole else weight / weight.mean(),
            whole,
            classes,
            features,
            power[features],
            mean[features],
            deviation[features],
        )


def _admissible(node: Node, cases: Cases, machine: Machine) -> LinearMachine | None:
    """Return the machine in the data's units, without the classes that get fewer rows than the limits allow."""
    features, weights = _raw(cases, machine)
    kept = np.arange(cases.classes.size)
    while kept.size > 1:
        split = LinearMachine(features, weights[kept])
        route = split.route(node.table.X, node.rows)
        samples = np.bincount(route, node.table.multiplicity[node.rows], kept.size)
        weight = np.bincount(route, node.table.weight[node.rows], kept.size)
        enough = (samples >= max(1, node.min_samples_leaf)) & (weight >= node.min_weight_leaf) & (weight > 0)
        if enough.all():
            return split
        kept = np.delete(kept, int(np.argmin(samples)))
    return None


def _raw(cases: Cases, machine: Machine) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the features, and a row of weights and a constant for each class, in the data's units.

    All are multiplied by one power of two, so that neither they nor their sums overflow or vanish.
    """
    used = machine.used[:-1]
    weights = machine.weights[:-1] / cases.deviation[used, None]
    constant = machine.weights[-1] - (weights * cases.mean[used, None]).sum(axis=0)
    power = cases.power[used]
    common = min(max(0, int(power.max()) - 950), 950 + int(power.min()))
    raw = np.ldexp(weights, (common - power)[:, None])
    return cases.features[used], np.vstack([raw, np.ldexp(constant, common)]).T
