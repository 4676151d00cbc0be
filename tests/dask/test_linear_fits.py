"""Penalised planes over machines: moments add up exactly, and the tree does not depend on where rows lie."""

from fractions import Fraction
from operator import mul

import dask.array as da
import numpy as np
import pytest
from nodes import kernel_node
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from askew import ObliqueTreeClassifier, ObliqueTreeRegressor, _core
from askew.dask import DaskObliqueTreeClassifier, DaskObliqueTreeRegressor
from askew.dask.exact_sums import Grid
from askew.dask.linear_fits import NodeFits
from askew.dask.partition import NodePath, Partition
from askew.dask.planes import AlongPlanes, plane_bins
from askew.dask.queries import merged
from askew.data.table import Table
from askew.model.split import Hyperplane
from askew.search.linear import LinearPlanes

RNG = np.random.default_rng(0)


def parts_of(X, y, n_classes, pieces, weight=None, order=None):
    weight = np.ones(len(y)) if weight is None else weight
    order = np.arange(len(y)) if order is None else order
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return [
        Partition(Table(X[i], y[i], weight[i], np.ones(i.size), n_classes, names), 2.0**-20)
        for i in np.array_split(order, pieces)
    ]


def fits_of(parts):
    """The fits of all rows of some parts."""
    y, weight = (np.concatenate([getattr(part.table, name) for part in parts]) for name in ("y", "weight"))
    k = parts[0].table.n_classes
    mean = 0.0 if k else float(np.average(y, weights=weight))
    deviation = 1.0 if k else float(np.sqrt(np.average((y - mean) ** 2, weights=weight)))

    def ask(query):
        return merged([query], [[query.answer(part)] for part in parts])[0]

    by_class = np.bincount(y, weight, k) if k else np.empty(0)
    return NodeFits(ask, NodePath(), y.size, float(weight.sum()), by_class, mean, deviation)


PENALTY = _core.Penalty(l2=1.0, l1=0.0, max_steps=50)
PENALTIES = [PENALTY, _core.Penalty(l2=1.0, l1=3.0, max_steps=50), _core.Penalty(l2=1.0, l1=0.0, max_steps=1)]


@pytest.mark.parametrize("penalty", PENALTIES, ids=["l2", "l1", "one step"])
def test_planes_of_classes_are_those_of_one_machine(penalty):
    X, y = load_wine(return_X_y=True)
    y, weight = y.astype(np.int32), np.round(RNG.uniform(0.5, 2, len(y)), 3)
    groups = np.array([[1, 0, 0], [0, 1, 0], [-1, 0, 1]], dtype=np.int8)
    fits = fits_of(parts_of(X, y, 3, 3, weight))
    found = fits.planes([*fits.canonical(PENALTY, 2), *fits.logistic(groups, penalty)])
    (whole,) = parts_of(X, y, 3, 1, weight)
    expected = _core.linear_directions(
        kernel_node(whole.table),
        penalty,
        features=np.arange(X.shape[1]),
        canonical=2,
        groups=groups,
        starts=np.empty((0, len(y)), dtype=np.uint8),
    )
    assert len(found) == 5
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("penalty", PENALTIES, ids=["l2", "l1", "one step"])
def test_ridge_and_hinges_are_those_of_one_machine(penalty):
    X, y = load_diabetes(return_X_y=True)
    weight = np.round(RNG.uniform(0.5, 2, len(y)), 3)
    starts = [Hyperplane([2], [1.0], 0.0), Hyperplane([2, 8], [1.0, 1.0], 0.01)]
    fits = fits_of(parts_of(X, y, 0, 3, weight))
    found = fits.planes([fits.ridge(penalty), *fits.hinges(starts, penalty)])
    (whole,) = parts_of(X, y, 0, 1, weight)
    expected = _core.linear_directions(
        kernel_node(whole.table),
        penalty,
        features=np.arange(X.shape[1]),
        canonical=0,
        groups=np.empty((0, 0), dtype=np.int8),
        starts=np.array([split.route(X) == 0 for split in starts], dtype=np.uint8),
    )
    assert len(found) == 3
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("n_classes", [3, 0])
def test_fits_do_not_depend_on_the_partitioning(n_classes):
    X = RNG.normal(size=(999, 4)) * [1, 1e-5, 1e5, 3] + [0, 7, 1e9, -2]
    y = RNG.integers(0, 3, 999).astype(np.int32) if n_classes else RNG.normal(size=999)
    weight, order = np.round(RNG.uniform(0.1, 3, 999) * 2**20) / 2**20, RNG.permutation(999)
    one, other = fits_of(parts_of(X, y, n_classes, 1, weight)), fits_of(parts_of(X, y, n_classes, 7, weight, order))
    np.testing.assert_array_equal(one.scales, other.scales)
    deviation = np.sqrt(np.cov(X.T, aweights=weight, ddof=0).diagonal())
    np.testing.assert_allclose(one.columns.deviation, deviation)
    exact = [float(sum(map(mul, map(Fraction, x), map(Fraction, weight))) / Fraction(weight.sum())) for x in X.T]
    assert (np.abs(one.columns.mean - exact) <= 2 * np.spacing(np.abs(exact)) + 1e-13 * deviation).all()
    if n_classes:
        groups = np.eye(3, dtype=np.int8)
        np.testing.assert_array_equal(one.logistic(groups, PENALTY), other.logistic(groups, PENALTY))
        np.testing.assert_array_equal(one.canonical(PENALTY, 2), other.canonical(PENALTY, 2))
    else:
        other = NodeFits(other.ask, other.path, 999, one.mass, one.class_mass, one.mean, one.deviation)
        starts = [Hyperplane([0], [1.0], 0.0)]
        np.testing.assert_array_equal(one.ridge(PENALTY), other.ridge(PENALTY))
        np.testing.assert_array_equal(one.hinges(starts, PENALTY), other.hinges(starts, PENALTY))


def test_values_along_planes_are_counted_in_bins():
    X, y = RNG.normal(size=(500, 3)), RNG.integers(0, 2, 500).astype(np.int32)
    planes = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, -1.0]])
    parts = parts_of(X, y, 2, 3)
    along = X @ planes.T
    bins = plane_bins(along, 16, complete=True)
    query = AlongPlanes(NodePath(), Grid(), planes, bins)
    (counts,) = merged([query], [[query.answer(part)] for part in parts])[0]
    below = np.cumsum(counts[: bins.first[1] - 1, -1])
    np.testing.assert_array_equal(below, [(along[:, 0] <= edge).sum() for edge in bins.edges[0]])
    assert not bins.exact.any()


CUTS = [(1.0,), (0.4, 1.0), (0.02, 0.5, 0.51, 1.0)]


def parted(X, y, shares, order=None):
    order = np.arange(len(y)) if order is None else order
    ends = [round(len(y) * share) for share in shares]
    sizes = tuple(b - a for a, b in zip([0, *ends[:-1]], ends, strict=True))
    return da.from_array(X[order], chunks=(sizes, X.shape[1])), da.from_array(y[order], chunks=(sizes,))


def assert_same(tree, expected):
    """The same rows in every node; planes are rounded to 40 bits, the last of which may differ."""
    np.testing.assert_array_equal(tree.first_child, expected.first_child)
    np.testing.assert_array_equal(tree.value, expected.value)
    np.testing.assert_allclose(tree.coef, expected.coef, rtol=1e-9)
    np.testing.assert_allclose(tree.intercept, expected.intercept, rtol=1e-9)


@pytest.mark.parametrize("shares", CUTS[1:], ids=["two", "four"])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_a_classifier_is_the_tree_of_one_machine(client, load, shares):
    X, y = load(return_X_y=True)
    X = X[:, :6]
    given = {"search": LinearPlanes(l2=1.0), "max_depth": 2, "min_samples_leaf": 5}
    tree = DaskObliqueTreeClassifier(local_rows=0, **given).fit(*parted(X, y, shares))
    expected = ObliqueTreeClassifier(**given).fit(X, y)
    assert_same(tree.tree_, expected.tree_)
    assert len(tree.tree_.test(0)[0]) > 1


@pytest.mark.parametrize("max_bins", [64, 1024], ids=["few bins", "exact"])
def test_a_regressor_is_the_same_for_any_partitioning(client, max_bins):
    X, y = load_diabetes(return_X_y=True)
    given = {"search": "linear", "max_depth": 2, "min_samples_leaf": 20}
    order = np.random.default_rng(2).permutation(y.size)
    options = {**given, "local_rows": 0, "max_bins": max_bins}
    one = DaskObliqueTreeRegressor(**options).fit(*parted(X[:, :5], y, CUTS[0]))
    other = DaskObliqueTreeRegressor(**options).fit(*parted(X[:, :5], y, CUTS[2], order))
    assert one.tree_ == other.tree_
    alone = ObliqueTreeRegressor(**given).fit(X[:, :5], y)
    assert one.score(X[:, :5], y) > alone.score(X[:, :5], y) - 0.02
    if max_bins == 1024:
        np.testing.assert_allclose(one.predict(X[:, :5]), alone.predict(X[:, :5]))


def test_classes_that_are_left_out_and_columns_that_are_constant_do_no_harm(client):
    X, y = load_wine(return_X_y=True)
    X = np.column_stack((X[:, :3], np.ones(len(y)), X[:, 3] * 1e200))
    labels = np.array(["a", "b", "c", "d"])[y]
    tree = DaskObliqueTreeClassifier(search="linear", local_rows=0, max_depth=3).fit(*parted(X, labels, CUTS[1]))
    assert np.isfinite(tree.tree_.coef).all()
    assert tree.score(X, labels) > 0.9


def test_any_criterion_scores_the_cuts_and_leaves_may_be_few(client):
    X, y = load_wine(return_X_y=True)
    given = {"search": "linear", "criterion": "twoing", "max_leaf_nodes": 4}
    tree = DaskObliqueTreeClassifier(local_rows=0, **given).fit(*parted(X[:, :4], y, CUTS[1]))
    assert_same(tree.tree_, ObliqueTreeClassifier(**given).fit(X[:, :4], y).tree_)
