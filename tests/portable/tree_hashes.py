"""Hashes of the trees of every estimator, to compare builds: `tree_hashes.py OUT.json`, then `tree_hashes.py A B ...`.

A tree's hash is over all of its arrays, so that equal hashes mean trees equal in every bit.
"""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_regression

import askew

CRITERIA = {
    True: ["gini", "twoing", "entropy", "gain_ratio", "sum_minority"],
    False: ["squared_error", "absolute_error"],
}


def tables(*, classification: bool) -> dict[str, tuple[Any, Any]]:
    """Return small data of several kinds: real, with many ties, and of many columns."""
    rng = np.random.default_rng(0)
    if not classification:
        return {
            "diabetes": load_diabetes(return_X_y=True),
            "linear": make_regression(300, 6, noise=5, random_state=2),
        }
    ties = rng.integers(0, 4, (200, 5)).astype(float)
    X, y = load_breast_cancer(return_X_y=True)
    return {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "cancer": (X[:250], y[:250]),
        "ties": (ties, (ties.sum(axis=1) > 7).astype(int)),
    }


def digest(model: Any) -> str:
    """Return the hash of a model's tree, or of those of all of its parts."""
    if not hasattr(model, "tree_"):
        return "|".join(digest(part) for part in getattr(model, "estimators_", []))
    whole = hashlib.sha256()
    for name, array in sorted(model.tree_.arrays().items()):
        whole.update(name.encode() + np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()[:16]


def fits() -> Iterator[tuple[str, str]]:
    """Fit every estimator with every criterion that it takes on every table."""
    for name in sorted(n for n in askew.__all__ if n.endswith(("Classifier", "Regressor"))):
        classification, kind = name.endswith("Classifier"), getattr(askew, name)
        given = kind().get_params()
        fixed = {key: value for key, value in {"random_state": 0, "max_depth": 5}.items() if key in given}
        for table, (X, y) in tables(classification=classification).items():
            rows, columns = (100, 5) if "ELC" in name else (250, 12)
            weight = np.random.default_rng(3).random(len(y[:rows])) + 0.1
            several = "criterion" in given and "split" not in given  # a forest's own splits take their own
            for criterion in CRITERIA[classification] if several else [None]:
                chosen = {} if criterion is None else {"criterion": criterion}
                for weighted in (False, True):
                    model = kind(**fixed, **chosen)
                    model.fit(X[:rows, :columns], y[:rows], *([weight] if weighted else []))
                    yield f"{name}/{table}/{criterion}/{'weighted' if weighted else 'plain'}", digest(model)


def compare(files: list[str]) -> int:
    """Print which trees are not the same in all files; return how many."""
    found = {name: json.loads(Path(name).read_text()) for name in files}
    keys = sorted(set().union(*found.values()))
    other = [key for key in keys if len({hashes.get(key) for hashes in found.values()}) > 1]
    for key in other:
        print(key, {Path(name).stem: hashes.get(key) for name, hashes in found.items()})
    print(f"{len(keys)} trees from {len(files)} builds: {len(other)} differ")
    return len(other)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if len(sys.argv) > 2:
        sys.exit(min(compare(sys.argv[1:]), 1))
    Path(sys.argv[1]).write_text(json.dumps(dict(fits()), indent=0))
