"""Models of every kind, and rows to compare the exports to other languages with `predict` on."""

from functools import cache

import numpy as np
import pandas as pd
from model_files import examples, some_data
from registry import CLASSIFIERS, REGRESSORS, quick
from sklearn.datasets import load_diabetes, load_digits, load_iris

import askew
from askew.model.split import HYPERPLANE


def messy():
    """Return data with categories and missing values, and rows with more of them, some categories unseen."""
    frame, y = some_data()
    rows = pd.concat(
        [frame, frame.assign(colour="pink"), frame.mask(np.random.default_rng(1).random(frame.shape) < 0.4)]
    )
    return frame, y, rows.reset_index(drop=True)


@cache
def shipped():
    """Return estimators and rows by name: every method, and every form of test, leaf, data and ensemble."""
    iris, species = load_iris(return_X_y=True)
    diabetes, sugar = load_diabetes(return_X_y=True)
    found = {}
    for cls in CLASSIFIERS:
        found[cls.__name__] = quick(cls, random_state=0, max_depth=4).fit(iris, species), iris
    for cls in REGRESSORS:
        few = diabetes[:150]
        found[cls.__name__] = quick(cls, random_state=0, max_depth=3).fit(few, sugar[:150]), diabetes
    frame, y, rows = messy()
    for name, estimator in examples().items():
        own = rows if hasattr(estimator, "feature_names_in_") else iris
        own = {10: diabetes, 1: np.array([[1.0], [2.0]])}.get(estimator.n_features_in_, own)
        found[name] = estimator, own
    for name, estimator in _on_messy_data().items():
        found[name] = estimator.fit(frame, y), rows
    known = frame.notna().all(axis=1)
    found["nothing missing"] = askew.ID3Classifier(missing="error").fit(frame[known], y[known]), rows
    found["planes, nothing missing"] = askew.OC1Classifier(missing="error", random_state=0).fit(iris, species), iris
    found["ten classes"] = _many_classes()
    found["poisson"] = (
        askew.ObliqueBoostingRegressor(loss="poisson", max_iter=4, max_depth=2, random_state=0).fit(diabetes, sugar),
        diabetes,
    )
    found["two classes boosted"] = (
        askew.ObliqueBoostingClassifier(max_iter=4, max_depth=2, random_state=0).fit(iris, species == 1),
        iris,
    )
    found["forest of numbers"] = (
        askew.ObliqueForestRegressor(n_estimators=3, max_depth=4, random_state=0).fit(diabetes, sugar),
        diabetes,
    )
    gaps = np.where(np.random.default_rng(2).random(iris.shape) < 0.1, np.nan, iris)
    found["parts of rows, models"] = (
        askew.C45Classifier(leaf_model="linear", smoothing="laplace", max_depth=2, pruning=None).fit(gaps, species),
        gaps,
    )
    network = askew.APDTClassifier(multiclass="one_vs_rest", max_depth=3, pruning="genetic", random_state=0)
    found["one-vs-rest of networks"] = network.fit(iris, species), iris
    return found


def _on_messy_data():
    return {
        "one-hot": askew.OC1Classifier(missing="mean", pruning=None, random_state=0),
        "crimcoord": askew.OC1Classifier(
            missing="mean", categorical_encoding="crimcoord", pruning=None, random_state=0
        ),
        "below": askew.CARTELCClassifier(missing="below"),
        "machines": askew.LMDTClassifier(missing="mean", random_state=0),
        "parts of rows": askew.C45Classifier(),
        "parts of rows, smoothed": askew.C45Classifier(smoothing="laplace", pruning=None),
        "codes": askew.C45Classifier(missing="mean"),
        "codes, indicators": askew.C45Classifier(missing="indicator", pruning=None),
        "ID3": askew.ID3Classifier(missing="mean"),
        "a vote": askew.KDTClassifier(estimator=askew.CARTClassifier(missing="mean", max_depth=3), n_estimators=4),
        "a vote of parts": askew.KDTClassifier(estimator=askew.C45Classifier(max_depth=3), n_estimators=3),
        "a vote of models": askew.KDTClassifier(
            estimator=askew.CARTClassifier(leaf_model="linear", max_leaf_nodes=3), n_estimators=3
        ),
        "a vote of one-vs-rest": askew.KDTClassifier(
            estimator=askew.APDTClassifier(multiclass="one_vs_rest", missing="mean", max_depth=2), n_estimators=2
        ),
        "one-vs-rest, categories": askew.APDTClassifier(
            multiclass="one_vs_rest", missing="mean", max_depth=3, random_state=0
        ),
        "one-vs-rest, models": askew.APDTClassifier(
            multiclass="one_vs_rest", leaf_model="linear", smoothing="laplace", max_depth=2, random_state=0
        ),
        "forest, categories": askew.ObliqueForestClassifier(n_estimators=5, missing="mean", random_state=0),
        "boosting, categories": askew.ObliqueBoostingClassifier(
            max_iter=5, missing="mean", min_samples_leaf=5, random_state=0
        ),
    }


def _many_classes():
    X, y = load_digits(return_X_y=True)
    forest = askew.ObliqueForestClassifier(n_estimators=5, max_depth=6, random_state=0)
    return forest.fit(X[:600], y[:600]), X


def as_codes(estimator, rows):
    """Return rows as numbers: categories by their place, -1 where unknown, NaN where missing."""
    X = pd.DataFrame(rows).reset_index(drop=True)
    encoder = estimator.encoder_
    if encoder is None or not encoder.is_categorical.any():
        return np.ascontiguousarray(X.to_numpy(dtype=float))
    found = np.empty(X.shape)
    for j, labels in enumerate(encoder.categories):
        column = X.iloc[:, j]
        if labels is None:
            found[:, j] = column.to_numpy(dtype=float)
            continue
        code = {label: k for k, label in enumerate(labels) if label is not None}
        found[:, j] = [np.nan if pd.isna(cell) else code.get(cell, -1.0) for cell in column]
    return found


def refused(estimator, rows):
    """Return which rows an estimator refuses: those that lack a value, where none may be missing."""
    lacks = pd.isna(pd.DataFrame(rows)).any(axis=1).to_numpy()
    missing = getattr(estimator, "missing", None) or estimator.estimators_[0].missing
    return lacks if missing == "error" else np.zeros(len(lacks), dtype=bool)


def on_the_planes(estimator, X, per_node=20):
    """Return rows that lie on the planes of a tree, as well as rounding allows, and one step to either side."""
    tree, rng, found = estimator.tree_, np.random.default_rng(0), []
    for node in np.flatnonzero(tree.kind == HYPERPLANE).tolist():
        columns, weights = tree.test(node)
        rows = X[rng.integers(0, len(X), per_node)].copy()
        pivot = int(columns[np.abs(weights).argmax()])
        rest = rows[:, columns] @ weights - rows[:, pivot] * weights[np.abs(weights).argmax()]
        rows[:, pivot] = (tree.threshold[node] - rest) / weights[np.abs(weights).argmax()]
        for step in (-np.inf, None, np.inf):
            moved = rows.copy()
            if step is not None:
                moved[:, pivot] = np.nextafter(moved[:, pivot], step)
            found.append(moved)
    return np.concatenate(found)
