"""LA and GA pruning: patterns and steps a second, and a whole run on the stand-in for Problem 2 of APDT."""

from __future__ import annotations

from functools import partial
from time import process_time

import numpy as np

from askew import GAPruner, LAPruner, OC1Classifier, _core
from askew.datasets import make_apdt2_standin
from askew.prune.cells import pack
from benchmarks.report import Goal, Options, Section
from benchmarks.timing import best_of

PLANES, UNITS = 20, 4


def run(options: Options) -> list[Section]:
    return [_rates(options.quick), _runs(options.quick)]


def _rates(quick: bool) -> Section:
    rng = np.random.default_rng(0)
    rows, patterns, steps = [], [], []
    for n in (1000,) if quick else (1000, 100_000):
        sides = rng.random((n, PLANES)) < 0.5  # as a rule no two rows take the same sides: no cell has two rows
        fulfilled = np.stack([sides, ~sides], axis=2).reshape(n, -1)
        label = rng.integers(0, 2, n).astype(np.uint8)
        networks = pack(rng.random((100, UNITS, 2 * PLANES)) < 3 / (2 * PLANES))
        n_steps = 50_000 if quick else 500_000
        initial = np.full((UNITS, 2 * PLANES), 0.1)
        fitness = partial(_core.network_gains, pack(fulfilled.T), 2.0 * label - 1, networks, 1)
        order = np.arange(n), label, np.arange(1.0, n + 1)
        learn = partial(
            _core.network_automata,
            pack(fulfilled),
            *order,
            initial=initial,
            rate=0.003,
            tolerance=1e-9,
            steps=n_steps,
            passes=1,
            seed=0,
            progress=None,
        )
        time = best_of({"fitness": fitness, "learn": learn}, 2 if quick else 5, process_time)
        patterns.append(100 * n / time["fitness"])
        steps.append(n_steps / time["learn"])
        rows.append([f"{n:,}", f"{patterns[-1] / 1e6:,.0f} million/s", f"{steps[-1] / 1e6:.1f} million/s"])
    return Section(
        "LA and GA pruning: rates",
        f"A network of {PLANES} planes and {UNITS} units, one thread, processor time. A pattern is a row through one "
        "whole network (GA fitness); a step is a row, all selections drawn, and the update (LA).",
        ("rows", "GA fitness, patterns", "LA, steps"),
        rows,
        [
            Goal("GA fitness: at least 50 million patterns a second", min(patterns) >= 50e6),
            Goal("LA: at least 2 million steps a second", min(steps) >= 2e6),
        ],
    )


def _runs(quick: bool) -> Section:
    rows, slowest = [], 0.0
    for noise in (0.0, 0.15):
        X, y = make_apdt2_standin(1000, noise, random_state=0)
        tree = OC1Classifier(pruning=None, random_state=0).fit(X, y)
        calls = {name: partial(tree.pruned, pruner, X, y) for name, pruner in _PRUNERS.items()}
        time = best_of(calls, 1 if quick else 3, process_time)
        slowest = max(slowest, *time.values())
        rows += [[f"{noise:.0%}", str(tree.get_n_leaves() - 1), name, f"{time[name]:.3f} s"] for name in calls]
    return Section(
        "LA and GA pruning: a run on the stand-in for Problem 2 of APDT",
        "1000 rows, OC1's whole tree, L = 4. The paper of 1999 has 94 to 377 s on its own Problem 2.",
        ("noise", "splits of the tree", "pruner", "time"),
        rows,
        [Goal("below one second", slowest < 1.0)],
    )


_PRUNERS = {"LA": LAPruner(), "GA": GAPruner()}
