"""Models of every kind, for the sections that go over all of them."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from registry import ESTIMATORS, accepts, quick
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew.store import container

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


def small_files() -> dict[str, bytes]:
    """Return 20 model files of different kinds, of a few kilobytes each."""
    from model_files import examples

    X, y = load_iris(return_X_y=True)
    numbers, quantity = load_diabetes(return_X_y=True)
    more = {
        "OC1": make(askew.OC1Classifier, max_depth=2).fit(X, y),
        "CE-DT numbers": make(askew.CEDTRegressor, max_depth=2).fit(numbers[:, :3], quantity),
        "HHCART": make(askew.HHCARTClassifier, max_depth=2).fit(X, y),
        "forest of numbers": make(askew.ObliqueForestRegressor, max_depth=2).fit(numbers[:, :3], quantity),
        "AutoTree": make(askew.AutoTreeClassifier, max_leaves=3).fit(X, y),
    }
    return {name: to_bytes(model) for name, model in {**examples(), **more}.items()}


def to_bytes(model: Any) -> bytes:
    """Return the model file of a model."""
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        askew.save(model, Path(folder) / "m.askew")
        return (Path(folder) / "m.askew").read_bytes()


def digest(model: Any) -> str:
    """Return the hash of all arrays that a model file of this model has: trees, leaves, scales."""
    with tempfile.TemporaryFile(dir=memory_folder()) as file:
        file.write(to_bytes(model))
        file.seek(0)
        arrays, _ = container.read(file)
    whole = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        whole.update(name.encode() + array.tobytes())
    return whole.hexdigest()[:16]


def memory_folder() -> str | None:
    """Return a folder that is held in memory, if the system has one: many small files are written."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
