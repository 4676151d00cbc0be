"""How the time of a fit grows with the rows, beside n log n."""

from __future__ import annotations

from math import log2

from askew import CARTClassifier
from benchmarks import sets
from benchmarks.report import Options, Section, times
from benchmarks.timing import best_of

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)


def run(options: Options) -> list[Section]:
    sizes = SIZES[:3] if options.quick else SIZES
    X, y = sets.classes(sizes[-1])
    rows, first = [], 0.0
    for n in sizes:
        tree = CARTClassifier()
        seconds = best_of({"fit": lambda n=n, tree=tree: tree.fit(X[:n], y[:n])}, 2 if n > 100_000 else 4)["fit"]
        unit = seconds / (n * log2(n))
        first = first or unit
        rows.append(
            [f"{n:,}", f"{seconds:.3g} s", times(unit / first), f"{tree.get_n_leaves():,}", str(tree.get_depth())]
        )
    return [
        Section(
            "Growth with the rows",
            "The first rows of one made-up set of 20 features. 1.00x in the third column would be n log n exactly; "
            "a deeper tree and caches that no longer hold the rows raise it.",
            ("rows", "fit", f"time / n log n, to that of {sizes[0]:,}", "leaves", "depth"),
            rows,
        )
    ]
