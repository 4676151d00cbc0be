"""`LMDTClassifier`: training a linear machine, beside scikit-learn's `Perceptron`."""

from __future__ import annotations

from time import process_time

import numpy as np
from sklearn.linear_model import Perceptron

from askew import _core
from askew.search.linear_machine import ThermalMachine
from benchmarks.report import Goal, Options, Section, times
from benchmarks.timing import best_of

# Rows, features, classes.
FEW = ((2_000, 10, 2), (20_000, 20, 5))
MANY = ((2_000, 10, 2), (20_000, 20, 2), (100_000, 20, 2), (20_000, 100, 2), (20_000, 20, 5), (20_000, 20, 26))
WANTED = 3.0


def run(options: Options) -> list[Section]:
    rows, ratios = [], []
    for n, d, k in FEW if options.quick else MANY:
        seconds, passes, corrections = _both(n, d, k, rounds=2 if options.quick else 5)
        ratios.append(seconds["ours"] / seconds["theirs"])
        each = {name: 1e9 * value / (n * passes) for name, value in seconds.items()}
        rows.append(
            [
                f"{n:,} x {d}, {k} classes",
                f"{n * passes:,}",
                f"{corrections:,}",
                f"{each['ours']:.0f} ns",
                f"{each['theirs']:.0f} ns",
                times(ratios[-1]),
            ]
        )
    return [
        Section(
            "LMDT: training a linear machine",
            "Thermal training beside `Perceptron(tol=None)` for the same number of passes over the same rows, shuffled "
            "in each: as many updates in scikit-learn's count, which counts rows. Noisy data: neither ends early.",
            ("data", "updates", "corrections", "ours, each", "scikit-learn's", "ratio"),
            rows,
            [Goal(f"no more than {WANTED:.0f}x", max(ratios) <= WANTED)],
        )
    ]


def _both(n: int, d: int, k: int, rounds: int) -> tuple[dict[str, float], int, int]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    along = X.sum(axis=1) / np.sqrt(d) + rng.normal(size=n)
    y = (np.argsort(np.argsort(along)) * k // n).astype(np.int32)
    cases = np.column_stack([X, np.ones(n)])
    start, weight, search = np.zeros((d + 1, k)), np.ones(n), ThermalMachine()
    passes = 5
    rules = _core.ThermalRules(
        beta=search.beta,
        factor=1.0,  # beta stays: every pass is made
        decrement=0.0,
        least_beta=search.least_beta,
        epsilon=search.epsilon,
        squared=True,
        max_passes=passes,
    )

    def train() -> _core.LinearMachine:
        return _core.thermal_training(cases, y, weight, rules, whole_weights=True, start=start, seed=0)

    theirs = Perceptron(max_iter=passes, tol=None, random_state=0)
    seconds = best_of({"ours": train, "theirs": lambda: theirs.fit(X, y)}, rounds, process_time)
    trained = train()
    assert trained.passes == passes
    return seconds, passes, trained.corrections
