"""The compiled kernels: arrays in, arrays out. See core/bind.cpp."""

from collections.abc import Callable
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

class Target:
    def __init__(
        self,
        label: NDArray[np.int32] | None,
        y: NDArray[np.float64] | None,
        weight: NDArray[np.float64] | None,
        multiplicity: NDArray[np.float64] | None,
        k: int,
    ) -> None: ...

def score(criterion: Criterion, children: NDArray[np.float64]) -> float: ...
def summary(
    criterion: Criterion, target: Target, rows: NDArray[np.uint32]
) -> tuple[NDArray[np.float64], float, float, float, bool]: ...
def axis_cut(
    criterion: Criterion,
    target: Target,
    X: NDArray[np.float64],
    rows: NDArray[np.uint32],
    min_samples_leaf: float,
    threads: int,
    progress: Callable[[float], None] | None,
    min_weight_leaf: float = 0.0,
) -> tuple[int, float, float] | None: ...
def grow_axis(
    criterion: Criterion,
    target: Target,
    X: NDArray[np.float64],
    limits: NDArray[np.float64],
    threads: int,
    progress: Callable[[float], None] | None,
) -> tuple[Any, ...]: ...
def apply(
    kind: NDArray[np.int8],
    first_child: NDArray[np.int64],
    n_children: NDArray[np.int64],
    feature_start: NDArray[np.int64],
    weight_start: NDArray[np.int64],
    feature: NDArray[np.int64],
    weight: NDArray[np.float64],
    threshold: NDArray[np.float64],
    X: NDArray[np.float64],
    threads: int,
) -> NDArray[np.int64]: ...
def route(
    kind: int,
    n_children: int,
    features: NDArray[np.int64],
    weights: NDArray[np.float64],
    threshold: float,
    X: NDArray[np.float64],
    rows: NDArray[np.uint32] | None,
) -> NDArray[np.int64]: ...
def oc1(
    criterion: Criterion,
    target: Target,
    X: NDArray[np.float64],
    rows: NDArray[np.uint32],
    features: NDArray[np.int64],
    scaling: int,
    start: NDArray[np.float64],
    order: int,
    n_random_moves: int,
    n_restarts: int,
    n_jumps: int,
    exponential: bool,
    max_stagnant: int,
    perturb_bias: bool,
    max_loss: float,
    axis_score: float,
    centre: bool,
    min_samples_leaf: float,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], float, float, int] | None: ...
def exhaustive(
    criterion: Criterion,
    target: Target,
    X: NDArray[np.float64],
    rows: NDArray[np.uint32],
    features: NDArray[np.int64],
    r: int,
    both: bool,
    eigen: bool,
    half_way: bool,
    min_samples_leaf: float,
    min_weight_leaf: float,
    units: int,
    seconds: float,
    seed: int,
    threads: int,
    progress: Callable[[float], None] | None,
) -> tuple[NDArray[np.float64], float, float, int, NDArray[np.uint32], NDArray[np.uint32], bool, bool] | None: ...
def exhaustive_brute(
    criterion: Criterion,
    target: Target,
    X: NDArray[np.float64],
    rows: NDArray[np.uint32],
    features: NDArray[np.int64],
    r: int,
    both: bool,
    eigen: bool,
    side_tol: float,
    min_samples_leaf: float,
    min_weight_leaf: float,
) -> tuple[NDArray[np.float64], float, float, int, NDArray[np.uint32], NDArray[np.uint32], bool, bool] | None: ...
def cart_lc(
    criterion: Criterion,
    target: Target,
    X: NDArray[np.float64],
    rows: NDArray[np.uint32],
    features: NDArray[np.int64],
    scaling: int,
    start: NDArray[np.float64],
    gammas: NDArray[np.float64],
    epsilon: float,
    max_cycles: int,
    keep_best: bool,
    beta: float,
    min_samples_leaf: float,
) -> tuple[NDArray[np.float64], float, float, int] | None: ...
