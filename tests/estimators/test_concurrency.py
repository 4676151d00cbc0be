"""Threads of the caller: models that are fitted or asked at the same time are those of one thread, bit for bit."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from registry import EVERY, accepts, plain
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes, load_wine
from threads import threads_on_small_data

from askew.store.estimators import pack_estimator


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_fits_and_predictions_at_the_same_time_are_those_of_one_thread(cls):
    jobs = {"n_jobs": 2} if accepts(cls, n_jobs=2) else {}
    alone = plain(cls)
    X, y = load_wine(return_X_y=True) if is_classifier(alone) else load_diabetes(return_X_y=True)
    X, y = X[::6, :5], y[::6]
    expected = alone.fit(X, y).predict(X)
    with threads_on_small_data(), ThreadPoolExecutor(4) as pool:
        for model in pool.map(lambda _: plain(cls, **jobs).fit(X, y), range(4)):
            assert in_bytes(model) == in_bytes(alone)
        assert all(np.array_equal(expected, found) for found in pool.map(alone.predict, [X] * 8))


def in_bytes(model):
    """All arrays that a model file of this model has."""
    return {name: array.tobytes() for name, array in pack_estimator(model)[1].items()}
