"""Bad data in a partition, odd partitions and a worker that is killed, for every estimator on a cluster."""

import os
import signal

import numpy as np
import pytest
from dask import delayed
from fault_cases import X, Y, learnt, spoilt
from registry import trees
from sklearn.datasets import load_iris

import askew
import askew.dask
from askew.dask.cluster import Cluster

ESTIMATORS = [getattr(askew.dask, name) for name in askew.dask.__all__]
SMALL = {"n_estimators": 3, "n_samples": 20, "patience": 1, "max_depth": 3, "local_rows": 20, "random_state": 0}
KINDS = [askew.dask.DaskCARTRegressor, askew.dask.DaskKDTClassifier, askew.dask.DaskObliqueForestClassifier]
every = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
every_kind = pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)  # all of a kind read data alike


def make(cls, **parameters):
    """An estimator that takes little time; of a vote, the parameters of its tree go there."""
    known = cls().get_params(deep=False)
    given = {**SMALL, **parameters}
    own = {name: value for name, value in given.items() if name in known}
    if "estimator" in known:
        own["estimator"] = askew.CARTClassifier(**{name: v for name, v in parameters.items() if name not in own})
    return cls(**own)


def parted(*columns, ends=(2,)):
    """Data in partitions that end at these rows; None stays None."""
    return [
        None if one is None else [delayed(piece) for piece in np.split(np.asarray(one), list(ends))] for one in columns
    ]


def refuses(cls, message, *data):
    model = make(cls, missing="error")
    with pytest.raises(ValueError, match=message):
        model.fit(*parted(*data))
    assert learnt(model) == {}


@every
def test_01_nan_in_a_partition(cls, client):
    rows = spoilt(np.nan)
    for weight in ([], [np.isfinite(rows).all(axis=1).astype(float)]):  # rows of weight 0 are checked, too
        refuses(cls, "Input X contains NaN.*missing='mean'", rows, Y, *weight)


@every_kind
def test_02_infinity_in_a_partition(cls, client):
    refuses(cls, "infinity or a value too large", spoilt(np.inf), Y)


@every_kind
def test_04_no_rows_or_no_columns_in_any_partition(cls, client):
    refuses(cls, r"Found array with 0 sample\(s\)", X[:0], Y[:0])
    refuses(cls, r"Found array with 0 feature\(s\)", X[:, :0], Y)


@every_kind
def test_06_lengths_that_differ_or_no_y(cls, client):
    refuses(cls, "must match", X, Y[:5])
    refuses(cls, "requires y to be passed", X, None)


@every_kind
def test_09_complex_numbers_in_a_partition(cls, client):
    refuses(cls, "Complex data not supported", X + 1j, Y)


@every_kind
def test_10_text_in_a_partition_names_the_column_and_the_value(cls, client):
    rows = np.array(X.tolist(), dtype=object)
    rows[3, 1] = "red"
    refuses(cls, "'red' in column 1, row 1", rows, Y)


@every_kind
def test_16_weights_in_a_partition(cls, client):
    for weight, message in [
        ([1, 1, np.nan, 1, 1, 1], "Input sample_weight contains NaN"),
        ([1, 1, -1, 1, 1, 1], "[Nn]egative values in sample_weight"),
        (np.zeros(6), "zero everywhere"),
        (np.full(6, 1e200), "too large"),
    ]:
        refuses(cls, message, X, Y, weight)


def test_03_a_number_that_is_none_in_a_partition_is_refused(client):
    refuses(KINDS[0], "Input y contains NaN", X, [0.0, 1.0, np.nan, 0.0, 1.0, 0.0])


@pytest.mark.parametrize("cls", KINDS[1:], ids=lambda cls: cls.__name__)
def test_08_classes_that_are_none_in_a_partition_are_refused(cls, client):
    refuses(cls, "Unknown label type: continuous", X, X[:, 0] + 0.5)
    refuses(cls, "Input y contains (NaN|None)", X, np.array(["a", "b", None, "a", "b", "a"], dtype=object))


@every_kind
def test_12_another_number_of_features_in_a_partition(cls, client):
    model = make(cls).fit(*parted(X, Y))
    (wide,) = parted(np.ones((4, 3)))
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2 features"):
        [one.compute() for one in model.predict(wide)]


@every
def test_40_empty_and_uneven_partitions_give_the_model_of_one_machine(cls, client):
    rows, y = load_iris(return_X_y=True)  # sorted by class: no partition has all
    model = make(cls).fit(*parted(rows, y, ends=(0, 3, 3, 95)))
    expected = model.plain().fit(rows, y)
    assert trees(model) == trees(expected)
    np.testing.assert_array_equal(model.predict(rows), expected.predict(rows))


@pytest.mark.parametrize("cls", [askew.dask.DaskKDTClassifier, askew.dask.DaskObliqueForestClassifier])
def test_39_a_worker_that_is_killed_while_trees_grow_changes_nothing(cls, client, monkeypatch):
    rows, y = load_iris(return_X_y=True)
    results, killed = Cluster.results, []

    def counted(self, futures):
        if self.parts and not killed:  # the data are read, and trees grow
            killed.append(min(client.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)
        return results(self, futures)

    monkeypatch.setattr(Cluster, "results", counted)
    model = make(cls, timeout=600).fit(*parted(rows, y, ends=(50, 90)))
    assert len(killed) == 1
    assert trees(model) == trees(model.plain().fit(rows, y))
