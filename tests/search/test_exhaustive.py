import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import exhaustive as reference
from strategies import make_table

from askew import _core
from askew.criterion import CLASSIFICATION, REGRESSION, as_criterion

KINDS = [(name, True) for name in CLASSIFICATION] + [(name, False) for name in REGRESSION]


@st.composite
def lattice_tables(draw, r, max_rows=9, max_features=None, classification=True, width=3, weighted=False):
    """Few small whole numbers: samples coincide, lie on lines and planes, and planes score equally."""
    n = draw(st.integers(1, max_rows))
    d = draw(st.integers(r, max_features or r + 1))
    row = st.lists(st.integers(0, width), min_size=d, max_size=d)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=np.float64)
    top = draw(st.integers(1, 2)) if classification else 4
    y = draw(st.lists(st.integers(0, top), min_size=n, max_size=n))
    weight = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)) if weighted else None
    return make_table(X, y, weight, n_classes=top + 1 if classification else 0)


def arguments(table, name, r, orientation, degenerate):
    criterion = as_criterion(name, classification=table.classification)
    rows, features = np.arange(table.n_rows, dtype=np.uint32), np.arange(table.n_features)
    both, eigen = orientation == "both", degenerate == "eigen"
    return (criterion.kernel, table.target, table.X, rows, features, r, both, eigen)


def sweep(table, name="gini", r=2, orientation="canonical", degenerate="skip", least=1.0, threads=1, **budget):
    shared = arguments(table, name, r, orientation, degenerate)
    units, seconds, seed = budget.get("units", 0), budget.get("seconds", np.inf), budget.get("seed", 0)
    return _core.exhaustive(*shared, False, least, units, seconds, seed, threads, None)


def brute(table, name="gini", r=2, orientation="canonical", degenerate="skip", least=1.0, side_tol=-1.0):
    shared = arguments(table, name, r, orientation, degenerate)
    return _core.exhaustive_brute(*shared, side_tol, least)


def left_of(found, table):
    weights, threshold = found[:2]
    value = np.zeros(table.n_rows)
    for w, column in zip(weights, table.X.T, strict=True):  # as the tree's walker sums it
        value += w * column
    return frozenset(np.flatnonzero(value <= threshold).tolist())


def described(found, table):
    if found is None:
        return None
    _, _, score, _, samples, features, flipped, exact = found
    assert exact
    return reference.Plane(score, tuple(samples), tuple(features), flipped, left_of(found, table))


def by_definition(table, name, r, orientation, degenerate, least):
    criterion = as_criterion(name, classification=True)

    def counts(rows):
        return np.bincount(table.y[rows], table.weight[rows], minlength=table.n_classes)

    def score(left, right):
        return criterion.score([counts(left), counts(right)])

    def samples_of(rows):
        return table.multiplicity[rows].sum() if rows else 0

    return reference.best_plane(table.X, r, score, least, orientation, degenerate, samples_of)


orientations = st.sampled_from(["canonical", "both"])
degenerates = st.sampled_from(["skip", "eigen"])


@pytest.mark.parametrize("r", [1, 2, 3])
@pytest.mark.parametrize("name", CLASSIFICATION)
@given(data=st.data(), orientation=orientations, degenerate=degenerates, least=st.integers(1, 3))
@settings(max_examples=25)
def test_the_sweep_finds_the_first_of_the_best_planes(r, name, data, orientation, degenerate, least):
    table = data.draw(lattice_tables(r, weighted=data.draw(st.booleans())))
    expected = by_definition(table, name, r, orientation, degenerate, least)
    assert described(sweep(table, name, r, orientation, degenerate, least), table) == expected
    assert described(brute(table, name, r, orientation, degenerate, least), table) == expected


@given(table=lattice_tables(4, max_rows=8, max_features=4, width=2), orientation=orientations)
@settings(max_examples=15)
def test_planes_through_four_samples_are_the_first_of_the_best(table, orientation):
    expected = by_definition(table, "gini", 4, orientation, "skip", 1)
    assert described(sweep(table, "gini", 4, orientation), table) == expected
