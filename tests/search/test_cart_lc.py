"""CART-LC's search against its plain version, and what its parameters promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodes import root_of
from reference import cart_lc as reference
from reference import line
from sklearn.datasets import load_diabetes, load_wine
from strategies import make_table, scattered_tables

from askew import CARTLCClassifier, CARTLCRegressor, _core
from askew.datasets import make_ls10, make_pol
from askew.grow.criterion import as_criterion
from askew.prune.cost_complexity import CostComplexity
from askew.search.axis import best_axis_cut
from askew.search.cart_lc import CARTLC

ANY = line.Leaf()
leaves = st.builds(line.Leaf, st.integers(1, 3), st.sampled_from([0.0, 0.0, 2.5, 5.0]))


def node_of(table, criterion, leaf=ANY):
    return root_of(table, criterion, min_samples_leaf=leaf.samples, min_weight_leaf=leaf.weight)


def mean_impurity(table, criterion):
    """The impurity that a tree records, over both sides of a division."""

    def impurity(right):
        sides = [np.flatnonzero(side).astype(np.uint32) for side in (~right, right) if side.any()]
        summaries = [_core.summary(criterion.kernel, table.target, side) for side in sides]
        return sum(mass * value for _, _, mass, value, _ in summaries) / table.weight.sum()

    return impurity


def both(table, search, name, leaf=ANY):
    """(compiled split, its node, the axis-parallel cut, what the plain version returns), or None if trivial."""
    criterion = as_criterion(name, classification=True)
    axis = best_axis_cut(node_of(table, criterion, leaf), criterion)
    if axis is None or axis.score <= 0:
        return None
    score = line.kernel(criterion, table.n_classes)
    impurity = mean_impurity(table, criterion)
    plain = reference.search_node(table, search, axis, score, impurity, leaf)
    node = node_of(table, criterion, leaf)
    return search.find(node, criterion, 0), node, axis, plain


def check_node(table, search, name, leaf=ANY):
    found = both(table, search, name, leaf)
    if found is None:
        return
    split, node, axis, (weights, _, right, score, n_evaluated) = found
    if not np.any(weights):  # the cycles may end at no plane at all; the univariate split is left
        return
    assert node.n_evaluated == table.n_features + n_evaluated
    if not score < axis.score:
        assert split.features.tolist() == [axis.feature]
        assert split.threshold == axis.threshold
        return
    np.testing.assert_array_equal(split.route(table.X) == 1, right)
    dense = np.zeros(table.n_features)
    dense[split.features] = split.weights
    np.testing.assert_allclose(dense, weights * np.abs(dense).max() / np.abs(weights).max(), rtol=1e-9, atol=1e-12)


searches = st.builds(
    CARTLC,
    normalize=st.booleans(),
    beta=st.sampled_from([None, 0.1, 0.2, 0.9]),
    max_cycles=st.integers(1, 6),
    epsilon=st.sampled_from([0.0, 1e-4, 1e-2]),
    keep_best=st.booleans(),
)


@pytest.mark.parametrize("name", ["gini", "twoing"])
@settings(max_examples=30)
@given(table=scattered_tables(), search=searches, leaf=leaves)
def test_a_node_is_searched_as_the_book_says(name, table, search, leaf):
    check_node(table, search, name, leaf)


@pytest.mark.parametrize("beta", [None, 0.2, 0.9])
@pytest.mark.parametrize("normalize", [True, False])
def test_a_node_of_real_data_is_searched_as_the_book_says(beta, normalize):
    X, y = load_wine(return_X_y=True)
    table = make_table(X[::3, [0, 6, 9]], y[::3], n_classes=3)
    check_node(table, CARTLC(beta=beta, normalize=normalize, max_cycles=5), "twoing")


def test_a_higher_beta_deletes_more_features():
    X, y = make_ls10(200, noise=0.1, random_state=1)
    used = [
        np.diff(CARTLCClassifier(beta=beta, max_depth=1, pruning=None).fit(X, y).tree_.feature_start).max()
        for beta in (None, 0.2, 0.8)
    ]
    assert used[0] == 10
    assert used[0] >= used[1] > used[2]


def test_more_cycles_never_make_the_best_plane_worse():
    X, y = make_pol(200, random_state=3)
    table, criterion = make_table(X, y - 1), as_criterion("twoing", classification=True)
    scores = []
    for cycles in (1, 2, 5, 100):
        search = CARTLC(beta=None, max_cycles=cycles, epsilon=0.0)
        right = search.find(node_of(table, criterion), criterion, 0).route(X)
        scores.append(criterion.score([np.bincount(table.y[right == side], minlength=2) for side in (0, 1)]))
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("change", [lambda X: X + 1000, lambda X: X * 1000, lambda X: X * 1e200])
def test_with_normalisation_the_units_do_not_matter(change):
    X, y = make_pol(300, random_state=1)
    first, second = (CARTLCClassifier(pruning=None).fit(Z, y).apply(Z) for Z in (X, change(X)))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_slanted_step_is_learnt_by_a_regression_tree(criterion):
    X = np.random.default_rng(0).uniform(-1, 1, size=(150, 2))
    y = np.where(X @ [1.0, -2.0] > 0.1, 5.0, -5.0)
    tree = CARTLCRegressor(criterion=criterion, pruning=None).fit(X, y)
    np.testing.assert_allclose(tree.predict(X), y)
    assert tree.get_n_leaves() < 8


def wide_node(n_rows, n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    return make_table(X, (X[:, :3].sum(axis=1) + rng.normal(size=n_rows) > 0).astype(int))


def test_of_200_features_or_more_a_hundredth_is_deleted_before_all_are_looked_at_again():
    check_node(wide_node(14, 210), CARTLC(max_cycles=1), "gini")


def test_the_work_of_deletion_grows_as_the_number_of_features():
    n_evaluated = []
    for n_features in (400, 800):
        node = node_of(wide_node(60, n_features), as_criterion("gini", classification=True))
        CARTLC(max_cycles=1, beta=1.0).find(node, as_criterion("gini", classification=True), 0)
        n_evaluated.append(node.n_evaluated)
    assert n_evaluated[1] < 3 * n_evaluated[0]


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("pruning", [CostComplexity(cv=3), "cost_complexity", None])
def test_a_huge_target_is_learnt_without_a_warning(criterion, pruning):
    X, y = load_diabetes(return_X_y=True)
    tree = CARTLCRegressor(criterion=criterion, pruning=pruning).fit(X[:90], y[:90] * 1e137).tree_
    assert np.isfinite(tree.value).all()
    assert np.isfinite(tree.impurity).all()
