import numpy as np
import pytest
from nodes import kernel_node, root_of
from reference import linear as reference
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from strategies import make_table

from askew import CARTRegressor, ObliqueTreeClassifier, ObliqueTreeRegressor, _core
from askew.grow.criterion import as_criterion
from askew.parameters import InvalidParameterError
from askew.search.linear import LinearPlanes

RNG = np.random.default_rng(0)


def problem(n=120, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d) * 100
    z = (rng.random(n) < 1 / (1 + np.exp(-2 * (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()))).astype(float)
    return X, z, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("l2", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("logistic", [True, False])
@pytest.mark.parametrize("direct", [400, 0], ids=["cholesky", "conjugate gradients"])
def test_the_penalised_fit_is_that_of_plain_newton_steps(l2, logistic, direct):
    X, z, weight = problem()
    found = _core.penalised_fit(X, z, weight, logistic=logistic, l2=l2, direct=direct)
    expected = reference.penalised_fit(X, z, weight, l2, logistic)
    scale = np.append(X.std(axis=0), 1.0)
    np.testing.assert_allclose(found[:-1] * scale[:-1], expected[:-1] * scale[:-1], rtol=1e-4, atol=1e-4)
    at = X @ found[:-1] + found[-1]
    np.testing.assert_allclose(at, X @ expected[:-1] + expected[-1], atol=1e-3)


@pytest.mark.parametrize("logistic", [True, False])
def test_an_absolute_penalty_makes_weights_zero_and_the_objective_least(logistic):
    X, z, weight = problem()
    Z, shift, scale = reference.standardised(X, weight)
    found = _core.penalised_fit(X, z, weight, logistic=logistic, l2=0.1, l1=15.0)
    inside = np.append(found[:-1] * scale, found[-1] + found[:-1] @ shift)
    assert 0 < np.count_nonzero(inside[:-1]) < X.shape[1]
    value = reference.objective(Z, z, weight, inside, 0.1, 15.0, logistic)
    for step in np.vstack([np.eye(X.shape[1] + 1), -np.eye(X.shape[1] + 1)]) * 1e-2:
        assert reference.objective(Z, z, weight, inside + step, 0.1, 15.0, logistic) >= value - 1e-6


def test_a_start_changes_nothing_but_the_way():
    X, z, weight = problem()
    cold = _core.penalised_fit(X, z, weight, logistic=True, l2=1.0)
    warm = _core.penalised_fit(X, z, weight, logistic=True, l2=1.0, start=cold)
    np.testing.assert_allclose(X @ warm[:-1] + warm[-1], X @ cold[:-1] + cold[-1], atol=1e-6)


def test_one_step_from_zero_is_ridge_regression_on_the_labels():
    X, z, weight = problem()
    found = _core.penalised_fit(X, z, weight, logistic=True, l2=1.0, max_steps=1)
    expected = reference.penalised_fit(X, z, weight, 1.0, steps=1)
    scale = X.std(axis=0)
    np.testing.assert_allclose(found[:-1] * scale, expected[:-1] * scale, rtol=1e-8)


def test_weights_equal_repetition():
    X, z, weight = problem()
    again = np.repeat(np.arange(len(z)), weight.astype(int))
    one = _core.penalised_fit(X, z, weight, logistic=True, l2=1.0)
    other = _core.penalised_fit(X[again], z[again], np.ones(again.size), logistic=True, l2=1.0)
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_separable_and_collinear_rows_have_finite_weights():
    X = np.column_stack([np.arange(20.0), 2 * np.arange(20.0), np.ones(20)])
    z = (np.arange(20) > 9).astype(float)
    for l2 in (0.0, 1e-6, 1.0):
        found = _core.penalised_fit(X, z, np.ones(20), logistic=True, l2=l2)
        assert np.isfinite(found).all()
        assert ((X @ found[:-1] + found[-1] > 0) == (z > 0)).all()
        assert found[2] == 0


def test_canonical_directions_are_the_eigenvectors_of_the_definition():
    X, y = load_wine(return_X_y=True)
    table = make_table(X, y)
    found = _core.linear_directions(
        kernel_node(table),
        _core.Penalty(l2=2.0, l1=0.0, max_steps=50),
        features=np.arange(X.shape[1]),
        canonical=2,
        groups=np.eye(3, dtype=np.int8),
        starts=np.empty((0, len(y)), dtype=np.uint8),
    )
    assert len(found) == 2 + 3  # canonical, then each class against the rest
    expected = reference.canonical_directions(X, y, np.ones(len(y)), 2.0)[:2]
    for one, other in zip(found, expected, strict=False):
        cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert abs(cosine) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_iris])
def test_a_node_is_split_at_least_as_well_as_along_an_axis(load):
    X, y = load(return_X_y=True)
    node = root_of(make_table(X, y))
    criterion = as_criterion("gini", classification=True)
    counts = [
        [np.bincount(y[split.route(X) == side], minlength=3) for side in (0, 1)]
        for split in (LinearPlanes().find(node, criterion, 0), LinearPlanes(price=1e9).find(node, criterion, 0))
    ]
    oblique, axis = (criterion.score(children) for children in counts)
    assert oblique <= axis
    assert LinearPlanes(price=1e9).find(node, criterion, 0).features.size == 1


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_the_tree(threads):
    X, y = load_wine(return_X_y=True)
    X = np.tile(X, (30, 1)) + np.random.default_rng(0).normal(size=(30 * len(y), X.shape[1]))
    y = np.tile(y, 30)
    trees = [ObliqueTreeClassifier(search="linear", max_depth=3, n_jobs=n).fit(X, y) for n in (1, threads)]
    assert trees[0].tree_ == trees[1].tree_


def test_units_do_not_matter():
    X, y = load_wine(return_X_y=True)
    factor, shift = 10.0 ** RNG.integers(-3, 4, X.shape[1]), RNG.normal(size=X.shape[1])
    one = ObliqueTreeClassifier(search="linear").fit(X, y)
    other = ObliqueTreeClassifier(search="linear").fit(X * factor + shift, y)
    assert np.array_equal(one.apply(X), other.apply(X * factor + shift))


def test_a_hinge_finds_the_bend_of_two_planes_that_no_axis_shows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    side = X @ [1.0, 1.0, -1.0, 0.0]
    y = np.abs(side) + 0.01 * rng.normal(size=600)
    tree = ObliqueTreeRegressor(search=LinearPlanes(l2=0.1), max_leaf_nodes=8).fit(X, y)
    without = ObliqueTreeRegressor(search=LinearPlanes(l2=0.1, hinge=False), max_leaf_nodes=8).fit(X, y)
    assert tree.score(X, y) > 0.9 > without.score(X, y)


def test_regression_beats_an_axis_parallel_tree_of_the_same_size_on_linear_data():
    X, y = load_diabetes(return_X_y=True)
    linear = ObliqueTreeRegressor(search="linear", max_leaf_nodes=4).fit(X, y)
    assert linear.score(X, y) > CARTRegressor(max_leaf_nodes=4).fit(X, y).score(X, y)


@pytest.mark.parametrize("bad", [{"l2": -1.0}, {"l1": np.nan}, {"fit": "two"}, {"canonical": -1}, {"price": "x"}])
def test_parameters_out_of_range_are_refused(bad):
    with pytest.raises(InvalidParameterError, match=next(iter(bad))):
        LinearPlanes(**bad)
