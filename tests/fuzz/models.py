"""Models of every kind."""

from __future__ import annotations

import os
from io import BytesIO
from typing import Any

import numpy as np
from registry import ESTIMATORS, accepts, quick
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew.store import container
from askew.store.estimators import pack_estimator, unpack_estimator

ENSEMBLES = {
    askew.KDTClassifier: {"n_estimators": 3},
    askew.ObliqueForestClassifier: {"n_estimators": 3},
    askew.ObliqueForestRegressor: {"n_estimators": 3},
    askew.ObliqueBoostingClassifier: {"max_iter": 3},
    askew.ObliqueBoostingRegressor: {"max_iter": 3},
}
KINDS = [*ESTIMATORS, *ENSEMBLES]


def make(cls: type[Any], **parameters: Any) -> Any:
    """Return an estimator of a class that takes little time, with those of the parameters that it has."""
    small = {"random_state": 0, "max_depth": 4, **ENSEMBLES.get(cls, {}), **parameters}
    known = {name: value for name, value in small.items() if accepts(cls, **{name: value})}
    if cls is askew.KDTClassifier:
        known["estimator"] = askew.OC1Classifier(max_depth=3)
    return quick(cls, **known)


def is_classifier(cls: type[Any]) -> bool:
    """Whether a class predicts classes."""
    return cls.__name__.endswith("Classifier")


def small_models(depth: int, seed: int) -> dict[str, Any]:
    """Return 20 models of different kinds, on random rows: with one level of tests each as small as its kind allows."""
    from model_files import some_data

    rng = np.random.default_rng(seed)
    X, y = load_iris(return_X_y=True)
    some = rng.choice(150, 100, replace=False)
    X, y, pair = X[some][:, rng.choice(4, 2, replace=False)], y[some], (y[some] > 0).astype(int)
    numbers, quantity = (data[rng.choice(442, 60)] for data in load_diabetes(return_X_y=True))
    numbers = numbers[:, 2:4]
    frame, words = some_data()
    frame = frame[["a", "colour"]]
    regions = askew.C45Classifier(pruning=None, missing="mean", max_depth=depth).fit(frame, words)
    regions.tree_ = askew.RuleNetwork.of(regions)
    small: dict[str, Any] = {"max_depth": depth, "random_state": int(rng.integers(2**31))}
    leaves: dict[str, Any] = {"leaf_model": "linear", "max_leaf_nodes": 1 + depth}
    return {
        "CART": askew.CARTClassifier(max_depth=depth).fit(X, pair),
        "CART numbers": askew.CARTRegressor(max_depth=depth).fit(numbers, quantity),
        "one leaf": askew.CARTClassifier().fit([[1.0], [2.0]], [3, 3]),
        "linear leaves": askew.CARTClassifier(**leaves, smoothing="laplace").fit(X, pair),
        "linear numbers": askew.CARTRegressor(**leaves).fit(numbers, quantity),
        "categories": askew.C45Classifier(pruning=None, max_depth=depth).fit(frame, words),
        "indicator": askew.C45Classifier(missing="indicator", pruning=None, max_depth=depth).fit(frame, words),
        "network": regions,
        "one-hot": make(askew.OC1Classifier, **small, missing="mean", pruning=None).fit(frame, words),
        "OC1": make(askew.OC1Classifier, **small).fit(X, pair),
        "HHCART": make(askew.HHCARTClassifier, **small).fit(X, pair),
        "CE-DT numbers": make(askew.CEDTRegressor, **small).fit(numbers, quantity),
        "linear machine": make(askew.LMDTClassifier, **small).fit(X, y),
        "one-vs-rest": askew.APDTClassifier(multiclass="one_vs_rest", **small).fit(X, y),
        "AutoTree": make(askew.AutoTreeClassifier, max_leaves=1 + depth, candidates=["axis"]).fit(X, pair),
        "vote": askew.KDTClassifier(askew.CARTClassifier(max_depth=depth), n_estimators=2).fit(X, pair),
        "forest": make(askew.ObliqueForestClassifier, **small, n_estimators=2).fit(X, pair),
        "forest of numbers": make(askew.ObliqueForestRegressor, **small, n_estimators=2).fit(numbers, quantity),
        "boosting": make(askew.ObliqueBoostingClassifier, **small, max_iter=2).fit(X, pair),
        "boosted numbers": make(askew.ObliqueBoostingRegressor, **small, max_iter=2).fit(numbers, quantity),
    }


def small_files(depth: int, seed: int = 0) -> dict[str, bytes]:
    """Return the files of `small_models`."""
    return {name: to_bytes(model) for name, model in small_models(depth, seed).items()}


def to_bytes(model: Any) -> bytes:
    """Return the model file of a model, as `save` writes it."""
    document, arrays, _ = pack_estimator(model)
    return container.to_bytes(arrays, document)


def from_bytes(content: bytes) -> Any:
    """Return the model of a model file, as `load` does."""
    return unpack_estimator(*container.read(BytesIO(content)))


def memory_folder() -> str | None:
    """Return a folder that is held in memory, if the system has one: many small files are written."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
