import os
import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodes import root_of
from reference import alopex as reference
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from strategies import make_table, seeds, tables

from askew import APDTClassifier, ObliqueTreeRegressor, _core
from askew.datasets import make_apdt1_standin, make_apdt2_standin, make_apdt3_standin
from askew.parameters import InvalidParameterError
from askew.search.separability import patterns_of, units_of


def two_classes(seed, n, d, overlap):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 10, d) + rng.normal(size=d)
    along = (X - X.mean(axis=0)) @ rng.normal(size=d)
    label = (along + overlap * along.std() * rng.normal(size=n) > 0).astype(np.int32)
    label[:2] = 0, 1
    return X, label, rng.integers(1, 4, n).astype(float)


RULES = {"iterations": 300, "passes": False, "rho": 0.6}


def walk(X, label, weight, seed, **given):
    """Alopex on two classes, by the rules of the paper unless others are given."""
    steps = {"n_iterations": 500, "window": 10, "step": 0.5, "final_step": 0.5, "temperature": 1000.0, "M": 4.0}
    rules = _core.AlopexRules(**{name: given.get(name, value) for name, value in steps.items()})
    perceptron = _core.PerceptronRules(**{name: given.get(name, value) for name, value in RULES.items()})
    limits = {"min_samples_leaf": 1.0, "min_weight_leaf": 0.0, "counter": None}
    limits = {name: given.get(name, value) for name, value in limits.items()}
    return _core.alopex(X, label, weight, weight, 2, rules, perceptron=perceptron, **limits, seed=seed)


# --- the perceptron


@pytest.mark.parametrize("passes", [False, True])
@pytest.mark.parametrize("overlap", [0.0, 0.05, 1.0])
@given(seed=seeds, n=st.integers(2, 60), d=st.integers(1, 12), rho=st.floats(0.1, 1.0))
def test_the_perceptron_counts_as_the_reference_does(passes, overlap, seed, n, d, rho):
    X, label, weight = two_classes(seed, n, d, overlap)
    count, plane, updates = _core.perceptron(
        X, label, weight, 2, _core.PerceptronRules(iterations=20, passes=passes, rho=rho)
    )
    expected, separator, times = reference.perceptron(X, label, weight, 20, passes, rho)
    assert count == expected
    np.testing.assert_array_equal(updates, times)
    if count == 0:
        np.testing.assert_allclose(plane, separator, rtol=1e-6, atol=1e-9)
        np.testing.assert_array_equal(X @ plane[:-1] + plane[-1] > 0, label == np.bincount(label, weight).argmax())


def test_of_three_classes_the_predominant_one_is_parted_from_the_rest():
    X, y = load_iris(return_X_y=True)
    weight = np.where(y == 0, 2.0, 1.0)
    count, plane, _ = _core.perceptron(X, y.astype(np.int32), weight, 3, _core.PerceptronRules(**RULES))
    assert count == 0
    np.testing.assert_array_equal(X @ plane[:-1] + plane[-1] > 0, y == 0)


def test_more_features_than_a_block_holds_change_nothing():
    X, y = load_breast_cancer(return_X_y=True)
    X, y, weight = X[:90], y[:90].astype(np.int32), np.ones(90)
    count, _, updates = _core.perceptron(X, y, weight, 2, _core.PerceptronRules(iterations=5, passes=True, rho=0.6))
    expected, _, times = reference.perceptron(X, y, weight, 5, True, 0.6)
    assert count == expected
    np.testing.assert_array_equal(updates, times)


# --- the walk


@pytest.mark.parametrize(("step", "final_step"), [(0.05, 0.05), (0.5, 0.01)])
@pytest.mark.parametrize("temperature", [1000.0, 0.0])
@settings(max_examples=10)
@given(seed=seeds, n=st.integers(4, 30), d=st.integers(1, 4))
def test_the_walk_is_that_of_the_reference_step_by_step(step, final_step, temperature, seed, n, d):
    X, label, weight = two_classes(seed, n, d, 1.0)
    X = np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))
    steps = {"n_iterations": 60, "step": step, "final_step": final_step, "temperature": temperature}
    plane, score, trace = walk(X, label, weight, seed, iterations=20, **steps)
    best, expected, F = reference.walk(
        *(X, label, weight, seed, 60, step, final_step, 10, temperature, 4.0),
        lambda *side: reference.perceptron(*side, 20, False, 0.6)[0],
    )
    np.testing.assert_allclose(trace, F, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(plane, best, rtol=1e-10, atol=1e-12)
    assert score == pytest.approx(expected, rel=1e-10)


def on_a_grid(n, random_state):
    """Points of a coarse grid, many on one line; a corner of it is the class."""
    rng = np.random.default_rng(random_state)
    cells = rng.choice(64, size=min(n, 50), replace=False)
    X = np.column_stack([cells % 8, cells // 8]) / 7
    return X, (X @ rng.normal(size=2) > 0.2) & (X @ rng.normal(size=2) < 0.3)


@pytest.mark.parametrize("make", [on_a_grid, make_apdt1_standin, make_apdt2_standin, make_apdt3_standin])
@pytest.mark.parametrize("seed", range(8))
def test_remembered_inseparable_sets_change_no_step_of_alopex(make, seed):
    X, y = make(n=200, random_state=seed)
    X, label = 2 * X - 1, y.astype(np.int32)
    weight = np.ones(label.size)

    def every_time(members, number):
        return _core.perceptron(X[members], label[members], weight[members], 2, _core.PerceptronRules(**RULES))[0]

    walks = (walk(X, label, weight, seed, n_iterations=150, counter=counter) for counter in (None, every_time))
    for known, asked in zip(*walks, strict=True):
        np.testing.assert_array_equal(known, asked)


def test_a_counter_is_called_for_numbers_only_if_they_matter():
    X, label, weight = two_classes(3, 40, 2, 1.0)
    asked = []

    def counter(members, number):
        asked.append(number)
        return float(weight[members].sum()) if number else -1.0

    _, score, trace = walk(X, label, weight, 5, n_iterations=40, step=0.1, final_step=0.1, counter=counter)
    assert asked.count(True) == 2 * asked.count(False)
    assert score == trace.min()
    assert 0.25 <= score <= 0.5  # all patterns, times 1/2 less the product of the shares


def test_a_walk_ends_at_the_first_plane_with_two_separable_sides():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    label, one = np.array([0, 0, 1, 1], dtype=np.int32), np.ones(4)
    plane, score, trace = walk(X, label, one, 1, n_iterations=500, final_step=0.01)
    assert score == 0
    assert trace.size < 501
    assert trace[-1] == 0
    assert (trace[:-1] > 0).all()
    assert 0 < (X @ plane[:-1] + plane[-1] > 0).sum() < 4


# --- the search


@settings(max_examples=15)
@given(table=tables(), seed=seeds)
def test_neither_the_order_of_the_rows_nor_repetition_matters(table, seed):
    order = np.random.default_rng(seed).permutation(table.n_rows)
    times = table.weight.astype(int)
    model = APDTClassifier(random_state=1, n_iterations=50)
    weighted = model.fit(table.X[order], table.y[order], times[order]).tree_.arrays()
    repeated = model.fit(np.repeat(table.X, times, axis=0), np.repeat(table.y, times)).tree_.arrays()
    for name in weighted:
        np.testing.assert_array_equal(weighted[name], repeated[name], err_msg=name)


@pytest.mark.parametrize("separability", ["perceptron", "lp"])
def test_a_separable_child_gets_its_plane_without_a_search(separability):
    X, y = make_apdt2_standin(n=150, random_state=0)
    model = APDTClassifier(separability=separability, n_iterations=40, random_state=0).fit(X, y)
    tree = model.tree_
    path = model.decision_path(X).toarray().astype(bool)
    above_leaves = [
        node for node in np.flatnonzero(~tree.is_leaf) if tree.is_leaf[tree.first_child[node] + np.arange(2)].all()
    ]
    assert above_leaves
    for node in above_leaves:
        rows = X[path[:, node]]
        alone = APDTClassifier(separability=separability).fit(rows, y[path[:, node]])
        assert alone.get_n_leaves() == 2
        assert alone.n_hyperplanes_ <= 1


def test_a_tree_has_pure_leaves_where_no_limit_is_set():
    X, y = make_apdt2_standin(random_state=0)
    model = APDTClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) == 1
    assert model.tree_.impurity[model.tree_.is_leaf].max() == 0


def test_more_walks_make_smaller_trees():
    X, y = make_apdt2_standin(random_state=0)

    def nodes(n_restarts):
        models = [APDTClassifier(n_restarts=n_restarts, random_state=seed) for seed in range(4)]
        return np.mean([model.fit(X, y).get_n_leaves() - 1 for model in models])

    assert nodes(5) < nodes(1)


@pytest.mark.parametrize("normalize", ["minmax", "max", None])
def test_the_plane_lies_half_way_between_the_nearest_rows(normalize):
    X, y = load_iris(return_X_y=True)
    tree = APDTClassifier(normalize=normalize, random_state=0).fit(X, y == 0).tree_
    value = X @ tree.coef[0]
    child = value <= tree.threshold[0]
    assert tree.threshold[0] == pytest.approx((value[child].max() + value[~child].min()) / 2, rel=1e-12)
    loose = APDTClassifier(normalize=normalize, centre=False, random_state=0).fit(X, y == 0).tree_
    np.testing.assert_array_equal(loose.coef, tree.coef)
    assert loose.threshold[0] != tree.threshold[0]


@pytest.mark.parametrize("scale", [2.0**-40, 1.0, 2.0**60])
@pytest.mark.parametrize("shift", [0.0, 1024.0])
def test_units_do_not_matter_on_a_scale_of_their_own(scale, shift):
    X, y = load_iris(return_X_y=True)
    X = np.round(X * 16)  # whole numbers: exact in every unit
    usual, changed = (APDTClassifier(random_state=0).fit(given, y) for given in (X, scale * (X + shift)))
    # The order of the patterns, and with it the tree, hangs on the bits of the rows; what is learnt does not.
    assert usual.score(X, y) == changed.score(scale * (X + shift), y)
    assert abs(usual.get_n_leaves() - changed.get_n_leaves()) <= 2


def test_a_regression_tree_is_refused():
    with pytest.raises(InvalidParameterError, match="APDT supports classification only"):
        ObliqueTreeRegressor(search="alopex").fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_restarts", 0),
        ("n_iterations", 0),
        ("step", 0.0),
        ("final_step", 0.0),
        ("window", 0),
        ("temperature", -1.0),
        ("separability", "exact"),
        ("perceptron_iterations", 0),
        ("iteration", "row"),
        ("rho", 0.0),
        ("rho", 1.5),
        ("M", 0.5),
        ("normalize", "standard"),
        ("centre", 1),
        ("multiclass", "all"),
    ],
)
def test_a_parameter_out_of_range_is_named(name, value):
    with pytest.raises(InvalidParameterError, match=name):
        APDTClassifier(**{name: value}).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("normalize", ["minmax", "max", None])
@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e-308, 1.0])
def test_values_at_the_ends_of_the_range_give_finite_weights(normalize, scale):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(40, 3)) * [scale, 1.0, 1e12]
    y = rng.integers(0, 2, 40)
    tree = APDTClassifier(normalize=normalize, random_state=0).fit(X, y).tree_
    assert np.isfinite(tree.weight).all()
    assert np.isfinite(tree.threshold).all()
    assert tree.n_leaves > 1


@pytest.mark.extended
def test_ctrl_c_ends_a_fit_and_leaves_the_tree_as_it_was():
    X, y = make_classification(60_000, 20, n_informative=10, flip_y=0.3, random_state=0)
    estimator = APDTClassifier(random_state=0).fit(X[:100], y[:100])
    before = estimator.tree_
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    timer.join()
    assert estimator.tree_ is before


# --- patterns


@given(table=tables())
def test_patterns_are_the_different_rows_with_their_weight(table):
    units = units_of(table, "minmax")
    patterns = patterns_of(root_of(table), units)
    kinds = {}
    for x, y, w in zip(table.X.tolist(), table.y.tolist(), table.weight.tolist(), strict=True):
        kinds[*x, y] = kinds.get((*x, y), 0) + w
    found = {(*table.X[row], table.y[row]): w for row, w in zip(patterns.rows, patterns.weight, strict=True)}
    assert found == kinds
    assert np.abs(patterns.X).max(initial=0.0) <= 1


@pytest.mark.parametrize(("normalize", "low", "high"), [("minmax", -1, 1), ("max", 0.5, 1), (None, 2, 4)])
def test_features_are_scaled_as_asked(normalize, low, high):
    X = np.array([[2.0, 7.0], [4.0, 7.0]])
    units = units_of(make_table(X, [0, 1], n_classes=2), normalize)
    assert units.features.tolist() == [0]
    np.testing.assert_allclose((X[:, 0] - units.shift) / units.scale, [low, high])
