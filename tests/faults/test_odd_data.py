"""Faults 17 to 22: odd data is learnt from, or refused; never a NaN, never a wrapped index."""

import copy
import functools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from fault_cases import every, every_classifier, every_regressor
from handmade import tree_of
from nodes import root_of
from registry import EVERY, grows_the_whole_tree, members, plain, takes, trees
from sklearn.base import clone, is_classifier

from askew import CARTClassifier, CARTRegressor, KDTClassifier, ObliqueForestClassifier
from askew.data.table import Table
from askew.grow.criterion import as_criterion
from askew.model.split import Hyperplane
from askew.search import SEARCHES, as_search

RNG = np.random.default_rng(0)


def check_predictions(model, X, y):
    """Whether the training rows come back; of AutoTree and of ensembles, labels as given or numbers between them."""
    found = model.predict(X)
    if grows_the_whole_tree(type(model)):
        np.testing.assert_array_equal(found, y)
    elif is_classifier(model):
        assert np.isin(found, y).all()
    else:
        assert (found >= np.min(y)).all()
        assert (found <= np.max(y)).all()


def finite(model):
    return all(np.isfinite(array).all() for tree in trees(model) for array in tree.arrays().values())


def every_row(cls):
    """What a forest is told so that its trees are grown on all rows."""
    return {"bootstrap": False} if takes(cls, "bootstrap") else {}


@every
def test_17_one_class(cls):
    model = plain(cls).fit(RNG.normal(size=(9, 2)), np.full(9, 4))
    assert {tree.n_leaves for tree in trees(model)} == {1}
    assert (model.predict([[0.0, 0.0]]) == 4).all()


@every
def test_17_one_row(cls):
    assert plain(cls).fit([[1.0, 2.0]], [3]).predict([[9.0, 9.0]]) == [3]


@every_classifier
@pytest.mark.parametrize("X", [np.full((8, 2), 3.0), np.tile([1.0, -2.0], (8, 1))], ids=["constant", "equal rows"])
def test_17_nothing_to_split_by_gives_the_frequencies(cls, X):
    model = plain(cls, **every_row(cls)).fit(X, ["a", "b", "b", "b", "a", "b", "b", "b"])
    assert {tree.n_leaves for tree in trees(model)} == {1}
    assert (model.predict(X) == "b").all()
    for member in members(model):
        np.testing.assert_allclose(member.predict_proba(X[:1]), [[0.25, 0.75]], rtol=1e-15)


@every
def test_18_fewer_rows_than_features(cls):
    X = RNG.normal(size=(5, 40))
    model = plain(cls).fit(X, [0, 1, 0, 1, 1])
    assert finite(model)
    check_predictions(model, X, [0, 1, 0, 1, 1])


@every
def test_18_collinear_columns(cls):
    x = RNG.normal(size=(50, 1))
    X = np.hstack([x, 2 * x, -x, x + 1, np.ones((50, 1))])
    assert finite(plain(cls).fit(X, (x[:, 0] > 0).astype(int)))


@every
@pytest.mark.parametrize(
    "scale",
    [[1e300, 1.0], [-1e300, 1e300], [1e-300, 1.0], [5e-324, 1e-310], [1e150, 1e-150], [1.7e308, 1.7e308]],
    ids=str,
)
@pytest.mark.parametrize("missing", ["error", "mean"])
def test_19_values_of_very_different_size(cls, scale, missing):
    X = RNG.integers(-1, 2, size=(40, 2)) * np.array(scale)
    y = (X[:, 0] > 0).astype(int)
    model = plain(cls, missing=missing).fit(X, y)
    assert finite(model)
    check_predictions(model, X, y)
    assert np.isfinite(model.feature_importances_).all()


WEIGHTS = {
    "all of 1e130": np.full(40, 1e130),
    "one heavy row": np.append(np.ones(39), 1e130),
    "one heavy row among halves": np.append(np.full(39, 0.5), 1e130),
    "a sum of 2^63 or more": np.full(40, 1e18),
    "both ends": np.append(np.full(20, 1e-130), np.full(20, 1e130)),
}


@pytest.mark.parametrize(
    ("cls", "pruning"),
    [(cls, how) for cls in EVERY for how in ({}, {"pruning": "cost_complexity"}) if not how or takes(cls, "pruning")],
    ids=lambda given: getattr(given, "__name__", "pruned" if given else "grown"),
)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_19_weights_of_any_size_give_a_sound_tree(cls, weight, pruning):
    X = RNG.normal(size=(40, 3))
    model = plain(cls, **every_row(cls), **pruning).fit(X, (X[:, 0] > 0).astype(int), WEIGHTS[weight])
    assert finite(model)
    for tree in trees(model):
        assert (tree.n_samples > 0).all()
        assert tree.n_samples[0] <= 40  # importances, not repetitions
    assert trees(copy.deepcopy(model)) == trees(pickle.loads(pickle.dumps(model))) == trees(model)
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.feature_importances_).all()


def test_22_whole_weights_are_repetitions_as_far_as_doubles_count_exactly():
    X, y = [[0.0], [1.0]], [0, 1]
    assert CARTClassifier().fit(X, y, [2.0**52, 2.0**52]).tree_.n_samples.tolist() == [2**53, 2**52, 2**52]
    assert CARTClassifier().fit(X, y, [2.0**53, 2.0]).tree_.n_samples.tolist() == [2, 1, 1]


@every_regressor
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, ">f4"])
def test_21_y_of_any_numeric_type_gives_the_same_tree(cls, dtype):
    X = RNG.normal(size=(30, 2))
    y = np.round(4 * X[:, 0])
    assert trees(plain(cls).fit(X, y.astype(dtype))) == trees(plain(cls).fit(X, y))


def test_19_y_whose_square_overflows_is_refused():
    with pytest.raises(ValueError, match="Input y contains a value too large"):
        CARTRegressor().fit([[0.0], [1.0]], [1e300, -1e300])
    large = CARTRegressor().fit([[0.0], [1.0]], [1e130, -1e130])
    np.testing.assert_array_equal(large.predict([[0.0], [1.0]]), [1e130, -1e130])


def test_19_a_large_offset_of_y_does_not_hide_its_variation():
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] < 13, 0.0, 1.0)
    near, far = CARTRegressor(max_depth=1).fit(X, y), CARTRegressor(max_depth=1).fit(X, y + 1e12)
    np.testing.assert_array_equal(near.tree_.threshold, far.tree_.threshold)
    assert near.tree_.threshold[0] == 12.5


@every_classifier
@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes", "maybe"],
        ["nein", "ja", "vielleicht \N{SNOWMAN}"],
        [True, False],
        [-5, 0, 7],
        [2.0, 1.0],
        np.array([1, 200, 3], dtype=np.uint8),
    ],
    ids=["str", "unicode", "bool", "negative", "float", "uint8"],
)
def test_20_labels_come_back_as_given(cls, labels):
    y = np.asarray(labels)[np.arange(12) % len(labels)]
    X = np.arange(12.0)[:, None]
    model = plain(cls).fit(X, y)
    assert model.classes_.dtype == y.dtype
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    check_predictions(model, X, y)


@every_classifier
def test_20_text_labels_may_be_objects(cls):
    y = np.array(["no", "yes"] * 6, dtype=object)
    X = np.arange(12.0)[:, None]
    check_predictions(plain(cls).fit(X, y), X, y)


def memory_map(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


FORMS = {
    "memory map": memory_map,
    "Fortran": lambda X, _: np.asfortranarray(X),
    "strided": lambda X, _: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X, _: X[::-1].copy()[::-1],
    "big-endian": lambda X, _: X.astype(">f8"),
    "float32": lambda X, _: X.astype(np.float32),
    "float16": lambda X, _: X.astype(np.float16),
    "int16": lambda X, _: X.astype(np.int16),
    "big-endian int": lambda X, _: X.astype(">i4"),
    "read-only": lambda X, _: X.copy(),
    "list": lambda X, _: X.tolist(),
    "pandas": lambda X, _: pd.DataFrame(X, columns=list("abc")),
    "pandas Int64": lambda X, _: pd.DataFrame(X.astype(int)).astype("Int64").rename(columns=str),
    "polars": lambda X, _: pl.DataFrame(X, schema=list("abc")),
}


@functools.cache
def usual(cls):
    """Data as they usually come, and the model of them."""
    rng = np.random.default_rng(3)
    X = rng.integers(-30, 30, size=(60, 3)).astype(float)
    y = rng.integers(3, size=60)
    return X, y, plain(cls).fit(X, y)


@every
@pytest.mark.parametrize("form", FORMS)
def test_21_every_form_of_the_data_gives_the_same_tree(cls, form, tmp_path):
    X, y, expected = usual(cls)
    given = FORMS[form](X, tmp_path)
    if form == "read-only":
        given.setflags(write=False)
    before = np.array(given, dtype=float, copy=True)
    model = plain(cls).fit(given, y)
    assert trees(model) == trees(expected)
    np.testing.assert_array_equal(model.predict(given), expected.predict(X))
    np.testing.assert_array_equal(np.array(given, dtype=float), before)


@every
def test_21_booleans_are_numbers(cls):
    X = np.random.default_rng(4).random((30, 3)) < 0.5
    assert trees(plain(cls).fit(X, X[:, 0] * 1)) == trees(plain(cls).fit(X.astype(float), X[:, 0] * 1))


@every
def test_21_missing_values_leave_the_input_unchanged(cls):
    X = np.array([[1.0, np.nan], [2.0, 5.0], [np.nan, 6.0], [3.0, 1.0]])
    before = X.copy()
    plain(cls, missing="mean").fit(X, [0, 1, 0, 1]).predict(X)
    np.testing.assert_array_equal(X, before)


MANY_NODES = [
    CARTClassifier(),
    KDTClassifier(CARTClassifier(), n_estimators=2),
    ObliqueForestClassifier(n_estimators=2, split="axis", bootstrap=False),
]


@pytest.mark.parametrize("model", MANY_NODES, ids=lambda model: type(model).__name__)
def test_22_more_nodes_than_16_bits_number(model):
    rng = np.random.default_rng(0)
    X, y = rng.permutation(np.arange(60_000.0))[:, None], rng.integers(5, size=60_000)
    model = clone(model).fit(X, y)
    assert min(tree.node_count for tree in trees(model)) > 2 * 32_767
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.fixture(scope="module")
def huge(tmp_path_factory):
    """More numbers than 32 bits count, all 0 until they are written: a file of holes, which takes up no room."""
    path = tmp_path_factory.mktemp("huge") / "numbers"
    yield np.memmap(path, dtype=np.float64, mode="w+", shape=(2**32 + 2**28,))
    path.unlink()


@pytest.mark.extended
@pytest.mark.parametrize(
    "name", sorted(set(SEARCHES) - {"alopex", "piecewise"})
)  # one scales by all rows, one is for numbers
def test_22_rows_beyond_the_number_2_to_32_are_searched_as_any_others(name, huge):
    X = huge.reshape(-1, 64)
    rows = np.arange(X.shape[0] - 300, X.shape[0], dtype=np.uint32)
    numbers = np.random.default_rng(0).normal(size=(rows.size, 3))
    X[rows[0] :, [0, 31, 63]] = numbers
    y = np.zeros(X.shape[0], dtype=np.int32)
    y[rows] = numbers.sum(axis=1) > 0
    weight = np.broadcast_to(1.0, X.shape[0])
    table = Table(X, y, weight, weight, 2, tuple(map(str, range(64))))
    few = table.take(rows)
    far, near = (_find(name, t, r, few) for t, r in ((table, rows), (few, np.arange(300, dtype=np.uint32))))
    assert far.features.tolist() == near.features.tolist()
    np.testing.assert_array_equal(far.weights, near.weights)
    assert far.threshold == near.threshold
    np.testing.assert_array_equal(far.route(table.X, rows), near.route(X[rows]))


def _find(name, table, rows, few):
    """Return the split of a node; C4.5 looks for a value of `few` at its threshold, since all rows take a minute."""
    criterion = as_criterion("gini", classification=True)
    return as_search(name).find(root_of(table, "gini", rows, grown_on=few), criterion, 7)


def test_22_rows_beyond_the_number_2_to_32_are_walked_to_their_leaves(huge):
    X = huge.reshape(-1, 2**28)
    X[-1, [7, 2**28 - 1]] = 1.0, 3.0
    splits = [Hyperplane([2**28 - 1], [1.0], 2.0), None, Hyperplane([7, 2**28 - 1], [1.0, 1.0], 3.5), None, None]
    tree = tree_of(splits, [1, 0, 3, 0, 0], [(3, 3), (1, 1), (2, 2), (1, 1), (1, 1)], n_features=2**28)
    leaf = tree.apply(X)
    assert leaf[-1] == 4
    assert (leaf[:-1] == 1).all()


def test_22_more_rows_than_32_bits_number_are_refused():
    column = np.broadcast_to(np.zeros(1), 2**32)
    with pytest.raises(MemoryError, match="4,294,967,296 rows"):
        Table(column[:, None], column, column, column, 0, ("x",))
