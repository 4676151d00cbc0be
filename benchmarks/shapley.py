"""Exact Shapley values of one row: a tree of 10 leaves on 20 features, against 100 background rows.

The aim is 50 ms. Planes with all 20 features are the worst case: up to 2^20 mixtures of two rows. Beside it, what the
permutations need for the same row, and by how much they miss.
"""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

import askew

AIM = 0.050
SEARCHES = ("axis", "cart_lc", "oc1", "linear", "householder")


def timed(tree: Any, rows: Any, background: Any, method: str, times: int) -> tuple[float, Any]:
    """Return the seconds of the processor, the least of several, and the values."""
    seconds = []
    for _ in range(times):
        start = process_time()
        found = askew.shapley(tree, rows, background, method=method)
        seconds.append(process_time() - start)
    return min(seconds), found


def main() -> None:
    X, y = make_classification(
        n_samples=2000, n_features=20, n_informative=10, n_redundant=4, n_classes=3, flip_y=0.05, random_state=0
    )
    print("milliseconds for one row against 100, 20 features, on one thread; median and largest of 10 rows; aim: 50")
    print(f"{'search':<12} {'leaves':>6} {'terms':>6} {'exact':>8} {'largest':>8} {'sampled':>8} {'its error':>10}")
    for search in SEARCHES:
        tree = askew.ObliqueTreeClassifier(search=search, max_leaf_nodes=10, random_state=0).fit(X, y)
        exact, sampled, misses = [], [], []
        for i in range(100, 110):
            seconds, values = timed(tree, X[i : i + 1], X[:100], "exact", 3)
            draws, rough = timed(tree, X[i : i + 1], X[:100], "sampled", 1)
            exact.append(1e3 * seconds)
            sampled.append(1e3 * draws)
            misses.append(np.abs(values.values - rough.values).max())
        size = f"{tree.get_n_leaves():>6} {tree.terms_:>6}"
        times = f"{median(exact):>8.1f} {max(exact):>8.1f} {median(sampled):>8.1f}"
        print(f"{search:<12} {size} {times} {max(misses):>10.4f}{'' if max(exact) < 1e3 * AIM else '  missed'}")


if __name__ == "__main__":
    main()
