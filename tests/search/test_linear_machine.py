"""LMDT's search against a plain version of its training, and what its parameters promise."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodes import root_of
from reference import linear_machine as reference
from sklearn.datasets import load_iris, load_wine
from strategies import make_table, seeds, tables

from askew import InvalidParameterError, LMDTClassifier, ObliqueTreeRegressor, _core, export_text
from askew.datasets import make_ls10
from askew.grow.criterion import as_criterion
from askew.model.split import LINEAR_MACHINE, LinearMachine
from askew.prune import CostComplexity
from askew.search.linear_machine import Cases, ThermalMachine

GINI = as_criterion("gini", classification=True)


def train(search, y, label, weight, whole, start, seed):
    rules = _core.ThermalRules(
        beta=search.beta,
        factor=search.beta_factor,
        decrement=search.beta_decrement,
        least_beta=search.least_beta,
        epsilon=search.epsilon,
        squared=search.correction == "squared",
        max_passes=search.max_passes,
    )
    found = _core.thermal_training(y, label, weight, rules, whole_weights=whole, start=start, seed=seed)
    return found.weights, found.corrections, found.passes, found.wrong


searches = st.builds(
    ThermalMachine,
    beta=st.sampled_from([2.0, 0.5]),
    beta_factor=st.sampled_from([0.999, 0.9]),
    epsilon=st.sampled_from([0.1, 0.01]),
    correction=st.sampled_from(["squared", "simple"]),
    max_passes=st.sampled_from([1, 12]),
)


@settings(max_examples=40)
@given(search=searches, n=st.integers(2, 20), d=st.integers(1, 4), k=st.integers(2, 4), whole=st.booleans(), seed=seeds)
def test_training_is_that_of_the_plain_version(search, n, d, k, whole, seed):
    rng = np.random.default_rng(seed)
    y = np.column_stack([rng.normal(size=(n, d)), np.ones(n)])
    label = rng.integers(k, size=n).astype(np.int32)
    weight = rng.integers(1, 4, size=n).astype(float) if whole else rng.uniform(0.2, 2.0, size=n)
    start = rng.normal(size=(d + 1, k)) if seed % 2 else np.zeros((d + 1, k))
    weights, corrections, passes, wrong = train(search, y, label, weight, whole, start, seed)
    expected, n_corrections, n_passes = reference.train(y, label, weight, whole, start, search, seed)
    assert (corrections, passes) == (n_corrections, n_passes)
    np.testing.assert_allclose(weights, expected, rtol=1e-12, atol=1e-12)
    winner = (y @ weights).argmax(axis=1)
    assert wrong == pytest.approx(weight[winner != label].sum())


def test_a_correction_is_of_the_printed_size():
    y, label, start = np.array([[2.0, 1.0]]), np.array([1], dtype=np.int32), np.array([[0.3, 0.0], [0.0, 0.0]])
    needed = (0.6 - 0.0) / (2 * 5.0) + 0.1
    for correction, size in (("simple", 2 / (2 + needed)), ("squared", 4 / (2 + needed))):
        search = ThermalMachine(correction=correction, max_passes=1)
        weights, corrections, _, _ = train(search, y, label, np.ones(1), True, start, 0)
        assert corrections == 1
        np.testing.assert_allclose(weights, start + size * np.outer(y[0], [-1, 1]))


def test_a_row_that_is_wrong_by_more_than_beta_is_let_alone():
    y, label, start = np.array([[1.0]]), np.array([1], dtype=np.int32), np.array([[10.0, 0.0]])
    weights, corrections, _, wrong = train(ThermalMachine(), y, label, np.ones(1), True, start, 0)
    assert corrections == 0
    assert wrong == 1
    np.testing.assert_array_equal(weights, start)


def test_a_linear_separator_is_found():
    X, y = make_ls10(600, random_state=0)
    tree = LMDTClassifier(random_state=0).fit(X, y)
    assert tree.get_n_leaves() == 2
    assert tree.score(X, y) == 1
    assert tree.tree_.kind[0] == LINEAR_MACHINE


def test_features_that_tell_nothing_are_dropped():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    table = make_table(X, X[:, 1] + X[:, 4] > 0)
    with_all = replace(ThermalMachine(), eliminate=False).find(root_of(table), GINI, 0)
    few = ThermalMachine().find(root_of(table), GINI, 0)
    assert with_all.features.tolist() == list(range(6))
    assert few.features.tolist() == [1, 4]


def test_few_rows_allow_few_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 30))
    split = ThermalMachine().find(root_of(make_table(X, np.arange(12) % 2)), GINI, 0)
    assert split.features.size <= 6


def test_a_node_has_a_branch_for_each_class_that_gets_rows():
    X, y = load_iris(return_X_y=True)
    split = ThermalMachine().find(root_of(make_table(X, y)), GINI, 0)
    assert isinstance(split, LinearMachine)
    assert split.n_children == 3
    route = split.route(X)
    assert (route == y).mean() > 0.95


def test_a_class_with_too_few_rows_gets_no_branch():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:50, 50:100, 100:108]
    table = make_table(X[rows], y[rows])
    split = ThermalMachine().find(root_of(table, min_samples_leaf=20.0), GINI, 0)
    assert split.n_children == 2
    assert np.bincount(split.route(table.X)).min() >= 20


def test_where_the_machine_does_not_part_the_rows_the_best_cut_does_or_none():
    X, y = np.arange(3.0)[:, None], [0, 1, 0]
    table = make_table(np.repeat(X, 5, axis=0), np.repeat(y, 5))
    stuck = ThermalMachine(beta=0.05)  # every row is let alone: the weights stay 0, and the first class wins
    assert stuck.find(root_of(table), GINI, 0).features.tolist() == [0]
    assert replace(stuck, univariate=False).find(root_of(table), GINI, 0) is None


@given(table=tables())
def test_a_weight_of_two_is_the_row_twice(table):
    weight = table.weight.astype(int)
    model = LMDTClassifier(max_passes=5, random_state=0)
    weighted = model.fit(table.X, table.y, weight).tree_
    repeated = model.fit(np.repeat(table.X, weight, axis=0), np.repeat(table.y, weight)).tree_
    for name in ("kind", "feature", "weight", "threshold", "value", "n_samples", "mass"):
        np.testing.assert_array_equal(getattr(weighted, name), getattr(repeated, name))


@given(table=tables(), seed=seeds)
def test_the_order_of_the_rows_does_not_matter(table, seed):
    order = np.random.default_rng(seed).permutation(table.n_rows)
    model = LMDTClassifier(max_passes=5, random_state=0)
    weight = table.weight.astype(int)
    a = model.fit(table.X, table.y, weight).tree_
    assert model.fit(table.X[order], table.y[order], weight[order]).tree_ == a


def test_cases_are_standardised_whatever_their_size():
    X = np.random.default_rng(0).normal(size=(40, 4)) * [1e300, 1e-300, 1.0, 0.0]
    cases = Cases.of(root_of(make_table(X, np.arange(40) % 2)))
    assert cases.features.tolist() == [0, 1, 2]
    np.testing.assert_allclose(cases.y[:, :3].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(cases.y[:, :3].std(axis=0), 1)
    np.testing.assert_array_equal(cases.y[:, 3], 1)


def test_pruning_cuts_nodes_of_several_branches():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(y.size) < 0.2, rng.integers(3, size=y.size), y)
    whole = LMDTClassifier(max_passes=20, random_state=0).fit(X, y)
    assert (whole.tree_.n_children > 2).any()
    path = whole.cost_complexity_pruning_path(X, y)
    assert (np.diff(path.ccp_alphas) > 0).all()
    sizes = [
        LMDTClassifier(max_passes=20, random_state=0, pruning=CostComplexity(ccp_alpha=alpha)).fit(X, y).get_n_leaves()
        for alpha in path.ccp_alphas
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] <= whole.get_n_leaves()
    assert sizes[-1] == 1
    assert (
        LMDTClassifier(max_passes=20, random_state=0, pruning="cost_complexity").fit(X, y).get_n_leaves()
        < whole.get_n_leaves()
    )


def test_a_machine_is_printed_as_the_largest_of_sums():
    iris = load_iris(as_frame=True)
    text = export_text(LMDTClassifier(max_depth=1, random_state=0).fit(iris.data, iris.target_names[iris.target]))
    assert "by the largest of 3 sums" in text
    assert text.count(" is largest") == 3
    assert "petal" in text


def test_numbers_are_refused():
    with pytest.raises(InvalidParameterError, match="LMDT supports classification only"):
        ObliqueTreeRegressor(search="linear_machine").fit([[0.0], [1.0]], [0.5, 1.5])
