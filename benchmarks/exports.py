"""`export_c` beside `predict`, on one thread; the time of exact Shapley values."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

import askew
from benchmarks.report import Goal, Options, Section, times


def run(options: Options) -> list[Section]:
    return [*_c_code(options), *_shapley(options)]


# --- C code


WANTED = 1.0
DOUBLES, INTS = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int)


def models(n_trees: int) -> dict[str, Any]:
    return {
        "CART": askew.CARTClassifier(),
        "CART, 10 leaves": askew.CARTClassifier(max_leaf_nodes=10),
        "planes, 10 leaves": askew.ObliqueTreeClassifier(search="linear", max_leaf_nodes=10, random_state=0),
        "HHCART, depth 8": askew.HHCARTClassifier(max_depth=8),
        "LMDT, depth 4": askew.LMDTClassifier(max_depth=4, random_state=0),
        "linear leaves": askew.CARTClassifier(leaf_model="linear", max_leaf_nodes=10),
        "forest": askew.ObliqueForestClassifier(n_estimators=n_trees, random_state=0),
        "boosting": askew.ObliqueBoostingClassifier(max_iter=n_trees, random_state=0),
    }


def _c_code(options: Options) -> list[Section]:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return []
    n, rounds = (20_000, 3) if options.quick else (100_000, 9)
    X, y = make_classification(n, 20, n_informative=10, n_classes=4, random_state=0)
    X, rows, ratios = np.ascontiguousarray(X), [], []
    for name, model in models(5 if options.quick else 20).items():
        model.set_params(n_jobs=1).fit(X[:3000], y[:3000])
        ours, c = _both(model, X, compiler, rounds)
        ratios.append(c / ours)
        rows.append([name, f"{1e9 * ours / n:.0f} ns", f"{1e9 * c / n:.0f} ns", times(ratios[-1])])
    goal = Goal("C no slower than `predict` on one thread (5% for noise)", max(ratios) <= 1.05 * WANTED)
    text = (
        "Labels of the rows of a table of 20 features, `gcc -O3 -ffp-contract=off`; processor time, the best of rounds."
    )
    return [Section("C code beside predict", text, ("model", "predict, a row", "C, a row", "ratio"), rows, [goal])]


def _both(model: Any, X: np.ndarray, compiler: str, rounds: int) -> tuple[float, float]:
    label = np.empty(len(X), dtype=np.int32)
    with TemporaryDirectory() as folder:
        source, library = Path(folder) / "model.c", Path(folder) / "model.so"
        source.write_text(askew.export_c(model), encoding="utf-8")
        flags = ["-std=c99", "-O3", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", library, source, "-lm"], check=True)
        function = ctypes.CDLL(str(library)).askew_predict
    best = [np.inf, np.inf]
    for _ in range(rounds):
        start = process_time()
        expected = model.predict(X)
        middle = process_time()
        function(X.ctypes.data_as(DOUBLES), ctypes.c_size_t(len(X)), label.ctypes.data_as(INTS), None)
        end = process_time()
        best = [min(best[0], middle - start), min(best[1], end - middle)]
    if not (model.classes_[label] == expected).all():
        raise AssertionError("C predicts something else")
    return best[0], best[1]


# --- Shapley values


AIM = 50  # milliseconds
SEARCHES = ("axis", "cart_lc", "oc1", "linear", "householder")


def timed(tree: Any, rows: Any, background: Any, method: str, times: int) -> tuple[float, Any]:
    """Return the seconds of the processor, the least of several, and the values."""
    seconds = []
    for _ in range(times):
        start = process_time()
        found = askew.shapley(tree, rows, background, method=method)
        seconds.append(process_time() - start)
    return min(seconds), found


def _shapley(options: Options) -> list[Section]:
    X, y = make_classification(
        n_samples=2000, n_features=20, n_informative=10, n_redundant=4, n_classes=3, flip_y=0.05, random_state=0
    )
    table, slowest = [], {}
    for search in SEARCHES:
        tree = askew.ObliqueTreeClassifier(search=search, max_leaf_nodes=10, random_state=0).fit(X, y)
        exact, sampled, misses = [], [], []
        for i in range(100, 103 if options.quick else 110):
            seconds, values = timed(tree, X[i : i + 1], X[:100], "exact", 3)
            draws, rough = timed(tree, X[i : i + 1], X[:100], "sampled", 1)
            exact.append(1e3 * seconds)
            sampled.append(1e3 * draws)
            misses.append(np.abs(values.values - rough.values).max())
        slowest[search] = max(exact)
        times = [f"{value:.1f}" for value in (median(exact), max(exact), median(sampled))]
        table.append([search, str(tree.get_n_leaves()), str(tree.n_terms_), *times, f"{max(misses):.4f}"])
    return [
        Section(
            "Shapley values",
            "Milliseconds of the processor, on one thread, for one row of a tree of 10 leaves on 20 features against "
            "100 background rows; ten rows. Permutations: 512 for each pair, and the largest error of any value.",
            ("search", "leaves", "terms", "exact, median", "exact, slowest row", "permutations", "their largest error"),
            table,
            [Goal(f"{search}: exact below {AIM} ms ({ms:.0f} ms)", ms < AIM) for search, ms in slowest.items()],
        )
    ]
