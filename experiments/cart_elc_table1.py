"""CART-ELC, Table 1, measured: seconds for one split against n and r, by the sweep and by brute force."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import comb, inf
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.criterion import as_criterion
from experiments.experiment import Cell, Experiment, Figure, Measure, Outcome, Part

OPERATIONS = Measure("operations", 0)
SWEEP = Measure("sweep, ms", 0, decimals=2, timed=True)
BRUTE = Measure("brute force, ms", 0, decimals=2, timed=True)

# What is measured: n for each r. Three or more sizes each, those of the paper among them, up to some ten seconds.
_SWEEP = {
    1: (100, 500, 1000, 5000, 10000, 20000),
    2: (100, 500, 1000, 5000, 10000, 20000),
    3: (100, 200, 500, 1000),
    4: (50, 100, 200),
}
_BRUTE = {
    1: (100, 500, 1000, 5000, 10000, 20000),
    2: (100, 500, 1000),
    3: (100, 200),
    4: (50, 100),
}
# Of brute force: wider than rounding, far below the distance of any two samples, so that both find the same plane.
TOLERANCE = 1e-12
# Table 1, the rows of r = 1 to 4.
_PAPER_N = (100, 500, 1000, 5000, 10000, 20000)
_PAPER = {
    1: "1.01e+04 2.50e+05 1.00e+06 2.50e+07 1.00e+08 4.00e+08",
    2: "1.03e+06 1.26e+08 1.00e+09 1.25e+11 1.00e+12 8.00e+12",
    3: "5.29e+07 3.16e+10 5.03e+11 3.13e+14 5.00e+15 8.00e+16",
    4: "1.82e+09 5.31e+12 1.68e+14 5.22e+17 1.67e+19 5.34e+20",
}


def operations(n: int, r: int) -> int:
    """Return the paper's count of operations for one split with r features (ELC, section 2.4.1).

    Examples
    --------
    >>> from experiments.cart_elc_table1 import operations
    >>> f"{operations(500, 2):.2e}"
    '1.26e+08'
    """
    return comb(n, r) * r * (r * r + n)


def one_split(n: int, d: int, r: int, *, brute: bool) -> Callable[[], Any]:
    """Return the search for the split of one node on one thread: made-up rows, two classes that overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = (X.sum(axis=1) + rng.normal(size=n) > 0).astype(np.int32)
    target = _core.Target(label=y, y=None, weight=None, multiplicity=None, k=2)
    kernel = as_criterion("gini", classification=True).kernel
    everyone = np.arange(n, dtype=np.uint32)
    node = _core.Node(target=target, X=X, rows=everyone, min_samples_leaf=1.0, min_weight_leaf=0.0, threads=1)
    tolerance = TOLERANCE if brute else None
    rules = _core.ExhaustiveRules(r=r, both=False, eigen=False, half_way=False, side_tol=tolerance)
    features = np.arange(d)
    return lambda: _core.exhaustive(kernel, node, rules, features=features, units=0, seconds=inf, seed=0, progress=None)


def exponent(seconds: Mapping[int, float]) -> float:
    """Return p of the growth n^p: the slope of the logarithms, over the sizes that are not too small to time.

    Examples
    --------
    >>> from experiments.cart_elc_table1 import exponent
    >>> round(exponent({100: 0.01, 200: 0.08}), 6)
    3.0
    """
    kept = {n: s for n, s in seconds.items() if s >= _SHORT} if len(seconds) > 2 else seconds
    kept = kept if len(kept) > 1 else seconds
    return float(np.polyfit(np.log(list(kept)), np.log(list(kept.values())), 1)[0])


_SHORT = 5e-4  # seconds: below, making ready takes as long as the search


@dataclass(frozen=True)
class OneSplit:
    """The shortest processor time of several runs of one split; each cell is a number of samples and an r."""

    rounds: int = 3

    def n_parts(self) -> int:
        """Return 1: a split is one part."""
        return 1

    def run(self, cell: Cell, number: int, X: NDArray[np.float64], y: NDArray[Any]) -> Part:
        """Time the searches that the cell names; its rows are made up."""
        n, r = cell.parameters["n"], cell.parameters["r"]
        wanted = {SWEEP: False, BRUTE: True} if cell.parameters["brute"] else {SWEEP: False}
        times = {m.name: 1000 * self._seconds(one_split(n, r, r, brute=brute)) for m, brute in wanted.items()}
        return {OPERATIONS.name: float(operations(n, r)), **times}

    def _seconds(self, call: Callable[[], Any]) -> float:
        best = float("inf")
        for _ in range(self.rounds):
            start = process_time()
            call()
            best = min(best, process_time() - start)
            if best > 2:  # long enough to be right at once
                break
        return best

    def identity(self, number: int) -> str:
        """Say how often a split is run."""
        return f"best of {self.rounds}"

    def combine(self, parts: list[Part], paper: Mapping[str, Figure]) -> tuple[dict[str, Figure], str]:
        """Return the times."""
        return {name: Figure(value, None, 2) for name, value in parts[0].items()}, ""

    def quick(self) -> OneSplit:
        """Return one round."""
        return replace(self, rounds=1)

    def describe(self) -> str:
        """Say what is done."""
        return (
            "Milliseconds of the processor for one split, on one thread: n samples of r features, two classes that "
            f"overlap, Gini; the best of {self.rounds} runs. The paper counts operations of brute force: "
            "C(n, r) r (r² + n). Both searches return the same plane."
        )


def _cells() -> list[Cell]:
    cells = []
    for r, sizes in _SWEEP.items():
        printed = dict(zip(_PAPER_N, _PAPER[r].split(), strict=True))
        for n in sizes:
            paper = {OPERATIONS.name: Figure(float(printed[n]))} if n in printed else {}
            settings = {"n": n, "r": r, "brute": n in _BRUTE[r]}
            cells.append(Cell(f"n = {n:,}", f"r = {r}", paper, None, "CARTELCClassifier", settings))
    return cells


def conclude(outcome: Outcome) -> list[str]:
    """Return the fitted growth of both searches, and how much faster the sweep is."""
    lines = [
        "Growth fitted to these times (a straight line through their logarithms, where they are above half a "
        "millisecond), and the gain at the largest n that both were run at.",
        "",
        "| r | sweep | brute force | sweep is faster |",
        "|---|---|---|---|",
    ]
    for r in _SWEEP:
        times: dict[Measure, dict[int, float]] = {SWEEP: {}, BRUTE: {}}
        for cell in EXPERIMENT.cells:
            figures = outcome.get((cell.data, cell.method), {})
            for measure, found in times.items():
                if cell.parameters["r"] == r and measure.name in figures:
                    found[cell.parameters["n"]] = figures[measure.name].mean / 1000
        both = sorted(set(times[SWEEP]) & set(times[BRUTE]))
        if not both:
            continue
        growth = [f"n^{exponent(found):.2f}" if len(found) > 1 else "" for found in times.values()]
        gain = times[BRUTE][both[-1]] / times[SWEEP][both[-1]]
        lines.append(f"| {r} | {growth[0]} | {growth[1]} | {gain:,.0f}x at n = {both[-1]:,} |")
    return lines


EXPERIMENT = Experiment(
    name="cart-elc-table1",
    title="CART-ELC: seconds for one split, by the sweep and by brute force",
    source="Laack, CART-ELC: Oblique Decision Tree Induction via Exhaustive Search (2025), section 2.4.2, Table 1",
    measures=(OPERATIONS, SWEEP, BRUTE),
    cells=tuple(_cells()),
    trials=OneSplit(),
    notes=("Sizes without a printed count are there to fit the growth. Empty: it would take more than some seconds.",),
    quick_data=("n = 100", "n = 200", "n = 500"),
    conclude=conclude,
)
