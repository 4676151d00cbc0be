"""What a fit adds to peak memory, beside the size of X. Each fit has a process of its own."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from askew import CARTClassifier
from benchmarks import sets
from benchmarks.report import Goal, Options, Section, times

ESTIMATORS = {"askew": CARTClassifier, "scikit-learn": DecisionTreeClassifier}


def run(options: Options) -> list[Section]:
    n, d = (50_000 if options.quick else 1_000_000), 20
    megabytes = n * d * 8 / 1e6
    with tempfile.TemporaryDirectory() as folder:
        _in_own_process("save", str(n), folder)
        added = {name: float(_in_own_process("fit", name, folder)) / 1e6 for name in ESTIMATORS}
    return [
        Section(
            "Peak memory of a fit",
            f"What fitting {n:,} x {d} (X: {megabytes:,.0f} MB of float64) adds to the peak of its process.",
            ("tree", "added", "over the size of X"),
            [[name, f"{mb:,.0f} MB", times(mb / megabytes)] for name, mb in added.items()],
            [Goal("fit adds no more than 1.5x the size of X", added["askew"] <= 1.5 * megabytes)],
        )
    ]


def _in_own_process(*arguments: str) -> str:
    command = [sys.executable, "-m", "benchmarks.memory", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _save(n: int, folder: Path) -> None:
    X, y = sets.classes(n)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)


def _fit(name: str, folder: Path) -> None:
    """Print the bytes that a fit adds to the peak."""
    estimator = ESTIMATORS[name]()
    estimator.fit([[0.0], [1.0]], [0, 1])  # loads what is loaded late
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    before = peak()
    estimator.fit(X, y)
    print(peak() - before)


def peak() -> int:
    """Return the peak of this process in bytes.

    Linux hands `ru_maxrss` down to a new process from the one that started it, so its own book is read there.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    task, what, where = sys.argv[1:]
    if task == "save":
        _save(int(what), Path(where))
    else:
        _fit(what, Path(where))
