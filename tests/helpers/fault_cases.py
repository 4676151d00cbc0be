"""What the tests of faults share: every public estimator, a small table, and what a refusal must leave alone."""

import copy
import functools

import numpy as np
import pytest
from registry import CLASSIFIERS, ENSEMBLES_OF_CLASSES, ENSEMBLES_OF_NUMBERS, EVERY, REGRESSORS, plain, set_in

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 2.0], [4.0, 5.0], [5.0, 4.0]])
Y = np.array([0, 0, 1, 1, 0, 1])
every = pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
every_classifier = pytest.mark.parametrize("cls", [*CLASSIFIERS, *ENSEMBLES_OF_CLASSES], ids=lambda cls: cls.__name__)
every_regressor = pytest.mark.parametrize("cls", [*REGRESSORS, *ENSEMBLES_OF_NUMBERS], ids=lambda cls: cls.__name__)


def spoilt(value):
    bad = X.copy()
    bad[2, 1] = value
    return bad


def refuses(cls, message, *args, error=ValueError, **parameters):
    """Fitting fails, and leaves a fitted estimator as it was."""
    model = plain(cls, **parameters)
    with pytest.raises(error, match=message):
        model.fit(*args)
    assert learnt(model) == {}
    before = learnt(model := fitted(cls))
    with pytest.raises(error, match=message):
        set_in(model, **parameters).fit(*args)
    assert learnt(model) == before


def fitted(cls):
    """An estimator that knows the small table."""
    return copy.deepcopy(_fitted(cls))


@functools.cache
def _fitted(cls):
    return plain(cls).fit(X, Y)


def learnt(model):
    """All that a fit leaves in an estimator."""
    return {name: value for name, value in vars(model).items() if name not in model.get_params(deep=False)}
