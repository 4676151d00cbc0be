from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nodes import root_of
from reference import axis as every_cut
from reference import c45 as reference
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from strategies import make_table, noisy_data, seeds, tables

from askew import InvalidParameterError, _core
from askew.grow.criterion import as_criterion
from askew.grow.grow import grow, node_by_node
from askew.grow.limits import Limits
from askew.search.axis import AxisParallel
from askew.search.categorical import C45, ID3

RATIO = as_criterion("gain_ratio", classification=True)
ENTROPY = as_criterion("entropy", classification=True)


def grown(table, search=None, criterion=RATIO, **limits):
    return grow(table, search or C45(), criterion, Limits(**limits), 0)


def with_categories(seed, n=60, missing=0.0):
    """Two columns of numbers, two of categories, of which one has many."""
    X, y, weight = noisy_data(seed, n=n, d=2)
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(3, size=n), rng.integers(7, size=n)]).astype(float)
    codes[:3, 0], codes[:7, 1] = range(3), range(7)
    y = np.where(rng.random(n) < 0.4, codes[:, 0].astype(int), y)
    X = np.column_stack([X, codes])
    X[rng.random(X.shape) < missing] = np.nan
    return replace(make_table(X, y, weight, n_classes=3), levels=(0, 0, 3, 7), divides=True)


# --- what a test is worth


@given(children=st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(any), min_size=2, max_size=5))
def test_gain_and_split_information_are_those_of_their_definitions(children):
    for unknown in (0.0, 2.5):
        gain, information, mass = _core.gain_info(np.array(children, dtype=float), unknown)
        assert mass == np.sum(children) + unknown
        expected = reference.worth([[float(c) for c in child] for child in children], unknown)
        assert (gain / mass, information / mass) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_of_the_tests_with_average_gain_or_more_the_best_ratio_wins():
    infos = np.array([[1.0, 0.1, 9.0], [4.0, 2.0, 9.0], [5.0, 2.4, 9.0]])
    assert _core.best_ratio(infos) == 2  # the first has the best ratio, but less gain than the average
    assert _core.best_ratio(infos[[1, 1]]) == 0
    assert _core.best_ratio(np.zeros((2, 3))) is None


# --- C4.5


@pytest.mark.parametrize("penalty", [False, True])
@pytest.mark.parametrize("min_cases", [2, 5])
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_of_numbers_is_the_one_of_the_definitions(seed, min_cases, penalty):
    X, y, weight = noisy_data(seed)
    table = make_table(X, y, weight)
    tree = grown(table, C45(min_cases=min_cases, penalty=penalty))
    assert tree.n_leaves > 5
    assert reference.same(reference.grow(table, min_cases, penalty), tree)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_of_categories_and_missing_values_is_the_one_of_the_definitions(seed, missing):
    table = with_categories(seed, missing=missing)
    tree = grown(table)
    assert tree.n_leaves > 5
    assert (tree.n_children > 2).any()
    assert reference.same(reference.grow(table), tree)


@st.composite
def uneven_tables(draw):
    """Tables with ties, some with missing values, some with weights whose sums are rounded."""
    table = draw(tables())
    rng = np.random.default_rng(draw(seeds))
    missing = rng.random(table.X.shape) < draw(st.sampled_from([0.0, 0.2]))
    missing[0] = False
    weight = draw(st.sampled_from([table.weight, rng.uniform(0.1, 3, table.n_rows)]))
    return replace(table, X=np.where(missing, np.nan, table.X), weight=weight, divides=True)


SEARCHES = [C45(), C45(penalty=True), C45(min_cases=0), ID3()]


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("criterion", ["gain_ratio", "entropy", "gini"])
@given(table=uneven_tables(), max_leaf_nodes=st.sampled_from([inf, 4]))
def test_growing_in_one_go_is_growing_node_by_node(search, criterion, table, max_leaf_nodes):
    criterion, limits = as_criterion(criterion, classification=True), Limits(max_leaf_nodes=max_leaf_nodes)
    assert grow(table, search, criterion, limits, 0) == node_by_node(table, search, criterion, limits, 0)


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_two_growths_agree_on_real_data(load, weighted, search):
    X, y = load(return_X_y=True)
    weight = np.random.default_rng(1).uniform(0.5, 2, size=y.size) if weighted else None
    table = make_table(X, y, weight, np.ones(y.size))
    criterion = ENTROPY if isinstance(search, ID3) else RATIO
    assert grown(table, search, criterion) == node_by_node(table, search, criterion, Limits(), 0)


@given(table=tables())
def test_other_criteria_choose_by_their_score(table):
    tree = node_by_node(table, C45(min_cases=3), ENTROPY, Limits(), 0)
    assert grown(table, C45(min_cases=3), ENTROPY).node_count == tree.node_count
    np.testing.assert_array_equal(
        grown(table, C45(min_cases=0), ENTROPY).value, grown(table, AxisParallel(), ENTROPY).value
    )


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_a_threshold_is_a_value_of_the_training_rows(load):
    X, y = load(return_X_y=True)
    tree = grown(make_table(X, y))
    for node in np.flatnonzero(~tree.is_leaf):
        assert tree.threshold[node] in X[:, tree.test(node)[0][0]]


def test_the_tree_of_iris_is_the_known_one():
    X, y = load_iris(return_X_y=True)
    tree = grown(make_table(X, y))
    assert [(tree.feature[i], t) for i, t in enumerate(tree.threshold[~tree.is_leaf])][:3] == [
        (2, 1.9),
        (3, 1.7),
        (2, 4.9),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_a_weight_of_two_is_the_row_twice_also_where_values_are_missing(seed):
    table = with_categories(seed, missing=0.2)
    weight = table.weight.astype(int) % 3 + 1
    once = replace(table, weight=weight.astype(float), multiplicity=weight.astype(float))
    again = once.take(np.repeat(np.arange(table.n_rows), weight))
    again = replace(again, weight=np.ones(again.n_rows), multiplicity=np.ones(again.n_rows))
    a, b = grown(once), grown(again)
    np.testing.assert_array_equal(a.kind, b.kind)
    np.testing.assert_array_equal(a.threshold, b.threshold)
    np.testing.assert_allclose(a.value, b.value)


def test_two_children_must_have_min_cases():
    X = np.array([0, 0, 0, 0, 1, 2, 3], dtype=float)[:, None]
    table = replace(make_table(X, [0, 0, 0, 0, 1, 1, 1]), levels=(4,))
    assert grown(table).n_leaves == 1
    assert grown(table, C45(min_cases=1)).n_leaves == 4


def test_rare_categories_go_with_the_most_frequent_child():
    X = np.repeat([0.0, 1.0, 2.0], [6, 4, 1])[:, None]
    table = replace(make_table(X, np.repeat([0, 1, 1], [6, 4, 1])), levels=(4,))
    tree = grown(table, min_samples_leaf=2)
    np.testing.assert_array_equal(tree.apply(np.array([[0.0], [1.0], [2.0], [3.0], [-1.0]])), [1, 2, 1, 1, 1])


def test_categories_that_tell_the_same_are_put_together():
    X = np.repeat(np.arange(6.0), 10)[:, None]
    table = replace(make_table(X, (X[:, 0] % 2).astype(int)), levels=(6,))
    assert grown(table).n_leaves == 6
    grouped = grown(table, C45(group_categories=True))
    assert grouped.n_leaves == 2
    np.testing.assert_array_equal(grouped.weight, [0, 1, 0, 1, 0, 1])


@given(counts=st.lists(st.lists(st.integers(0, 20), min_size=2, max_size=2).filter(any), min_size=2, max_size=6))
def test_no_further_union_raises_the_gain_ratio(counts):
    counts = np.array(counts, dtype=float)

    def ratio(groups):
        merged = [counts[groups == g].sum(axis=0) for g in np.unique(groups)]
        gain, information = reference.worth([side.tolist() for side in merged])
        return gain / information if gain > 1e-9 else 0.0

    groups = _core.group_categories(counts, 0.0)
    assert sorted(set(groups.tolist())) == list(range(groups.max() + 1))
    assert ratio(groups) >= ratio(np.arange(len(counts))) - 1e-9
    if groups.max() > 1 and ratio(groups) > 0:
        for a in range(groups.max() + 1):
            for b in range(a):
                assert ratio(np.where(groups == a, b, groups)) <= ratio(groups) + 1e-9


# --- ID3


@given(table=tables())
def test_id3_tries_boundary_points_alone_and_misses_no_gain(table):
    rows = np.arange(table.n_rows)
    cuts = every_cut.all_cuts(table, rows, "entropy", 1, lambda left, right: ENTROPY.score([left, right]))
    found = _core.axis_cut(ENTROPY.kernel, root_of(table, "entropy").kernel, boundaries=True)
    boundary = [cut for cut in cuts if is_boundary(table, cut)]
    if not boundary:
        assert found is None
        return
    assert found[:2] in [(cut.feature, cut.threshold) for cut in boundary]
    assert found[2] == pytest.approx(min(cut.score for cut in cuts), abs=1e-12)


def is_boundary(table, cut):
    column = table.X[:, cut.feature]
    low, high = column[column <= cut.threshold].max(), column[column > cut.threshold].min()
    return np.unique(table.y[(column == low) | (column == high)]).size > 1


@given(seed=seeds)
def test_id3_grows_the_tree_of_most_gain(seed):
    X, y, weight = noisy_data(seed, n=40)
    table = make_table(X, y, weight)
    assert grown(table, ID3(), ENTROPY) == grown(table, AxisParallel(), ENTROPY)


def test_id3_stops_where_no_test_has_a_gain():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert grown(make_table(X, [0, 1, 1, 0]), ID3(), ENTROPY).n_leaves == 1


def test_id3_has_a_child_for_each_category():
    table = with_categories(0)
    tree = grown(table, ID3(), ENTROPY)
    assert (tree.n_children == 7).any()
    assert (tree.impurity[tree.is_leaf] == 0).mean() > 0.9


# --- what is refused


@pytest.mark.parametrize("search", [C45(), ID3()])
def test_regression_is_refused(search):
    table = make_table([[1.0], [2.0]], [0.5, 1.5], n_classes=0)
    with pytest.raises(InvalidParameterError, match="supports classification only"):
        grow(table, search, as_criterion("squared_error", classification=False), Limits(), 0)


@pytest.mark.parametrize("search", [C45(), ID3()])
def test_a_criterion_that_scores_two_children_is_refused_for_categories(search):
    table = with_categories(0)
    with pytest.raises(
        InvalidParameterError, match=r"'criterion' parameter must be a str among .* Got 'twoing' instead"
    ):
        grown(table, search, as_criterion("twoing", classification=True))
