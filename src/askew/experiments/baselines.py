"""The estimators of the experiments by name: askew's, and methods of the papers that scikit-learn has."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def nearest_neighbour(random_state: int) -> Any:
    """Return 1-NN on standardised features; nothing in it is random."""
    return make_pipeline(StandardScaler(), KNeighborsClassifier(1))


def back_propagation(random_state: int) -> Any:
    """Return a network of ten hidden units, the gradients by back-propagation."""
    network = MLPClassifier((10,), solver="lbfgs", alpha=0.1, max_iter=1000, random_state=random_state)
    return make_pipeline(StandardScaler(), network)


BASELINES: dict[str, Callable[..., Any]] = {"1-NN": nearest_neighbour, "BP": back_propagation}


def estimator_named(name: str) -> Callable[..., Any]:
    """Return what makes an estimator: a baseline, a class of askew, or, if the name has dots, of another package.

    Examples
    --------
    >>> from askew.experiments.baselines import estimator_named
    >>> estimator_named("sklearn.svm.SVC")()
    SVC()
    """
    if name in BASELINES:
        return BASELINES[name]
    module, _, last = name.rpartition(".")
    made: Callable[..., Any] = getattr(import_module(module or "askew"), last)
    return made
