"""The splits of a forest's trees against NumPy, and what does not change them."""

import numpy as np
import pytest
from reference.ensemble import best_cut, canonical_direction, gini_mass, newton_direction, squared_mass
from sklearn.datasets import load_diabetes, load_iris, load_wine

from askew.data.table import Table
from askew.ensemble.distinct_rows import DistinctRows
from askew.ensemble.forest import ForestGrowth, Sampling
from askew.grow.limits import Limits

ALL_ROWS = Sampling(bootstrap=False, share=1.0)
SEEDS = np.array([1], dtype=np.uint64)


def table_of(X, y, weight=None, classes=0):
    weight = np.ones(len(y)) if weight is None else weight
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return Table(np.ascontiguousarray(X), y, weight, np.ones(len(y)), classes, names)


def root_of(table, **rule):
    """The test and threshold at the root of a tree that draws all features."""
    given = {"split": "newton", "criterion": "gini", "n_draws": 1, "l2": 1.0, **rule}
    growth = ForestGrowth(
        limits=Limits(max_depth=1), sampling=ALL_ROWS, max_features=table.n_features, min_weight_fraction=0.0, **given
    )
    tree = growth.grow(DistinctRows.of(table), SEEDS, 1)[0]
    features, weights = tree.test(0)
    return features, weights, tree.threshold[0], tree


def assert_same_plane(found, wanted):
    """Planes are the same if their weights are, up to a factor."""
    features, weights = found
    assert features.tolist() == list(range(wanted.size))
    cosine = abs(weights @ wanted) / np.linalg.norm(weights) / np.linalg.norm(wanted)
    assert cosine == pytest.approx(1, abs=1e-9)


def score_at_root(X, table, mass):
    features, weights, threshold, _ = root_of(table, criterion="gini" if table.classification else "squared_error")
    left = X[:, features] @ weights <= threshold
    return mass(left) + mass(~left)


def test_the_plane_of_two_classes_is_a_newton_step():
    X, y = load_wine(return_X_y=True)
    X, y = X[y < 2][:, :4], y[y < 2].astype(np.int32)
    weight = np.random.default_rng(0).uniform(0.5, 2, y.size)
    table = table_of(X, y, weight, 2)
    wanted = newton_direction(X, y.astype(float), weight, 1.0, 0.25)
    threshold, score = best_cut(X @ wanted, weight, gini_mass(y, weight))
    features, weights, found, _ = root_of(table)
    assert_same_plane((features, weights), wanted)
    assert found / np.linalg.norm(weights) == pytest.approx(
        np.sign(weights @ wanted) * threshold / np.linalg.norm(wanted), rel=1e-6
    )
    assert score_at_root(X, table, gini_mass(y, weight)) == pytest.approx(score, rel=1e-9)


def test_the_plane_of_three_classes_is_the_first_canonical_direction():
    X, y = load_wine(return_X_y=True)
    X, y = X[:, [0, 6, 9]], y.astype(np.int32)
    weight = np.random.default_rng(1).uniform(0.5, 2, y.size)
    features, weights, *_ = root_of(table_of(X, y, weight, 3))
    assert_same_plane((features, weights), canonical_direction(X, y, weight, 1.0))


def test_the_plane_of_numbers_is_a_ridge_regression():
    X, y = load_diabetes(return_X_y=True)
    X = X[:, [2, 8]]
    wanted = newton_direction(X, y, np.ones(y.size), 1.0, 1.0)
    features, weights, *_ = root_of(table_of(X, y), criterion="squared_error")
    assert_same_plane((features, weights), wanted)
    score = best_cut(X @ wanted, np.ones(y.size), squared_mass(y, np.ones(y.size)))[1]
    assert score_at_root(X, table_of(X, y), squared_mass(y, np.ones(y.size))) == pytest.approx(score, rel=1e-9)


def test_cuts_of_single_features_are_the_best_there_are():
    X, y = load_iris(return_X_y=True)
    y = y.astype(np.int32)
    mass = gini_mass(y, np.ones(y.size))
    features, weights, threshold, _ = root_of(table_of(X, y, classes=3), split="axis")
    left = X[:, features[0]] * weights[0] <= threshold
    assert mass(left) + mass(~left) == pytest.approx(min(best_cut(x, np.ones(y.size), mass)[1] for x in X.T))


@pytest.mark.parametrize("split", ["newton", "projection", "axis"])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_tree_without_limits_fits_rows_that_differ(split, criterion):
    X, y = load_wine(return_X_y=True)
    table = table_of(X, y.astype(np.int32), classes=3)
    growth = ForestGrowth(split, criterion, Limits(), ALL_ROWS, 4, 1, 1.0)
    for tree in growth.grow(DistinctRows.of(table), np.arange(3, dtype=np.uint64), 1):
        assert (tree.labels(table.X) == y).all()
        assert tree.mass[0] == y.size


def test_the_order_of_rows_and_repetition_leave_the_trees_as_they_are():
    X, y = load_iris(return_X_y=True)
    y = y.astype(np.int32)
    twice = np.random.default_rng(0).integers(1, 3, y.size)
    growth = ForestGrowth("newton", "gini", Limits(), Sampling(True, 1.0), 2, 2, 1.0)
    seeds = np.arange(3, dtype=np.uint64)
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(y.size), twice))
    weighted = Table(X, y, twice.astype(float), twice.astype(float), 3, ("a", "b", "c", "d"))
    repeated = table_of(X[order], y[order], classes=3)
    for one, other in zip(
        growth.grow(DistinctRows.of(weighted), seeds, 1), growth.grow(DistinctRows.of(repeated), seeds, 1), strict=True
    ):
        assert all(np.array_equal(one.arrays()[name], other.arrays()[name]) for name in one.arrays())


def test_samples_are_drawn_about_as_often_as_a_bootstrap_draws_them():
    X = np.arange(4000.0)[:, None]
    rows = DistinctRows.of(table_of(X, np.zeros(4000, dtype=np.int32), classes=1))
    drawn = Sampling(True, 1.0).draw(rows, np.arange(5, dtype=np.uint64), 1)
    assert (drawn == 0).mean() == pytest.approx(np.exp(-1), abs=0.01)
    assert drawn.mean() == pytest.approx(1, abs=0.02)
    part = Sampling(False, 0.3).draw(rows, np.arange(5, dtype=np.uint64), 1)
    assert set(np.unique(part)) == {0.0, 1.0}
    assert part.mean() == pytest.approx(0.3, abs=0.02)
