"""What a fit adds to peak memory, beside the size of X, and what `import askew` adds to `import sklearn`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from askew import CARTClassifier
from benchmarks import sets
from benchmarks.report import Goal, Options, Section, times
from benchmarks.timing import in_own_process, peak


def run(options: Options) -> list[Section]:
    return [*_peak_of_fit(options), *_imports(options)]


# --- peak memory of a fit


ESTIMATORS = {"askew": CARTClassifier, "scikit-learn": DecisionTreeClassifier}


def _peak_of_fit(options: Options) -> list[Section]:
    n, d = (50_000 if options.quick else 1_000_000), 20
    megabytes = n * d * 8 / 1e6
    with tempfile.TemporaryDirectory() as folder:
        in_own_process(save, n, folder)
        added = {name: in_own_process(fit, name, folder) / 1e6 for name in ESTIMATORS}
    return [
        Section(
            "Peak memory of a fit",
            f"What fitting {n:,} x {d} (X: {megabytes:,.0f} MB of float64) adds to the peak of its process.",
            ("tree", "added", "over the size of X"),
            [[name, f"{mb:,.0f} MB", times(mb / megabytes)] for name, mb in added.items()],
            [Goal("fit adds no more than 1.5x the size of X", added["askew"] <= 1.5 * megabytes)],
        )
    ]


def save(n: int, folder: str) -> None:
    """Write made-up rows."""
    X, y = sets.classes(n)
    np.save(Path(folder) / "X.npy", X)
    np.save(Path(folder) / "y.npy", y)


def fit(name: str, folder: str) -> int:
    """Return the bytes that a fit adds to the peak."""
    estimator = ESTIMATORS[name]()
    estimator.fit([[0.0], [1.0]], [0, 1])  # loads what is loaded late
    X, y = np.load(Path(folder) / "X.npy"), np.load(Path(folder) / "y.npy")
    before = peak()
    estimator.fit(X, y)
    return peak() - before


# --- imports


LIMIT = 0.050
# One clock in one process: the difference of two processes would drown in their noise.
SCRIPT = """
from time import perf_counter
start = perf_counter()
import sklearn
middle = perf_counter()
import askew
print(middle - start, perf_counter() - middle)
"""


def _imports(options: Options) -> list[Section]:
    command = [sys.executable, "-c", SCRIPT]
    outputs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for _ in range(3 if options.quick else 12)
    ]
    sklearn, added = (min(times) for times in zip(*(map(float, out.split()) for out in outputs), strict=True))
    return [
        Section(
            "Import",
            "In a new interpreter, one after the other.",
            ("statement", "time"),
            [["import sklearn", f"{1000 * sklearn:.0f} ms"], ["then import askew", f"{1000 * added:.0f} ms"]],
            [Goal(f"import askew adds no more than {1000 * LIMIT:.0f} ms", added <= LIMIT)],
        )
    ]
