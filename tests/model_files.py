"""Estimators through model files."""

import numpy as np
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew.tree import Tree


def state(estimator):
    """All that a fitted estimator holds, as bytes where it is an array."""
    held = {}
    for name, value in vars(estimator).items():
        if isinstance(value, Tree):
            value = {key: array.tobytes() for key, array in value.arrays().items()}
        elif isinstance(value, np.ndarray):
            value = (value.dtype.str, value.shape, value.tolist())
        held[name] = value
    return held


def through_file(estimator, folder):
    """Save an estimator and load it."""
    askew.save(estimator, folder / "m.askew")
    return askew.load(folder / "m.askew")


def fitted(kind, **parameters):
    """Fit a small tree of this kind."""
    estimator = kind(max_depth=3, random_state=0, **parameters)
    load = load_iris if is_classifier(estimator) else load_diabetes
    return estimator.fit(*load(return_X_y=True))
