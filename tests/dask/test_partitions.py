"""What a cluster is given: arrays, data frames, lists of futures; and what comes back."""

import pickle
from io import BytesIO

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from sklearn.base import clone
from sklearn.datasets import load_iris

import askew
from askew import CARTClassifier, CEDTClassifier
from askew.dask import DaskCARTClassifier, DaskCARTRegressor, DaskCEDTClassifier, DaskObliqueTreeClassifier
from askew.parameters import InvalidParameterError
from askew.search.axis import AxisParallel

rng = np.random.default_rng(0)


def mixed(n=200):
    """A data frame with categories, missing values and names, its labels and weights."""
    X = pd.DataFrame(
        {
            "size": rng.integers(0, 50, n).astype(float),
            "colour": pd.Series(rng.choice(["red", "blue", "green"], n)),
            "age": rng.integers(0, 30, n),
        }
    )
    X.loc[rng.random(n) < 0.1, "size"] = np.nan
    X.loc[rng.random(n) < 0.1, "colour"] = None
    y = pd.Series(np.where((X["size"] > 20) ^ (X["colour"] == "red"), "yes", "no"), name="y")
    return X, y, pd.Series(rng.integers(0, 3, n).astype(float))


def frames(*given, divisions):
    return [
        dd.from_map(lambda i, one=one: one.iloc[divisions[i] : divisions[i + 1]], range(len(divisions) - 1), meta=one)
        for one in given
    ]


@pytest.mark.parametrize("missing", ["mean", "indicator"])
@pytest.mark.parametrize("divisions", [[0, 200], [0, 3, 3, 90, 200]], ids=["whole", "uneven, one empty"])
def test_frames_have_categories_missing_values_weights_and_text_labels(client, divisions, missing):
    X, y, weight = mixed()
    given = {"missing": missing, "random_state": 0, "max_depth": 2, "n_samples": 50, "patience": 1}
    tree = DaskCEDTClassifier(local_rows=50, **given).fit(*frames(X, y, weight, divisions=divisions))
    expected = CEDTClassifier(**given).fit(X, y, weight)
    assert tree.tree_ == expected.tree_
    assert tree.encoder_ == expected.encoder_
    assert tree.classes_.tolist() == ["no", "yes"]
    assert tree.feature_names_in_.tolist() == ["size", "colour", "age"]
    np.testing.assert_array_equal(tree.feature_means_, expected.feature_means_)
    assert tree.missing_ == tree.to_local().missing_ == missing
    np.testing.assert_allclose(tree.feature_importances_, expected.feature_importances_, rtol=1e-9)


def test_predictions_are_lazy_and_keep_their_chunks(client):
    X, y = load_iris(return_X_y=True)
    tree = DaskCARTClassifier(max_depth=2).fit(da.from_array(X, chunks=(70, 4)), da.from_array(y, chunks=70))
    lazy = da.from_array(X, chunks=((50, 60, 40), 4))
    labels, shares, leaves = tree.predict(lazy), tree.predict_proba(lazy), tree.apply(lazy)
    assert labels.chunks == ((50, 60, 40),)
    assert shares.chunks == ((50, 60, 40), (3,))
    local = tree.to_local()
    assert type(local) is CARTClassifier
    np.testing.assert_array_equal(labels.compute(), local.predict(X))
    np.testing.assert_array_equal(shares.compute(), local.predict_proba(X))
    np.testing.assert_array_equal(leaves.compute(), local.apply(X))
    np.testing.assert_array_equal(tree.predict(X), local.predict(X))


def test_predictions_of_a_frame_have_its_index(client):
    X, y, weight = mixed()
    tree = DaskCARTClassifier(missing="mean", max_depth=3).fit(*frames(X, y, weight, divisions=[0, 90, 200]))
    (lazy,) = frames(X, divisions=[0, 20, 20, 200])
    labels, shares = tree.predict(lazy), tree.predict_proba(lazy)
    assert labels.npartitions == 3
    assert labels.compute().equals(pd.Series(tree.to_local().predict(X), name="predictions"))
    assert shares.columns.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(shares.compute(), tree.to_local().predict_proba(X))


@pytest.mark.parametrize("kind", ["futures", "delayed"])
def test_lists_of_futures_and_of_delayed_objects_are_partitions(client, kind):
    X, y = load_iris(return_X_y=True)
    pieces = [slice(0, 40), slice(40, 150)]
    if kind == "futures":
        given = [client.scatter([one[p] for p in pieces]) for one in (X, y)]
    else:
        given = [[delayed(one[p]) for p in pieces] for one in (X, y)]
    tree = DaskCARTClassifier(max_depth=3).fit(*given)
    assert tree.tree_ == CARTClassifier(max_depth=3).fit(X, y).tree_
    predicted = tree.predict(given[0])
    computed = client.gather(predicted) if kind == "futures" else [one.compute() for one in predicted]
    np.testing.assert_array_equal(np.concatenate(computed), tree.to_local().predict(X))


def test_40_a_class_that_a_partition_lacks_and_chunks_that_differ_change_nothing(client):
    X, y = load_iris(return_X_y=True)  # sorted by class: no partition has all
    tree = DaskCARTClassifier().fit(da.from_array(X, chunks=(30, 2)), da.from_array(y, chunks=70))
    assert tree.tree_ == CARTClassifier().fit(X, y).tree_


def test_a_tree_is_copied_pickled_and_stored_without_its_client(client, tmp_path):
    X, y = load_iris(return_X_y=True)
    tree = DaskCEDTClassifier(client=client, max_depth=2, random_state=0)
    copy = clone(tree)
    assert copy.client is client
    assert copy.client_ is client
    tree.fit(da.from_array(X, chunks=(80, 4)), da.from_array(y, chunks=80))
    back = pickle.load(BytesIO(pickle.dumps(tree)))
    assert back.client is None
    np.testing.assert_array_equal(back.predict(X), tree.predict(X))
    askew.save(tree.to_local(), tmp_path / "tree.askew")
    assert askew.load(tmp_path / "tree.askew").tree_ == tree.tree_


def test_data_that_are_no_collection_are_fitted_on_this_machine():
    X, y = load_iris(return_X_y=True)
    assert DaskCARTClassifier().fit(X, y).tree_ == CARTClassifier().fit(X, y).tree_


def number(column):
    return pd.DataFrame({"a": column})


WRONG = {
    "a column that changes its type": ([number([1.0, 2.0]), number(["x", "y"])], [[0, 1], [0, 1]], "holds numbers in"),
    "other columns": ([number([1.0, 2.0]), pd.DataFrame({"b": [1.0]})], [[0, 1], [0]], "other columns"),
    "another number of columns": ([np.ones((2, 2)), np.ones((2, 3))], [[0, 1], [0, 1]], "has 3 columns"),
    "labels of two types": ([np.ones((2, 1)), np.ones((2, 1))], [[0, 1], ["a", "b"]], "labels of different types"),
    "rows without labels": ([np.ones((2, 1)), np.ones((2, 1))], [[0, 1], [0]], "must match"),
    "values that are missing": ([np.ones((2, 1)), np.full((2, 1), np.nan)], [[0, 1], [0, 1]], "contains NaN"),
    "infinite values": ([np.ones((2, 1)), np.full((2, 1), np.inf)], [[0, 1], [0, 1]], "infinity"),
    "no rows": ([np.ones((0, 1))], [[]], "0 sample"),
}


@pytest.mark.parametrize(("X", "y", "message"), WRONG.values(), ids=WRONG)
def test_partitions_that_do_not_fit_together_are_refused(client, X, y, message):
    with pytest.raises(ValueError, match=message):
        DaskCARTClassifier(missing="error").fit([delayed(one) for one in X], [delayed(np.array(one)) for one in y])


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (DaskObliqueTreeClassifier(search="oc1"), "cannot run over several machines"),
        (DaskCARTClassifier(pruning="cost_complexity"), "must be None"),
        (DaskCEDTClassifier(feature_reduction=True), "needs all rows"),
        (DaskCEDTClassifier(trace=True), "trace=False"),
        (DaskObliqueTreeClassifier(search=AxisParallel(max_features=1)), "max_features"),
        (DaskCARTRegressor(criterion="absolute_error"), "medians"),
        (DaskCARTClassifier(max_bins=1), "max_bins"),
        (DaskCARTClassifier(local_rows=-1), "local_rows"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused_before_any_work(tree, message):
    with pytest.raises(InvalidParameterError, match=message):
        tree.fit(da.ones((4, 2)), da.ones(4))
