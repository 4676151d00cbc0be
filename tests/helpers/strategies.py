"""Data for the property tests: small tables with duplicates, ties and constant columns."""

import os

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from askew.data.table import Table

settings.register_profile("askew", deadline=None, max_examples=25, derandomize=not os.environ.get("ASKEW_FUZZ"))
settings.register_profile("quick", settings.get_profile("askew"), max_examples=5)  # of make check
settings.load_profile("askew")

seeds = st.integers(0, 2**32 - 1)


def make_table(X, y, weight=None, multiplicity=None, n_classes=None):
    """A `Table` of plain arrays; whole-number y are classes unless `n_classes` is 0."""
    X = np.ascontiguousarray(X, dtype=np.float64)
    n_classes = int(np.max(y)) + 1 if n_classes is None else n_classes
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=np.float64)
    return Table(
        X,
        np.asarray(y, dtype=np.int32 if n_classes else np.float64),
        weight,
        weight if multiplicity is None else np.asarray(multiplicity, dtype=np.float64),
        n_classes,
        tuple(f"x{j}" for j in range(X.shape[1])),
    )


@st.composite
def tables(draw, classification=True, max_rows=24, max_features=3, weighted=True):
    """Small whole numbers: sums are exact, values repeat, and equally good cuts abound."""
    n = draw(st.integers(1, max_rows))
    d = draw(st.integers(1, max_features))
    column = st.lists(st.integers(-3, 3) | st.integers(-50, 50), min_size=n, max_size=n)
    X = np.array([draw(column) for _ in range(d)], dtype=np.float64).T
    top = draw(st.integers(0, 3)) if classification else 8
    y = np.array(draw(st.lists(st.integers(0, top), min_size=n, max_size=n)))
    weight = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))) if weighted else None
    return make_table(X, y, weight, n_classes=top + 1 if classification else 0)


@st.composite
def scattered_tables(draw, max_rows=24, varying=False):
    """Points without structure, or on a small grid (coincident crossings, ties); `varying`: no column is constant."""
    n, d, k = draw(st.integers(4, max_rows)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(seeds))
    X = rng.normal(size=(n, d)) if draw(st.booleans()) else rng.integers(-2, 3, size=(n, d)).astype(float)
    if varying:
        X[0], X[1] = -3, 3
    weight = rng.integers(1, 4, size=n) if draw(st.booleans()) else None
    return make_table(X, rng.integers(k, size=n), weight, n_classes=k)


def count_pairs(max_classes=5, largest=60):
    """Class counts of two children, neither empty."""

    def pair(k):
        side = st.lists(st.integers(0, largest), min_size=k, max_size=k).filter(any)
        return st.tuples(side, side)

    return st.integers(1, max_classes).flatmap(pair)


def noisy_data(seed, n=60, d=3, n_classes=3):
    """Data without equally good cuts, as a rule: values differ, and weights are uneven whole numbers."""
    rng = np.random.default_rng(seed)
    X = np.array([rng.permutation(8 * n)[:n] for _ in range(d)], dtype=np.float64).T
    y = rng.integers(n_classes, size=n)
    y[:n_classes] = range(n_classes)
    return X, y, rng.integers(1, 98, size=n).astype(float)
