"""What every search must do. A new search is tested by being registered in `SEARCHES`."""

import numpy as np
import pytest
from hypothesis import given, settings
from nodes import root_of
from sklearn.datasets import load_diabetes, load_iris, load_wine
from strategies import make_table, tables
from threads import threads_on_small_data

from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.parameters import InvalidParameterError
from askew.search import SEARCHES, as_search

BOTH = [True, False]
ON_ONE_THREAD = {"alopex", "c45", "id3", "linear_machine"}  # their search of a single node
every_search = pytest.mark.parametrize("name", sorted(SEARCHES))


def serves(name, classification):
    """Whether the search serves the task: a search for classes, or for numbers, alone says so."""
    return not getattr(SEARCHES[name], "regression_only" if classification else "classification_only", False)


cases = pytest.mark.parametrize(
    ("name", "classification"), [(n, c) for n in sorted(SEARCHES) for c in BOTH if serves(n, c)]
)


def criterion_for(table):
    return as_criterion("gini" if table.classification else "squared_error", classification=table.classification)


def find(name, table, seed=7, **node):
    return as_search(name).find(root_of(table, criterion_for(table), **node), criterion_for(table), seed)


def data(classification, n=150):
    X, y = load_wine(return_X_y=True) if classification else load_diabetes(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    return make_table(X[rows, :5], y[rows], n_classes=3 if classification else 0)


def same(a, b):
    if a is None or b is None:
        return a is b
    arrays = ("features", "weights", "threshold", "n_children")
    return a.kind == b.kind and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays)


@cases
def test_it_finds_a_split_that_lowers_the_impurity(name, classification):
    table = data(classification)
    split = find(name, table)
    tree = grow(table, as_search(name), criterion_for(table), Limits(max_depth=1), 7)
    assert split is not None
    assert np.isfinite(split.weights).all()
    assert np.isfinite(split.threshold)
    assert tree.depth == 1
    load = tree.mass * tree.impurity
    assert load[1:].sum() < load[0]


@cases
@settings(max_examples=20)
@given(data=tables())
def test_every_split_is_valid(name, classification, data):
    table = data if classification else make_table(data.X, data.y, data.weight, n_classes=0)
    split = find(name, table)
    if split is None:
        return
    assert np.isfinite(split.weights).all()
    assert (split.features >= 0).all()
    assert (split.features < table.n_features).all()
    route = split.route(table.X)
    assert route.min() >= 0
    assert route.max() < split.n_children


@cases
def test_every_number_of_threads_finds_the_same(name, classification):
    table = data(classification)
    one = find(name, table, threads=1)
    with threads_on_small_data() as started:
        assert all(same(find(name, table, threads=threads), one) for threads in (2, 3))
        assert started() > 0 or name in ON_ONE_THREAD


@cases
def test_every_number_of_threads_grows_the_same(name, classification):
    table, criterion = data(classification, n=60), criterion_for(data(classification))
    one = grow(table, as_search(name), criterion, Limits(max_depth=3), 7)
    with threads_on_small_data() as started:
        assert grow(table, as_search(name), criterion, Limits(max_depth=3), 7, 3) == one
        assert started() > 0 or name == "alopex"


@cases
def test_the_same_seed_finds_the_same(name, classification):
    table = data(classification)
    assert all(same(find(name, table, seed=seed), find(name, table, seed=seed)) for seed in (0, 1, 2**63))


@cases
@pytest.mark.parametrize("least", [5, 30, 60])
def test_a_tree_has_the_least_samples_in_every_leaf(name, classification, least):
    table = data(classification)
    tree = grow(table, as_search(name), criterion_for(table), Limits(min_samples_leaf=least), 7)
    assert tree.n_samples.min() >= least
    assert tree.n_leaves > 1


@cases
def test_too_many_samples_in_a_leaf_allow_no_split(name, classification):
    table = data(classification)
    assert grow(table, as_search(name), criterion_for(table), Limits(min_samples_leaf=76), 7).n_leaves == 1


@cases
def test_constant_columns_are_not_split(name, classification):
    table = make_table(np.full((20, 3), 2.5), np.arange(20) % 2, n_classes=2 if classification else 0)
    assert grow(table, as_search(name), criterion_for(table), Limits(), 7).n_leaves == 1


@cases
def test_a_constant_column_beside_others_does_no_harm(name, classification):
    table = data(classification)
    X = np.column_stack([np.full(table.n_rows, 3.0), table.X])
    tree = grow(make_table(X, table.y, n_classes=table.n_classes), as_search(name), criterion_for(table), Limits(), 7)
    assert tree.n_leaves > 1
    assert np.isfinite(tree.weight).all()


@cases
def test_one_row_is_a_leaf(name, classification):
    table = make_table([[1.0, 2.0]], [0], n_classes=2 if classification else 0)
    tree = grow(table, as_search(name), criterion_for(table), Limits(), 7)
    assert tree.node_count == 1


@cases
def test_equal_rows_with_different_labels_end_together(name, classification):
    X = np.repeat([[0.0, 1.0], [3.0, 2.0], [5.0, 7.0]], 4, axis=0)
    y = [0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 0, 1]
    table = make_table(X, y, n_classes=2 if classification else 0)
    tree = grow(table, as_search(name), criterion_for(table), Limits(), 7)
    leaf = tree.apply(table.X).reshape(3, 4)
    assert (leaf == leaf[:, :1]).all()


@pytest.mark.parametrize("name", [n for n in sorted(SEARCHES) if serves(n, classification=True)])
def test_iris_is_learnt(name):
    X, y = load_iris(return_X_y=True)
    table = make_table(X, y)
    tree = grow(table, as_search(name), criterion_for(table), Limits(), 7)
    assert (tree.value[tree.apply(table.X)].argmax(axis=1) == y).mean() > 0.95


@cases
def test_it_tells_how_many_hyperplanes_it_looked_at(name, classification):
    table = data(classification)
    assert grow(table, as_search(name), criterion_for(table), Limits(), 7).n_hyperplanes > 0


@every_search
def test_a_search_is_a_frozen_value(name):
    search = as_search(name)
    assert search == SEARCHES[name]()
    assert hash(search) == hash(SEARCHES[name]())
    with pytest.raises(AttributeError):
        search.anything = 1


@pytest.mark.parametrize("wrong", ["nonsense", None, 3, *SEARCHES.values()])
def test_anything_else_is_refused_with_the_list_of_names(wrong):
    with pytest.raises(InvalidParameterError, match=r"'search' parameter must be a str among \['"):
        as_search(wrong)
