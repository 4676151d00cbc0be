"""`CEDTClassifier` beside scikit-learn's tree (CE-DT, Table 12), its scoring beside NumPy's product, its growth.

Run it alone with ``python benchmarks/cedt.py [--quick] [--data FOLDER]``.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from askew import CEDTClassifier, _core
from askew.criterion import as_criterion
from askew.datasets import encode
from askew.table import Table

# File of the data set -> time of CE-DT over that of the authors' univariate tree (Table 12).
TABLE_12 = {
    "balance_scale": 138.53 / 5.67,
    "breast_cancer_wisconsin": 94.6 / 5.84,
    "chess_krvskp": 1647.28 / 82.03,
    "congressional_voting": 112.35 / 5.78,
    "dermatology": 274.55 / 7.39,
    "glass": 150.45 / 2.99,
    "ionosphere": 497.28 / 10.54,
    "monks1_train": 31.48 / 1.42,
    "optdigits_train": 11374.74 / 187.7,
    "parkinsons": 180.73 / 4.31,
    "pendigits_train": 2798.59 / 164.14,
    "pima_diabetes": 447.94 / 8.69,
    "seeds": 41.66 / 2.06,
    "semeion": 82475.29 / 365.07,
    "spambase": 25401.36 / 415.67,
    "heart_statlog": 203.72 / 4.18,
    "landsat_train": 11076.23 / 235.38,
    "german_credit_numeric": 493.61 / 13.62,
    "tic_tac_toe": 378.06 / 17.14,
    "wine": 31.96 / 2.43,
}
QUICK = ("wine", "seeds", "ionosphere")


@dataclass(frozen=True)
class Result:
    """One table and the goals that its figures are judged by."""

    title: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    goals: dict[str, bool]


def run(quick: bool = False, data: Path | None = None) -> list[Result]:
    with threadpool_limits(1):
        return [_table_12(quick, data), _rate(quick), _size(quick)]


# --- Table 12


def _table_12(quick: bool, data: Path | None) -> Result:
    rows, met, half = [], [], []
    for name, X, y, paper in _sets(quick, data):
        ours, theirs = CEDTClassifier(random_state=0), DecisionTreeClassifier(min_samples_split=4, random_state=0)
        fit = best_of({"ours": partial(ours.fit, X, y), "theirs": partial(theirs.fit, X, y)}, 2 if quick else 4)
        ratio = fit["ours"] / fit["theirs"]
        if paper is not None:
            met.append(ratio <= paper)
            half.append(ratio <= paper / 2)
        rows.append(
            [
                f"{name} {X.shape[0]} x {X.shape[1]}",
                f"{ratio:.1f}x",
                "" if paper is None else f"{paper:.0f}x",
                f"{1e3 * fit['ours']:.1f} ms",
                f"{1e3 * fit['theirs']:.1f} ms",
                str(ours.get_n_leaves()),
                str(theirs.get_n_leaves()),
            ]
        )
    return Result(
        "CE-DT: time of a fit over scikit-learn's tree, one thread",
        ("data", "ratio", "paper's ratio to its own tree", "ours", "scikit-learn", "leaves", "scikit-learn's"),
        rows,
        {"no more than the paper's ratio": all(met), "no more than half of it": all(half)},
    )


def _sets(quick: bool, data: Path | None) -> Iterator[tuple[str, NDArray[np.float64], Any, float | None]]:
    if data is None:
        for name, load in (("wine", load_wine), ("breast cancer", load_breast_cancer), ("digits", load_digits)):
            X, y = load(return_X_y=True)
            yield name, X, y, TABLE_12.get(name)
        return
    import pandas as pd

    for name, ratio in TABLE_12.items():
        if quick and name not in QUICK:
            continue
        file = next((f for f in (data / f"{name}.csv", data / f"{name}.csv.gz") if f.exists()), None)
        if file is None:
            continue
        frame = pd.read_csv(file, keep_default_na=False, na_values=[""])
        X = encode(frame.iloc[:, :-1])
        yield name, np.where(np.isnan(X), np.nanmedian(X, axis=0), X), frame.iloc[:, -1].to_numpy(), ratio


# --- scoring


def _rate(quick: bool) -> Result:
    rng = np.random.default_rng(0)
    kernel = as_criterion("gini", classification=True).kernel
    rows, shares = [], []
    for n, d, planes in ((4000, 4, 200), (4000, 16, 400), (4000, 36, 900), (2000, 64, 1400), (1500, 256, 5400)):
        X, y = rng.normal(size=(n, d)), rng.integers(0, 5, n).astype(np.int32)
        target = Table(X, y, np.ones(n), np.ones(n), 5, ("",) * d).target
        drawn = _core.draw_directions(np.zeros(d + 1), 0.0, planes, 0, 1, False)
        single, rowed = drawn.astype(np.float32), np.column_stack([X, np.ones(n)]).astype(np.float32)
        numbers, features = np.arange(n, dtype=np.uint32), np.arange(d)
        shift, inverse = np.zeros(d), np.ones(d)

        given = kernel, target, X, numbers, features, shift, inverse, drawn, None, 1, 1, False
        score, product = partial(_core.score_planes, *given), partial(np.matmul, rowed, single.T)
        time = best_of({"score": score, "product": product}, 3 if quick else 10)
        operations = 2 * n * (d + 1) * planes / 1e9
        share = time["product"] / time["score"]
        if d >= 16:
            shares.append(share)
        rates = [f"{operations / time[name]:.1f} GFLOP/s" for name in ("score", "product")]
        rows.append([f"{n} rows, {d} features, {planes} planes", *rates, f"{100 * share:.0f}%"])
    return Result(
        "CE-DT: scoring planes, beside NumPy's float32 product of the same matrices, one thread",
        ("size", "ours, with the counts", "NumPy, the product alone", "share"),
        rows,
        {"at least 60% for 16 features and more": min(shares) >= 0.6},
    )


# --- rows


def _size(quick: bool) -> Result:
    sizes = (20_000, 50_000) if quick else (125_000, 250_000, 500_000, 1_000_000)
    rows, memory, each = [], [], []
    for n in sizes:
        command = [sys.executable, __file__, "--rows", str(n)]
        seconds, added = map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
        size = n * 20 * 8
        memory.append(added / size)
        each.append(seconds / n)
        rows.append(
            [
                f"{n:,} x 20",
                f"{seconds:.2f} s",
                f"{1e6 * seconds / n:.2f} us",
                f"{added / 1e6:.0f} MB",
                f"{1 + added / size:.2f}x",
            ]
        )
    return Result(
        "CE-DT: depth 4 on more and more rows",
        ("size", "time", "a row", "added to the peak", "data and what is added, over the data"),
        rows,
        {
            "data and what is added below 1.3x the data": memory[-1] < 0.3,
            "linear in the rows": each[-1] < 1.5 * each[0],
        },
    )


def _fit_rows(n: int) -> None:
    """Print the time of a fit and the bytes that it adds to the peak of this process."""
    CEDTClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1])  # loads what is loaded late
    rng = np.random.default_rng(0)
    X = np.empty((n, 20))
    for start in range(0, n, 10_000):  # made in pieces: nothing large is there before the fit
        X[start : start + 10_000] = rng.normal(size=(min(10_000, n - start), 20))
    y = (X[:, :10].sum(axis=1) + X[:, 10] ** 2 > 0).astype(np.int64)
    model = CEDTClassifier(max_depth=4, random_state=0)
    before = _peak()
    start_time = perf_counter()
    model.fit(X, y)
    print(perf_counter() - start_time, _peak() - before)


def _peak() -> int:
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if "VmHWM" in line)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def best_of(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the shortest time of each call in seconds; the calls take turns."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            gc.collect()
            start = perf_counter()
            kept = call()
            best[name] = min(best[name], perf_counter() - start)
            del kept
    return best


def main() -> None:
    folder = os.environ.get("ASKEW_DATA")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, default=Path(folder) if folder else None)
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.rows:
        _fit_rows(arguments.rows)
        return
    for result in run(arguments.quick, arguments.data):
        print(f"\n{result.title}")
        for row in ([*result.columns], *result.rows):
            print("  " + "  ".join(text.rjust(16) if i else text.ljust(36) for i, text in enumerate(row)))
        for goal, met in result.goals.items():
            print(f"  {'met' if met else 'MISSED'}: {goal}")


if __name__ == "__main__":
    main()
