"""Votes on a cluster."""

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import load_iris

from askew import CEDTClassifier, KDTClassifier, ObliqueForestClassifier, ObliqueForestRegressor
from askew.dask import DaskKDTClassifier, DaskObliqueForestClassifier, DaskObliqueForestRegressor

X, y = load_iris(return_X_y=True)
MODEL = {"estimator": CEDTClassifier(n_samples=30, max_depth=2), "n_estimators": 3, "random_state": 0}


def fit(chunk, **options):
    return DaskKDTClassifier(**MODEL, **options).fit(
        da.from_array(X, chunks=(chunk, 4)), da.from_array(y, chunks=chunk)
    )


def test_trees_on_all_rows_are_those_of_one_machine(client):
    vote, expected = fit(60), KDTClassifier(**MODEL).fit(X, y)
    assert [tree.tree_ for tree in vote.estimators_] == [tree.tree_ for tree in expected.estimators_]
    lazy = da.from_array(X, chunks=(100, 4))
    assert vote.predict(lazy).chunks == ((100, 50),)
    np.testing.assert_array_equal(vote.predict(lazy).compute(), expected.predict(X))
    np.testing.assert_array_equal(vote.predict_proba(lazy).compute(), expected.predict_proba(X))
    assert type(vote.to_local()) is KDTClassifier


def test_trees_on_partitions_take_turns(client):
    vote = fit(75, partition="local")
    assert [tree.tree_.n_samples[0] for tree in vote.estimators_] == [75, 75, 75]
    assert vote.estimators_[0].tree_ != vote.estimators_[1].tree_
    assert vote.classes_.tolist() == [0, 1, 2]  # also of a partition without the last


def test_an_unknown_way_to_part_the_rows_is_refused():
    with pytest.raises(ValueError, match="partition"):
        fit(75, partition="all")


FORESTS = [
    (DaskObliqueForestClassifier, ObliqueForestClassifier, y),
    (DaskObliqueForestRegressor, ObliqueForestRegressor, X[:, 3]),
]


@pytest.mark.parametrize(("on_cluster", "plain", "target"), FORESTS)
def test_a_forest_on_all_rows_is_that_of_one_machine(client, on_cluster, plain, target):
    given = {"n_estimators": 10, "random_state": 0}
    data = da.from_array(X[:, :3], chunks=(60, 3))
    forest = on_cluster(**given).fit(data, da.from_array(target, chunks=60))
    expected = plain(**given).fit(X[:, :3], target)
    assert forest.trees_ == expected.trees_
    np.testing.assert_allclose(forest.feature_importances_, expected.feature_importances_, rtol=1e-9)
    np.testing.assert_array_equal(forest.predict(data).compute(), expected.predict(X[:, :3]))


def test_the_trees_of_a_forest_belong_to_partitions(client):
    data = da.from_array(X, chunks=(60, 4)), da.from_array(y, chunks=60)
    forest = DaskObliqueForestClassifier(n_estimators=5, random_state=0, partition="local").fit(*data)
    classes = [np.flatnonzero(tree.value[0]).tolist() for tree in forest.trees_]  # iris is sorted by class
    assert classes == [[0, 1], [1, 2], [2], [0, 1], [1, 2]]
    with pytest.raises(ValueError, match="oob_score"):
        DaskObliqueForestClassifier(oob_score=True).fit(*data)
