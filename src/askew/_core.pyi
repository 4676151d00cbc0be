"""The compiled kernels: arrays in, arrays out. See core/module.cpp."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Criterion:
    @staticmethod
    def named(name: str) -> Criterion: ...
    @staticmethod
    def pointer(function: int, data: int) -> Criterion: ...
    @staticmethod
    def batch(
        function: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
    ) -> Criterion: ...

class Scaling(Enum):
    """How the columns of a node are scaled before a search."""

    none = 0
    minmax = 1
    standard = 2
    robust = 3

class FoundPlane:
    """The plane that a search has found: weights of its features, in the units of the data."""

    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def threshold(self) -> float: ...
    @property
    def score(self) -> float: ...
    @property
    def n_evaluated(self) -> int: ...

class Target:
    def __init__(
        self,
        label: NDArray[np.int32] | None,
        y: NDArray[np.float64] | None,
        weight: NDArray[np.float64] | None,
        multiplicity: NDArray[np.float64] | None,
        k: int,
    ) -> None: ...

class Tree:
    def __init__(
        self,
        *,
        kind: NDArray[np.int8],
        first_child: NDArray[np.int64],
        n_children: NDArray[np.int64],
        feature_start: NDArray[np.int64],
        weight_start: NDArray[np.int64],
        feature: NDArray[np.int64],
        weight: NDArray[np.float64],
        threshold: NDArray[np.float64],
    ) -> None: ...

class GrownTree:
    """A tree of hyperplanes that a kernel has grown: the arrays of `askew.model.tree.Tree`."""

    @property
    def kind(self) -> NDArray[np.int8]: ...
    @property
    def first_child(self) -> NDArray[np.int64]: ...
    @property
    def feature_start(self) -> NDArray[np.int64]: ...
    @property
    def feature(self) -> NDArray[np.int64]: ...
    @property
    def weight(self) -> NDArray[np.float64]: ...
    @property
    def threshold(self) -> NDArray[np.float64]: ...
    @property
    def value(self) -> NDArray[np.float64]: ...
    @property
    def n_samples(self) -> NDArray[np.int64]: ...
    @property
    def mass(self) -> NDArray[np.float64]: ...
    @property
    def impurity(self) -> NDArray[np.float64]: ...
    @property
    def n_evaluated(self) -> int: ...

class Node:
    def __init__(
        self,
        *,
        target: Target,
        X: NDArray[np.float64],
        rows: NDArray[np.uint32],
        min_samples_leaf: float,
        min_weight_leaf: float,
        threads: int,
    ) -> None: ...

def set_thread_gate(nanoseconds: float) -> float:
    """Set from how much work on threads are started, and return what it was: for tests of threads on small data."""

def threads_started() -> int:
    """Return how many threads kernels have started so far."""

class StopFlag:
    def __init__(self) -> None: ...
    def set(self) -> None: ...

def listen_to(flag: StopFlag | None) -> None: ...
def check_interrupt() -> None: ...
def score(criterion: Criterion, children: NDArray[np.float64]) -> float: ...
def summary(
    criterion: Criterion, target: Target, rows: NDArray[np.uint32]
) -> tuple[NDArray[np.float64], float, float, float, bool]: ...

class Limits:
    def __init__(
        self,
        *,
        max_depth: float,
        min_samples_split: float,
        min_samples_leaf: float,
        max_leaf_nodes: float,
        min_impurity_decrease: float,
        impurity_threshold: float,
        min_weight_leaf: float,
    ) -> None: ...

class CutRule:
    def __init__(
        self, *, ratio: bool = False, penalty: bool = False, boundaries: bool = False, min_cases: float = 0.0
    ) -> None: ...

def axis_cut(
    criterion: Criterion,
    node: Node,
    *,
    boundaries: bool = False,
    max_features: int | None = None,
    seed: int = 0,
) -> tuple[int, float, float] | None: ...
def axis_cuts(criterion: Criterion, node: Node) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def grow_axis(
    criterion: Criterion,
    target: Target,
    X: NDArray[np.float64],
    *,
    limits: Limits,
    rule: CutRule,
    max_features: int | None,
    seed: int,
    threads: int,
    progress: Callable[[float], None] | None,
) -> GrownTree: ...
def gain_info(children: NDArray[np.float64], unknown: float) -> tuple[float, float, float]: ...
def best_ratio(infos: NDArray[np.float64]) -> int | None: ...
def least_samples(known: float, *, n_classes: int, least: float) -> float: ...
def price_of_threshold(*, distinct: float, n_samples: float, mass: float) -> float: ...
def group_categories(counts: NDArray[np.float64], unknown: float) -> NDArray[np.int64]: ...
def error_limit(
    *, cases: NDArray[np.float64], errors: NDArray[np.float64], log_confidence: float, deviation: float
) -> NDArray[np.float64]: ...
def prune_errors(
    tree: Tree,
    *,
    mass: NDArray[np.float64],
    counts: NDArray[np.float64],
    X: NDArray[np.float64],
    label: NDArray[np.int32],
    row_weight: NDArray[np.float64],
    log_confidence: float,
    deviation: float,
    slack: float,
    raising: bool,
) -> tuple[NDArray[np.int64], bool]: ...
def spread(
    tree: Tree, mass: NDArray[np.float64], X: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def apply(tree: Tree, X: NDArray[np.float64], threads: int) -> NDArray[np.int64]: ...
def axis_gaps(tree: Tree, X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class Trees:
    def __init__(self, trees: Sequence[Tree]) -> None: ...

def apply_packed(trees: Trees, X: NDArray[np.float64], threads: int) -> NDArray[np.int64]: ...
def sum_packed(
    trees: Trees,
    entry: NDArray[np.float64],
    X: NDArray[np.float64],
    threads: int,
    counted: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]: ...

class ForestTable:
    def __init__(self, *, target: Target, X: NDArray[np.float64], key: NDArray[np.uint64]) -> None: ...

class Sampling:
    """The sample of a tree: with replacement or not, its share of the rows, whether its classes weigh alike."""

    def __init__(
        self,
        *,
        replace: bool,
        share: float,
        balanced: bool,
    ) -> None: ...

class ForestSplit(Enum):
    """How a node of a forest's tree is split."""

    newton = 0
    projection = 1
    axis = 2

class ForestRule:
    """How a tree of a forest is grown (core/ensemble/forest_growth.hpp)."""

    def __init__(
        self,
        *,
        split: ForestSplit,
        max_features: int,
        n_draws: int,
        l2: float,
        max_depth: float,
        min_samples_split: float,
        min_samples_leaf: float,
        min_weight_fraction: float,
    ) -> None: ...

def draw_samples(
    key: NDArray[np.uint64],
    samples: NDArray[np.float64],
    seeds: NDArray[np.uint64],
    sampling: Sampling,
    threads: int,
) -> NDArray[np.float64]: ...
def grow_forest(
    table: ForestTable,
    seeds: NDArray[np.uint64],
    *,
    criterion: Criterion,
    rule: ForestRule,
    sampling: Sampling,
    threads: int,
    progress: Callable[[float], None] | None,
) -> list[GrownTree]: ...

class BinnedTable:
    def __init__(
        self,
        *,
        X: NDArray[np.float64],
        codes: NDArray[np.uint8],
        edge_start: NDArray[np.int64],
        edges: NDArray[np.float64],
        monotonic: NDArray[np.int8] | None,
    ) -> None: ...

class BoostRule:
    """How a tree of boosting is grown: `askew.ensemble.boosting.BoostingRule`."""

    def __init__(
        self,
        *,
        n_planes: int,
        max_features: int,
        max_leaves: float,
        max_depth: float,
        min_samples_leaf: float,
        l2: float,
        plane_l2: float,
        shrinkage: float,
    ) -> None: ...

def grow_stage(
    table: BinnedTable,
    gradient: NDArray[np.float64],
    hessian: NDArray[np.float64],
    samples: NDArray[np.float64],
    rule: BoostRule,
    *,
    seed: int,
    threads: int,
) -> tuple[list[GrownTree], NDArray[np.int64]]: ...
def route(
    kind: int,
    n_children: int,
    features: NDArray[np.int64],
    weights: NDArray[np.float64],
    threshold: float,
    X: NDArray[np.float64],
    rows: NDArray[np.uint32] | None,
) -> NDArray[np.int64]: ...

class Order(Enum):
    """The order in which OC1 moves coefficients."""

    sequential = 0
    best = 1
    random = 2

class ClimbRules:
    """The rules of OC1: see `askew.search.oc1` and core/line/oc1_climb.hpp."""

    def __init__(
        self,
        *,
        scaling: Scaling,
        n_restarts: int,
        order: Order,
        n_random_moves: int,
        n_jumps: int,
        exponential: bool,
        max_stagnant: int,
        perturb_bias: bool,
        max_loss: float,
        centre: bool,
    ) -> None: ...

def oc1(
    criterion: Criterion,
    node: Node,
    rules: ClimbRules,
    *,
    features: NDArray[np.int64],
    start: NDArray[np.float64],
    axis_score: float,
    seed: int,
    n_kept: int = 5000000,
    progress: Callable[[float], None] | None = None,
) -> FoundPlane | None: ...
def line_search(
    criterion: Criterion,
    target: Target,
    V: NDArray[np.float64],
    s: NDArray[np.float64],
    *,
    min_samples_leaf: float = 1.0,
    min_weight_leaf: float = 0.0,
) -> tuple[float, float]:
    """Move a hyperplane along a line: the t for which the split by ``V + t s > 0`` is best, and its score.

    The inner problem of OC1 and CART-LC (OC1-94, section 3.1), and of any search that moves a plane: V holds
    ``a.x + constant`` of each row of the target, s how fast it changes. Exact for any signs; of equals the lowest t;
    t = 0 and an infinite score if no t parts the rows. `askew.search.oblique.best_move` calls it for a node.
    """

class ExhaustiveRules:
    """The rules of CART-ELC: see `askew.search.exhaustive` and core/elc/candidate.hpp."""

    def __init__(
        self,
        *,
        r: int,
        both: bool,
        eigen: bool,
        half_way: bool,
        side_tol: float | None,
    ) -> None: ...

class ElcPlane(FoundPlane):
    """A plane through samples of the node: their places among its rows, and the features of the plane."""

    @property
    def samples(self) -> NDArray[np.uint32]: ...
    @property
    def features(self) -> NDArray[np.uint32]: ...
    @property
    def flipped(self) -> bool: ...
    @property
    def exact(self) -> bool: ...

def exhaustive(
    criterion: Criterion,
    node: Node,
    rules: ExhaustiveRules,
    *,
    features: NDArray[np.int64],
    units: int,
    seconds: float,
    seed: int,
    progress: Callable[[float], None] | None,
) -> ElcPlane | None: ...
def householder_mirrors(
    X: NDArray[np.float64], weight: NDArray[np.float64], *, dominant_alone: bool, spread: float, tau: float
) -> tuple[NDArray[np.float64], bool]: ...
def reflect(X: NDArray[np.float64], normal: NDArray[np.float64]) -> NDArray[np.float64]: ...

class CycleRules:
    """The rules of CART-LC: see `askew.search.cart_lc` and core/line/cart_lc.hpp."""

    def __init__(
        self,
        *,
        scaling: Scaling,
        epsilon: float,
        max_cycles: int,
        keep_best: bool,
        beta: float,
    ) -> None: ...

def cart_lc(
    criterion: Criterion, node: Node, rules: CycleRules, *, features: NDArray[np.int64], start: NDArray[np.float64]
) -> FoundPlane | None: ...
def measure_columns(
    target: Target, X: NDArray[np.float64], rows: NDArray[np.uint32], scaling: Scaling, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def usable_scales(
    low: NDArray[np.float64], high: NDArray[np.float64], shift: NDArray[np.float64], scale: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def independent_features(
    X: NDArray[np.float64],
    rows: NDArray[np.uint32],
    order: NDArray[np.int64],
    shift: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> NDArray[np.int64]: ...

class CrossEntropyRules:
    """The rules of CE-DT: see `askew.search.cross_entropy`."""

    def __init__(
        self,
        *,
        n_samples: int,
        rho: float,
        alpha: float,
        patience: int,
        newton: bool,
    ) -> None: ...

class CrossEntropyResult:
    """The best plane of the cross-entropy method, and the distributions of its iterations."""

    @property
    def plane(self) -> NDArray[np.float64]: ...
    @property
    def score(self) -> float: ...
    @property
    def n_evaluated(self) -> int: ...
    @property
    def mu(self) -> NDArray[np.float64]: ...
    @property
    def kappa(self) -> NDArray[np.float64]: ...
    @property
    def gamma(self) -> NDArray[np.float64]: ...

def cross_entropy(
    criterion: Criterion,
    node: Node,
    rules: CrossEntropyRules,
    *,
    features: NDArray[np.int64],
    shift: NDArray[np.float64],
    inverse: NDArray[np.float64],
    seed: int,
) -> CrossEntropyResult: ...
def score_planes(
    criterion: Criterion,
    node: Node,
    *,
    features: NDArray[np.int64],
    shift: NDArray[np.float64],
    inverse: NDArray[np.float64],
    planes: NDArray[np.float64],
    mean: NDArray[np.float64] | None = None,
    portable: bool = False,
) -> NDArray[np.float64]: ...

class PlaneCounter:
    """Counts what lies above planes: what `score_counts` takes.

    The counts are the weight of each class, or the moments of ``y - centre`` (weight, sum, sum of squares); then the
    rows of each class, or of all; then the samples. Counts of parts of the rows add up to those of all rows. With
    `large_first` and `large_second` the moments of each row are rounded (core/score/count_scores.hpp).
    """

    def __init__(
        self,
        node: Node,
        *,
        features: NDArray[np.int64],
        shift: NDArray[np.float64],
        inverse: NDArray[np.float64],
        centre: float = 0.0,
        large_first: float = 0.0,
        large_second: float = 0.0,
    ) -> None: ...
    def count(self, planes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the counts above each plane (planes x counts)."""

    def count_drawn(self, mu: NDArray[np.float64], *, kappa: float, n: int, seed: int) -> NDArray[np.float64]:
        """Return the counts above each of the planes that `CrossEntropySearch` draws."""

    @property
    def all(self) -> NDArray[np.float64]:
        """The counts of all rows."""

class CrossEntropySearch:
    """The search of `cross_entropy` without the rows: whoever has them draws the planes and scores them."""

    def __init__(self, p: int, rules: CrossEntropyRules, *, seed: int) -> None: ...
    @property
    def done(self) -> bool: ...
    def distribution(self) -> tuple[NDArray[np.float64], float, int, int]:
        """Return what the next planes are drawn from: mu, kappa, how many, seed."""

    def take(self, scores: NDArray[np.float64]) -> None: ...
    def result(self) -> CrossEntropyResult: ...

def count_codes(
    node: Node,
    *,
    codes: NDArray[np.uint16],
    first: NDArray[np.int64],
    centre: float = 0.0,
    large_first: float = 0.0,
    large_second: float = 0.0,
) -> NDArray[np.float64]:
    """Count the rows of each bin of every feature (all bins x counts), from the number of the bin of each value.

    The bins of feature f are numbered from ``first[f]`` to ``first[f + 1]``, without the last.
    """

def score_counts(
    criterion: Criterion,
    sides: NDArray[np.float64],
    all: NDArray[np.float64],
    *,
    classification: bool,
    min_samples_leaf: float = 1.0,
    min_weight_leaf: float = 0.0,
    as_sweep: bool = False,
) -> NDArray[np.float64]: ...
def impurity_of_counts(criterion: Criterion, counts: NDArray[np.float64], *, classification: bool) -> float: ...
def draw_directions(
    mu: NDArray[np.float64], kappa: float, *, n: int, seed: int, threads: int = 1, portable: bool = False
) -> NDArray[np.float64]: ...
def score_split(criterion: Criterion, target: Target, rows: NDArray[np.uint32], child: NDArray[np.int64]) -> float: ...

class AnnealRules:
    """The rules of SADT: see `askew.search.annealing` and core/line/sadt_annealing.hpp."""

    def __init__(
        self,
        *,
        scaling: Scaling,
        all: bool,
        step: float,
        temperature: float,
        n_probes: int,
        cooling: float,
        max_unproductive: int,
        centre: bool,
    ) -> None: ...

def anneal(
    criterion: Criterion, node: Node, rules: AnnealRules, *, features: NDArray[np.int64], seed: int
) -> FoundPlane: ...

class ThermalRules:
    """The rules of LMDT's training: see `askew.search.linear_machine`."""

    def __init__(
        self,
        *,
        beta: float,
        factor: float,
        decrement: float,
        least_beta: float,
        epsilon: float,
        squared: bool,
        max_passes: int,
    ) -> None: ...

class LinearMachine:
    """A linear machine that was trained: weights (features x classes), and the weight of the cases that are wrong."""

    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def corrections(self) -> int: ...
    @property
    def passes(self) -> int: ...
    @property
    def wrong(self) -> float: ...

def thermal_training(
    y: NDArray[np.float64],
    label: NDArray[np.int32],
    weight: NDArray[np.float64],
    rules: ThermalRules,
    *,
    whole_weights: bool,
    start: NDArray[np.float64],
    seed: int,
) -> LinearMachine: ...

class PerceptronRules:
    """When the perceptron gives up: corrections, or passes; `rho` as in `askew.search.alopex.Alopex`."""

    def __init__(
        self,
        *,
        iterations: int,
        passes: bool,
        rho: float,
    ) -> None: ...

class AlopexRules:
    """The rules of Alopex: see `askew.search.alopex`."""

    def __init__(
        self,
        *,
        n_iterations: int,
        window: int,
        step: float,
        final_step: float,
        temperature: float,
        M: float,
    ) -> None: ...

def perceptron(
    X: NDArray[np.float64],
    label: NDArray[np.int32],
    weight: NDArray[np.float64],
    n_classes: int,
    rules: PerceptronRules,
) -> tuple[float, NDArray[np.float64], NDArray[np.uint32]]: ...
def alopex(
    X: NDArray[np.float64],
    label: NDArray[np.int32],
    weight: NDArray[np.float64],
    samples: NDArray[np.float64],
    n_classes: int,
    rules: AlopexRules,
    *,
    perceptron: PerceptronRules,
    min_samples_leaf: float,
    min_weight_leaf: float,
    seed: int,
    counter: Callable[[NDArray[np.uint32], bool], float] | None,
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]: ...
def network_find(
    *,
    kind: NDArray[np.int8],
    n_children: NDArray[np.int64],
    feature_start: NDArray[np.int64],
    weight_start: NDArray[np.int64],
    feature: NDArray[np.int64],
    weight: NDArray[np.float64],
    threshold: NDArray[np.float64],
    region_start: NDArray[np.int64],
    split: NDArray[np.int64],
    side: NDArray[np.int64],
    X: NDArray[np.float64],
    threads: int,
) -> NDArray[np.int64]: ...
def network_gains(
    holds: NDArray[np.uint64], gain: NDArray[np.float64], networks: NDArray[np.uint64], threads: int
) -> NDArray[np.float64]: ...

class AutomataRules:
    """The rules of the learning automata: see `askew.prune.learning_automata`."""

    def __init__(
        self,
        *,
        rate: float,
        tolerance: float,
        steps: int,
        passes: int,
    ) -> None: ...

def network_automata(
    fulfilled: NDArray[np.uint64],
    cell: NDArray[np.int64],
    of_class: NDArray[np.uint8],
    cumulative: NDArray[np.float64],
    rules: AutomataRules,
    *,
    initial: NDArray[np.float64],
    seed: int,
    progress: Callable[[float], None] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def penalised_fit(
    X: NDArray[np.float64],
    z: NDArray[np.float64],
    weight: NDArray[np.float64],
    *,
    logistic: bool,
    l2: float,
    l1: float = 0.0,
    max_steps: int = 50,
    direct: int = 400,
    start: NDArray[np.float64] | None = None,
    threads: int = 1,
) -> NDArray[np.float64]: ...

class Penalty:
    """How fits of planes are penalised: see `askew.search.linear`."""

    def __init__(self, *, l2: float, l1: float, max_steps: int) -> None: ...

def linear_directions(
    node: Node,
    penalty: Penalty,
    *,
    features: NDArray[np.int64],
    canonical: int,
    groups: NDArray[np.int8],
    starts: NDArray[np.uint8],
) -> NDArray[np.float64]: ...
def column_sums(
    node: Node, *, scales: NDArray[np.float64], squares: bool, by_samples: bool, large: float
) -> NDArray[np.float64]: ...
def loss_sums(
    node: Node,
    *,
    scales: NDArray[np.float64],
    groups: NDArray[np.int8],
    weights: NDArray[np.float64],
    large_loss: NDArray[np.float64],
    large: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def class_sums(
    node: Node, *, scales: NDArray[np.float64], large: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def line_sums(
    node: Node,
    *,
    scales: NDArray[np.float64],
    sides: NDArray[np.uint8],
    mean: float,
    deviation: float,
    large: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def project_planes(node: Node, planes: NDArray[np.float64]) -> NDArray[np.float64]: ...

class NewtonSteps:
    def __init__(self, d: int, penalty: Penalty, *, mass: float) -> None: ...
    @property
    def done(self) -> bool: ...
    @property
    def at(self) -> NDArray[np.float64]: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...
    def take(self, loss: float, gradient: NDArray[np.float64], gram: NDArray[np.float64]) -> None: ...

class HingeSteps:
    def __init__(self, d: int, penalty: Penalty) -> None: ...
    @property
    def done(self) -> bool: ...
    @property
    def best(self) -> NDArray[np.float64]: ...
    @property
    def gap(self) -> NDArray[np.float64]: ...
    def take_sides(
        self,
        gram: NDArray[np.float64],
        products: NDArray[np.float64],
        squares: float,
        other_gram: NDArray[np.float64],
        other_products: NDArray[np.float64],
        other_squares: float,
    ) -> None: ...
    def take_counts(self, n: int, above: int, left: int, both: int) -> bool: ...

def ridge_direction(
    gram: NDArray[np.float64], products: NDArray[np.float64], squares: float, penalty: Penalty
) -> NDArray[np.float64]: ...
def canonical_directions(
    mass: NDArray[np.float64], sums: NDArray[np.float64], gram: NDArray[np.float64], penalty: Penalty, *, most: int
) -> NDArray[np.float64]: ...
def planes_of(directions: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]: ...
def plane_cuts(
    criterion: Criterion, node: Node, *, features: NDArray[np.int64], planes: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def leaf_models(
    target: Target,
    X: NDArray[np.float64],
    features: NDArray[np.int64],
    value: NDArray[np.float64],
    *,
    order: NDArray[np.uint32],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    parent: NDArray[np.int64],
    threads: int,
    progress: Callable[[float], None] | None = None,
) -> dict[str, NDArray[Any]]: ...
def piecewise_cuts(
    node: Node, *, features: NDArray[np.int64], planes: NDArray[np.float64], l2: float, bins: int
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]: ...
def linear_outputs(
    place: NDArray[np.int64], X: NDArray[np.float64], models: LeafModels, threads: int
) -> NDArray[np.float64]: ...

class SoftTree:
    def __init__(
        self,
        *,
        X: NDArray[np.float64],
        label: NDArray[np.int32] | None,
        y: NDArray[np.float64] | None,
        weight: NDArray[np.float64],
        left: NDArray[np.int64],
        right: NDArray[np.int64],
        n_outputs: int,
    ) -> None: ...

def soft_loss(
    tree: SoftTree, planes: NDArray[np.float64], leaves: NDArray[np.float64], *, sharpness: float, threads: int
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]: ...
def soft_fit(
    tree: SoftTree,
    planes: NDArray[np.float64],
    leaves: NDArray[np.float64],
    *,
    sharpness: float,
    l2: float,
    l1: float,
    keep_zeros: bool = False,
    max_iter: int,
    threads: int,
    progress: Callable[[float], None] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class LeafModels:
    def __init__(
        self,
        *,
        value: NDArray[np.float64],
        start: NDArray[np.int64],
        feature: NDArray[np.int64],
        weight: NDArray[np.float64],
        constant: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
    ) -> None: ...

def shapley(
    trees: Tree,
    root: NDArray[np.uint32],
    value: NDArray[np.float64],
    X: NDArray[np.float64],
    background: NDArray[np.float64],
    *,
    player: NDArray[np.int64],
    n_players: int,
    models: LeafModels | None,
    most: int,
    pairs: int,
    seed: int,
    threads: int,
    progress: Callable[[float], None] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]: ...
