"""Models and rows that the tests of a report share, each fitted once."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_classification

import askew


def mixed_rows(n=300, seed=0):
    """Numbers that lack some values, two columns of categories, and a class that depends on all of them."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(3, 1, n).round(2),
            "weight": rng.normal(0, 2, n).round(2),
            "colour": rng.choice(["red", "blue", "green"], n),
            "make": rng.choice(["x", "y"], n),
        }
    )
    score = frame["size"] + frame["weight"] + 2.0 * (frame["colour"] == "red") - (frame["make"] == "y")
    y = np.where(score > 4, "high", np.where(score > 2, "middle", "low"))
    frame.loc[rng.random(n) < 0.15, "size"] = np.nan
    frame.loc[rng.random(n) < 0.1, "colour"] = None
    return frame, y


@cache
def rows(name):
    if name in ("wine", "auto"):
        wine = load_wine(as_frame=True)
        return wine.data, wine.target_names[wine.target]
    if name in ("breast", "breast weighted"):
        cancer = load_breast_cancer(as_frame=True)
        return cancer.data, cancer.target_names[cancer.target]
    if name in ("diabetes", "diabetes linear"):
        diabetes = load_diabetes(as_frame=True)
        return diabetes.data, diabetes.target.to_numpy()
    if name == "linear":
        return make_classification(400, 6, n_informative=4, n_classes=3, random_state=0)
    frame, y = mixed_rows()
    return frame, frame["weight"].to_numpy() - 2 * (frame["make"] == "y") if "numbers" in name else y


MODELS = {
    "wine": lambda: askew.OC1Classifier(random_state=0),
    "auto": lambda: askew.AutoTreeClassifier(effort="low", max_terms=3, random_state=0),
    "breast": lambda: askew.CARTClassifier(random_state=0, smoothing="laplace"),
    "breast weighted": lambda: askew.CARTClassifier(random_state=0, smoothing="laplace", class_weight="balanced"),
    "diabetes": lambda: askew.CARTRegressor(max_leaf_nodes=8, random_state=0),
    "diabetes linear": lambda: askew.ObliqueTreeRegressor(
        search="piecewise", leaf_model="linear", max_leaf_nodes=4, random_state=0
    ),
    "linear": lambda: askew.ObliqueTreeClassifier(search="linear", leaf_model="linear", max_leaf_nodes=4),
    "one-hot": lambda: askew.OC1Classifier(random_state=0, pruning=None, max_leaf_nodes=12),
    "indicator": lambda: askew.CARTClassifier(random_state=0, missing="indicator", max_leaf_nodes=12),
    "below": lambda: askew.CARTELCClassifier(random_state=0, missing="below", max_leaf_nodes=8),
    "auto, gaps": lambda: askew.AutoTreeClassifier(effort="low", random_state=0),
    "auto numbers, gaps": lambda: askew.AutoTreeRegressor(effort="low", random_state=0),
    "parts": lambda: askew.C45Classifier(random_state=0),
    "machines": lambda: askew.LMDTClassifier(random_state=0),
}


@cache
def model(name):
    return MODELS[name]().fit(*rows(name))


def _noise():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 3)), rng.integers(0, 2, 40)


X, Y = _noise()
CHAIN, MANY = (np.arange(600.0)[:, None], np.arange(600) % 2), (np.arange(80.0)[:, None], np.arange(80) // 2)
CLASSES, NUMBERS = askew.CARTClassifier, askew.CARTRegressor
ODD = {
    "one leaf": (lambda: CLASSES(min_samples_leaf=30).fit(X, Y), X, Y),
    "one class": (lambda: CLASSES().fit(X, np.zeros(40)), X, np.zeros(40)),
    "one row": (lambda: CLASSES().fit(X, Y), X[:1], Y[:1]),
    "huge values": (lambda: CLASSES().fit(X * 1e300, Y), X * 1e300, Y),
    "huge targets": (lambda: NUMBERS(max_leaf_nodes=5).fit(X, X[:, 0] * 1e135), X, X[:, 0] * 1e135),
    "equal targets": (lambda: NUMBERS().fit(X, np.ones(40)), X, np.ones(40)),
    "a chain": (lambda: CLASSES(pruning=None).fit(*CHAIN), *CHAIN),
    "many classes": (lambda: CLASSES(pruning=None).fit(*MANY), *MANY),
}


def odd(name):
    """Return a model and rows at the edge of what a page has to show."""
    make, X, y = ODD[name]
    return make(), X, y
