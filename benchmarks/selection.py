"""Refinement: one evaluation of its loss and gradient beside NumPy's product of the same size; the time of AutoTree."""

from __future__ import annotations

from time import process_time

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification

from askew import AutoTreeClassifier, CARTClassifier, _core
from askew.data.table import Table
from askew.refinement.soft import _SoftFit
from benchmarks import sets
from benchmarks.report import Goal, Options, Section, times
from benchmarks.timing import best_of

PLANES = 20
SIZES = (1_000, 3_000, 10_000, 30_000)
FEW = 999


def run(options: Options) -> list[Section]:
    return [_evaluation(options), _few_rows(options), _growth_with_rows(options)]


def _evaluation(options: Options) -> Section:
    X, y = sets.classes(10_000 if options.quick else 100_000)
    tree = CARTClassifier(max_leaf_nodes=PLANES + 1).fit(X, y)
    ones = np.ones(y.size)
    table = Table(
        X, tree.classes_.searchsorted(y).astype(np.int32), ones, ones, tree.classes_.size, ("x",) * X.shape[1]
    )
    soft = _SoftFit(tree.tree_, table, 1)
    X = soft.scaled_rows()
    planes, leaves = soft.start()

    def product() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Do both products of a gradient: distances, and sums over the rows."""
        distance = X @ planes[:, :-1].T
        return distance, distance.T @ X

    def leaves_work() -> NDArray[np.float64]:
        """Do the least that leaves ask for: an exponential and a logarithm a plane, an exponential a leaf."""
        value = np.exp(-np.abs(distances))
        return np.log1p(value) + np.exp(-np.abs(distances))

    distances = X @ planes[:, :-1].T
    found = best_of(
        {
            "evaluation": lambda: _core.soft_loss(soft.kernel, planes, leaves, sharpness=1.0, threads=1),
            "X @ W.T": lambda: X @ planes[:, :-1].T,
            "both products": product,
            "leaves": leaves_work,
        },
        3 if options.quick else 7,
    )
    ratio = found["evaluation"] / (found["X @ W.T"] + found["leaves"])
    return Section(
        "One evaluation of a refinement",
        f"{PLANES} planes, {X.shape[0]:,} x {X.shape[1]} rows, one thread. The leaves' work is three exponentials or "
        "logarithms a row and plane in NumPy. An evaluation also has the gradient, which is a second product.",
        ("what", "seconds"),
        [[name, f"{seconds:.4f} s"] for name, seconds in found.items()],
        goals=[Goal(f"within 2x of the product and the leaves' work: {times(ratio)}", ratio <= 2)],
    )


def _few_rows(options: Options) -> Section:
    n = 200 if options.quick else FEW
    rows, worst = [], 0.0
    for n_classes in (2, 3):
        X, y = make_classification(n, 30, n_informative=10, n_classes=n_classes, random_state=0)
        tree = AutoTreeClassifier(random_state=0)
        seconds = best_of({"fit": lambda X=X, y=y, tree=tree: tree.fit(X, y)}, 1, process_time)["fit"]
        worst = max(worst, seconds)
        rows.append([f"{n_classes}", f"{seconds:.3g} s", tree.chosen_])
    return Section(
        f"AutoTree on {n:,} x 30 rows",
        "Made up, 10 of the 30 features tell something; default settings, processor time of one thread.",
        ("classes", "fit", "chosen"),
        rows,
        goals=[Goal(f"no longer than 5 s: {worst:.3g} s", worst <= 5)],
    )


def _growth_with_rows(options: Options) -> Section:
    sizes = SIZES[:2] if options.quick else SIZES
    X, y = sets.classes(sizes[-1])
    rows, goals, first = [], [], 0.0
    for n in sizes:
        tree = AutoTreeClassifier(random_state=0)
        seconds = best_of({"fit": lambda n=n, tree=tree: tree.fit(X[:n], y[:n])}, 1, process_time)["fit"]
        first = first or seconds / n
        goals += [Goal(f"{n:,} rows: no longer than 60 s: {seconds:.3g} s", seconds <= 60)] * (n == 10_000)
        rows.append([f"{n:,}", f"{seconds:.3g} s", times(seconds / n / first), tree.chosen_])
    return Section(
        "AutoTree with the rows",
        "The first rows of one made-up set of 20 features, default settings, processor time of one thread.",
        ("rows", "fit", f"time a row, to that of {sizes[0]:,}", "chosen"),
        rows,
        goals=goals,
    )
