"""Estimators through model files."""

import numpy as np
import pandas as pd
from sklearn.base import is_classifier
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew.model.tree import Tree


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


def some_data():
    """Two numbers and two columns of categories; some values are missing."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 60))
    colour, size = rng.choice(["red", "green", "blue"], 60), rng.choice(["s", "m", "l", "xl"], 60)
    y = np.array(["no", "perhaps", "yes"])[(a > 0).astype(int) + ((colour == "red") | (b > 0.5))]
    frame = pd.DataFrame({"a": a, "b": b, "colour": colour, "size": size})
    return frame.mask(rng.random(frame.shape) < 0.05), y


def examples():
    """A fitted estimator of each form that a model file can have."""
    frame, y = some_data()
    X, Y = load_iris(return_X_y=True)
    numbers, quantity = load_diabetes(return_X_y=True)
    onehot = askew.OC1Classifier(max_depth=3, missing="mean", pruning=None, random_state=0).fit(frame, y)
    c45 = askew.C45Classifier(pruning=None).fit(frame, y)
    regions = askew.C45Classifier(pruning=None, missing="mean").fit(frame, y)
    regions.tree_ = askew.RuleNetwork.of(regions)
    one_vs_rest = askew.APDTClassifier(multiclass="one_vs_rest", max_depth=2, random_state=0).fit(X, Y)
    return {
        "tree": fitted(askew.CARTClassifier),
        "numbers": askew.CARTRegressor(max_depth=3).fit(numbers, quantity),
        "one-hot": onehot,
        "categories": c45,
        "linear machine": askew.LMDTClassifier(max_depth=2, random_state=0).fit(X, Y),
        "network": regions,
        "linear leaves": askew.CARTClassifier(leaf_model="linear", max_leaf_nodes=3, smoothing="laplace").fit(X, Y),
        "linear numbers": askew.CARTRegressor(leaf_model="linear", max_leaf_nodes=3).fit(numbers, quantity),
        "indicator": askew.C45Classifier(missing="indicator", leaf_model="linear", pruning=None).fit(frame, y),
        "one leaf": askew.CARTClassifier().fit([[1.0], [2.0]], [3, 3]),
        "one-vs-rest": one_vs_rest,
        "forest": askew.ObliqueForestClassifier(n_estimators=2, max_depth=3, random_state=0).fit(X, Y),
        "boosting": askew.ObliqueBoostingClassifier(max_iter=2, max_depth=2, random_state=0).fit(X, Y),
        "boosted numbers": askew.ObliqueBoostingRegressor(max_iter=3, max_depth=2, random_state=0).fit(
            numbers, quantity
        ),
        "vote": askew.KDTClassifier(estimator=askew.CARTClassifier(max_depth=2), n_estimators=2).fit(X, Y),
    }
