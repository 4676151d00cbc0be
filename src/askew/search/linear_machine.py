"""LMDT: a linear machine at each node, trained by the thermal procedure, with sequential backward elimination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

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
        Initial temperature beta (2).
    beta_factor : float, default=0.999
        Annealing: beta becomes beta_factor * beta - beta_decrement when a correction reduces the size of the weights
        after one that increased it (0.999).
    beta_decrement : float, default=0.0005
        See `beta_factor` (0.0005).
    least_beta : float, default=0.001
        Training ends when beta falls below this value (0.001).
    epsilon : float, default=0.1
        Margin added to the smallest sufficient correction (0.1; ours).
    correction : "squared" or "simple", default="squared"
        Size of a correction for a row that needs k: "squared" is beta^2 / (beta + k), which vanishes with beta;
        "simple" is beta / (beta + k).
    eliminate : bool, default=True
        Drop features that are not needed (sequential backward elimination).
    max_passes : int, default=1000
        Largest number of passes over the rows (ours: beta may fall slowly if the classes are separated by little).
    univariate : bool, default=True
        Take the best univariate split if the machine sends all rows to one child, or to children that the limits
        forbid. False makes the node a leaf, as LMDT does.
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

    A linear machine has a discriminant function for each class of the node, and a row goes to the child of the largest
    one. A misclassified row corrects the weight vectors of the two classes involved, unless it needs a correction of
    more than the temperature beta, which falls during training (thermal training). Then the features whose weights
    differ least between the classes are dropped, one at a time, as long as the training accuracy does not fall.

    Notes
    -----
    Features are standardised at the node (mean 0, deviation 1) for training; the weights are converted back to the
    units of the data. Rows are shuffled in each pass. The criterion scores the univariate splits and the impurities of
    the tree; the machine itself is trained on errors.

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
        """Train a machine on the features of `start`, from its weights; without it, on all features from zero."""
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
        initial = np.ascontiguousarray(weights)
        trained = _core.thermal_training(
            y, cases.label, cases.weight, rules, whole_weights=cases.repetitions, start=initial, seed=seed
        )
        node.n_evaluated += trained.corrections
        return Machine(used, trained.weights, 1 - trained.wrong / cases.weight.sum())

    def _eliminated(self, node: Node, cases: Cases, seed: int) -> Machine:
        """Drop the weakest feature and train again, as long as the accuracy is not meaningfully below the best.

        A machine with more than half as many features as rows can fit any labels: its accuracy is not compared.
        """
        machine = chosen = self._trained(node, cases, seed)
        best, n_rows = chosen.accuracy, cases.weight.sum()
        for number in range(1, cases.y.shape[1] - 1):
            fits_any_labels = n_rows < 2 * (machine.used.size - 1)
            machine = self._trained(node, cases, child_seed(seed, number), machine.without_the_weakest())
            if fits_any_labels or machine.accuracy >= best - 1 / np.sqrt(4 * n_rows):
                chosen, best = machine, machine.accuracy if fits_any_labels else max(best, machine.accuracy)
            else:
                break
        return chosen


@dataclass(frozen=True, eq=False)
class Machine:
    """A trained linear machine.

    Attributes
    ----------
    used : ndarray
        Columns of `Cases.y` that it uses; the last is the constant.
    weights : ndarray
        Weights (columns x classes).
    accuracy : float
        Share of the cases that it classifies correctly.
    """

    used: NDArray[np.int64]
    weights: NDArray[np.float64]
    accuracy: float

    def without_the_weakest(self) -> Machine:
        """Return a machine without the feature whose weights differ least between the classes."""
        # The sum over pairs of classes of (w_k - w_l)^2, up to a factor.
        spread = ((self.weights - self.weights.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        weakest = int(np.argmin(spread[:-1]))
        return Machine(np.delete(self.used, weakest), np.delete(self.weights, weakest, axis=0), self.accuracy)


@dataclass(frozen=True, eq=False)
class Cases:
    """The training cases of a node: its distinct rows, ordered by a hash of their values.

    So neither the order of the rows nor the way in which repetitions are written matters.

    Attributes
    ----------
    y : ndarray
        Standardised features that vary, then a column of ones (the papers' name of a row is Y).
    label : ndarray
        Class of each case, as an index into `classes`.
    weight : ndarray
        Weight of each case.
    repetitions : bool
        Whether the weights are integers, which count repetitions; otherwise their mean is 1.
    classes : ndarray
        Class codes at the node.
    features, power, mean, deviation : ndarray
        Feature f of the data is ``2**power * (mean + deviation * y)``.
    """

    y: NDArray[np.float64]
    label: NDArray[np.int32]
    weight: NDArray[np.float64]
    repetitions: bool
    classes: NDArray[np.generic]
    features: NDArray[np.int64]
    power: NDArray[np.int32]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]

    @classmethod
    def of(cls, node: Node) -> Cases:
        """Gather and standardise the rows of a node."""
        table = node.table.take(node.rows)
        classes, code = np.unique(table.y, return_inverse=True)
        hashed = replace(table, y=code.astype(np.int32)).row_hash(0)
        order = np.argsort(hashed, kind="stable")
        X, label, hashed = table.X[order], code[order], hashed[order]
        new = np.append(True, (hashed[1:] != hashed[:-1]) | (label[1:] != label[:-1]) | (X[1:] != X[:-1]).any(axis=1))
        weight = np.add.reduceat(table.weight[order], np.flatnonzero(new))
        repetitions = bool(np.all(weight == np.floor(weight)))
        X = X[new]
        size = np.abs(X).max(axis=0)
        power = np.frexp(size)[1].astype(np.int32)
        scaled = np.ldexp(X, -power)  # between -1 and 1: squares neither overflow nor vanish
        share = (weight / weight.sum()).astype(np.longdouble)
        mean = (scaled * share[:, None]).sum(axis=0)
        deviation = np.sqrt(((scaled - mean) ** 2 * share[:, None]).sum(axis=0)).astype(np.float64)
        features = np.flatnonzero((deviation > 0) & (X.max(axis=0) > X.min(axis=0)))
        mean = mean.astype(np.float64)
        y = (scaled[:, features] - mean[features]) / deviation[features]
        return cls(
            np.ascontiguousarray(np.column_stack([y, np.ones(len(y))])),
            label[new].astype(np.int32),
            weight if repetitions else weight / weight.mean(),
            repetitions,
            classes,
            features,
            power[features],
            mean[features],
            deviation[features],
        )


def _admissible(node: Node, cases: Cases, machine: Machine) -> LinearMachine | None:
    """Return the machine in the units of the data, without the classes that get fewer rows than the limits allow."""
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
    """Return the features, and the weights and constant of each class (classes x features + 1), in units of the data.

    All are multiplied by one power of two, so that neither they nor their sums overflow or vanish.
    """
    used = machine.used[:-1]
    weights = machine.weights[:-1] / cases.deviation[used, None]
    constant = machine.weights[-1] - (weights * cases.mean[used, None]).sum(axis=0)
    power = cases.power[used]
    common = min(max(0, int(power.max()) - 950), 950 + int(power.min()))
    raw = np.ldexp(weights, (common - power)[:, None])
    return cases.features[used], np.vstack([raw, np.ldexp(constant, common)]).T
