"""CART-ELC: the sweep beside brute force, how both grow with the samples, and whole trees."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris

from askew import CARTELCClassifier, _core
from askew.criterion import as_criterion
from benchmarks import sets
from benchmarks.report import Goal, Options, Section


def run(options: Options) -> list[Section]:
    return [_beside_brute_force(options), _growth(options), _trees(options)]


def _seconds(call: Callable[[], Any], rounds: int = 1) -> float:
    """Return the least time of the processor: other work on the machine does not count."""
    best = float("inf")
    for _ in range(rounds):
        start = process_time()
        call()
        best = min(best, process_time() - start)
    return best


def _split(n: int, d: int, r: int, *, brute: bool) -> Callable[[], Any]:
    """Return the search for one split of made-up classes."""
    X, y = _classes(n, d)
    target = _core.Target(label=y, y=None, weight=None, multiplicity=None, k=2)
    kernel = as_criterion("gini", classification=True).kernel
    shared = (kernel, target, X, np.arange(n, dtype=np.uint32), np.arange(d), r, False, False)
    if brute:
        return lambda: _core.exhaustive_brute(*shared, -1.0, 1.0, 0.0)
    return lambda: _core.exhaustive(*shared, False, 1.0, 0.0, 0, float("inf"), 0, 1, None)


def _classes(n: int, d: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X.sum(axis=1) + rng.normal(size=n) > 0).astype(np.int32)


def _beside_brute_force(options: Options) -> Section:
    cases = (
        [(2, 2, 200), (3, 3, 50)]
        if options.quick
        else [(2, 2, 500), (2, 2, 800), (2, 2, 1600), (2, 2, 2000), (3, 3, 100)]
    )
    rows, ratios = [], {}
    for r, d, n in cases:
        ours, theirs = (_seconds(_split(n, d, r, brute=brute), 1 if brute else 3) for brute in (False, True))
        ratios[r, n] = theirs / ours
        rows.append([f"r={r}, {n:,} x {d}", f"{ours:.3g} s", f"{theirs:.3g} s", f"{theirs / ours:,.0f}x"])
    goals = [
        Goal(f"at least {least}x faster than brute force at n={n:,}, r=2", ratios[2, n] >= least)
        for n, least in ((500, 20), (2000, 100))
        if (2, n) in ratios
    ]
    text = "One split, two classes, one thread, time of the processor. Both give the same plane, bit for bit."
    return Section(
        "CART-ELC: the sweep beside brute force", text, ("split", "sweep", "brute force", "ratio"), rows, goals
    )


def _growth(options: Options) -> Section:
    sizes = {
        2: (250, 500) if options.quick else (500, 1000, 2000, 4000),
        3: (50, 100) if options.quick else (100, 200, 400),
    }
    rows, goals = [], []
    for r, ns in sizes.items():
        seconds = [_seconds(_split(n, r, r, brute=False), 2) for n in ns]
        exponent = float(np.polyfit(np.log(ns), np.log(seconds), 1)[0])
        line = ", ".join(f"{n:,}: {s:.3g} s" for n, s in zip(ns, seconds, strict=True))
        rows.append([f"r={r}, {r} features", line, f"n^{exponent:.2f}"])
        goals.append(Goal(f"grows slower than n^{r + 0.2} at r={r}", exponent < r + 0.2))
    return Section(
        "CART-ELC: growth with the samples", "One split, one thread.", ("split", "times", "growth"), rows, goals
    )


def _trees(options: Options) -> Section:
    iris = load_iris(return_X_y=True)
    n = 500 if options.quick else 4000
    wide = sets.classes(n, 14)
    full, deep = CARTELCClassifier(r=3 if options.quick else 4), CARTELCClassifier(r=2, max_depth=4)
    on_iris, on_wide = _seconds(lambda: full.fit(*iris)), _seconds(lambda: deep.fit(*wide))
    rows = [
        [f"iris, r={full.r}, to full depth", f"{on_iris:.3g} s", str(full.get_n_leaves())],
        [f"{n:,} x 14, r=2, depth 4", f"{on_wide:.3g} s", str(deep.get_n_leaves())],
    ]
    goals = (
        []
        if options.quick
        else [
            Goal("iris at r=4 to full depth within ten seconds", on_iris < 10),
            Goal("4,000 x 14 at r=2, depth 4, within two minutes on two threads", on_wide < 240),
        ]
    )
    return Section(
        "CART-ELC: whole trees", "One thread, time of the processor.", ("tree", "fit", "leaves"), rows, goals
    )
