"""A mixed load for an hour, beside other work, and by how much the memory of its process grows."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.report import Goal, Section
from sklearn.datasets import load_diabetes, load_wine

import askew
from trust import ROOT
from trust.budget import Budget, count
from trust.models import ENSEMBLES, KINDS, is_classifier, make, memory_folder

HOUR = 3600.0
GROWTH = 4_000_000  # bytes in the second half: what fragments of freed memory may take
THREADS = 4
# What every model can be asked for, and what a tree alone can.
OF_ALL: tuple[Callable[[Any, Any], Any], ...] = (
    lambda model, X: askew.export_c(model),
    lambda model, X: askew.export_json(model),
    lambda model, X: askew.export_python(model),
    lambda model, X: askew.export_sql(model, "t"),
    lambda model, X: askew.export_text(model),
    lambda model, X: askew.shapley(model, X[:2], X[:5]),
)
OF_TREES: tuple[Callable[[Any, Any], Any], ...] = (
    lambda model, X: askew.export_dot(model),
    lambda model, X: askew.export_rules(model),
    lambda model, X: askew.explain(model, X[0]),
    lambda model, X: _nearest_change(model, X),
)


def run(budget: Budget) -> list[Section]:
    """Load a process of low priority for an hour, or for the time that there is; wait for it."""
    seconds = min(HOUR, budget.seconds)
    command = [sys.executable, "-m", "trust.load", str(seconds), "6" if budget.quick else "1"]
    child = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    return [section([json.loads(line) for line in child.stdout.splitlines()], child.returncode)]


def section(measured: list[dict[str, float]], exit_code: int = 0) -> Section:
    """Return the table: where the measures are at the half, at the end, and by how much they grow between."""
    seconds = [one["seconds"] for one in measured]
    rows, growth = [], float("inf")
    for name, unit in MEASURES.items():
        values = [one[name] / unit for one in measured]
        half = len(values) // 2
        grown = _grown(seconds[half:], values[half:]) if len(values) > 3 else float("inf")
        growth = min(growth, grown * unit) if name == "resident" else growth
        rows.append((LABELS[name], *(f"{values[i]:,.1f}" if values else "" for i in (0, half, -1)), f"{grown:+.2f}"))
    length = seconds[-1] if seconds else 0.0
    text = (
        f"{count(len(measured))} rounds in {length / 60:.0f} minutes, by a process of lowest priority beside the other "
        f"sections. A round is every estimator once, in random order, in {THREADS} threads: fit on random rows, "
        "predict, save, load, pickle, every export, explanations, and calls that must be refused. After each round "
        "free memory is given back to the system (malloc_trim; a leak is not free and stays), then measured. Growth is "
        "the slope of a straight line through the second half, times its length."
    )
    goals = (
        Goal(f"memory grows by no more than {GROWTH / 1e6:.0f} MB in the second half", growth <= GROWTH),
        Goal(f"an hour without an error: {length / 60:.0f} minutes", exit_code == 0 and length >= 0.95 * HOUR),
    )
    return Section("Memory over a mixed load", text, ("measure", "first", "half", "last", "growth"), rows, goals)


MEASURES = {"resident": 1e6, "in_use": 1e6, "blocks": 1e3}
LABELS = {
    "resident": "resident memory, MB",
    "in_use": "in use by malloc, MB",
    "blocks": "blocks of Python objects, thousands",
}


def _grown(seconds: list[float], values: list[float]) -> float:
    slope = np.polyfit(seconds, values, 1)[0]
    return float(slope) * (seconds[-1] - seconds[0])


# --- the process


def main(seconds: float, step: int) -> None:
    """Print what is in use after each round, a JSON object a line."""
    os.nice(19)
    warnings.simplefilter("ignore")
    kinds, rng = KINDS[::step], np.random.default_rng()
    start = time.monotonic()
    while True:
        jobs = [(kinds[i], int(rng.integers(2**31))) for i in rng.permutation(len(kinds))]
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in pool.map(lambda job: use(*job), jobs):
                pass
        print(json.dumps({"seconds": time.monotonic() - start, **measure()}), flush=True)
        if time.monotonic() - start > seconds:
            return


def use(cls: type[Any], seed: int) -> None:
    """Do with one estimator what a user can do."""
    rng = np.random.default_rng(seed)
    X, y = load_wine(return_X_y=True) if is_classifier(cls) else load_diabetes(return_X_y=True)
    rows = rng.choice(len(y), 80, replace=False)
    X, y = X[rows, :5], y[rows]
    model = make(cls, random_state=seed, n_jobs=int(rng.integers(1, 3))).fit(X, y)
    for one in (model, _through_file(model), pickle.loads(pickle.dumps(model))):
        one.predict(X)
    if hasattr(model, "predict_proba"):
        model.predict_proba(X)
    for call in OF_ALL if cls in ENSEMBLES else OF_ALL + OF_TREES:
        call(model, X)
    _refused(lambda: model.predict(X[:, :2]))
    _refused(lambda: make(cls).fit(np.full_like(X, np.inf), y))


def _nearest_change(model: Any, X: Any) -> None:
    wanted = None if hasattr(model, "classes_") else (None, float(model.predict(X).mean()))
    with suppress(ValueError):  # a tree of one leaf has nothing else to predict
        askew.counterfactual(model, X[0], wanted)


def _through_file(model: Any) -> Any:
    """Return the model as it is after saving and loading; a damaged file is refused."""
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        path = Path(folder) / "m.askew"
        askew.save(model, path)
        loaded = askew.load(path)
        path.write_bytes(path.read_bytes()[:-9])
        _refused(lambda: askew.load(path))
    return loaded


def _refused(call: Callable[[], Any]) -> None:
    with suppress(ValueError):
        call()
        raise AssertionError("what must be refused was not")


def measure() -> dict[str, float]:
    """Return the bytes that are resident and in use, and Python's blocks, after giving back what is free."""
    gc.collect()
    libc = ctypes.CDLL(None)
    libc.malloc_trim(0)
    libc.mallinfo2.restype = _MallInfo
    info = libc.mallinfo2()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "resident": pages * resource.getpagesize(),
        "in_use": info.uordblks + info.hblkhd,
        "blocks": sys.getallocatedblocks(),
    }


class _MallInfo(ctypes.Structure):
    """What glibc's mallinfo2 returns."""

    _names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = [(name, ctypes.c_size_t) for name in _names]


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
