"""The estimators of the experiments by name: askew's, methods of the papers that scikit-learn has, and rivals."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from experiments.rivals import CatBoost, PackageTree, ScaledSTree, TunedTree, YdfForest


class NotInstalledError(ImportError):
    """A baseline's package, which is optional, is not there: says how to get it."""


def nearest_neighbour(random_state: int) -> Any:
    """Return 1-NN on standardised features; nothing in it is random."""
    return make_pipeline(StandardScaler(), KNeighborsClassifier(1))


def back_propagation(random_state: int) -> Any:
    """Return a network of ten hidden units, the gradients by back-propagation."""
    network = MLPClassifier((10,), solver="lbfgs", alpha=0.1, max_iter=1000, random_state=random_state)
    return make_pipeline(StandardScaler(), network)


def logistic(random_state: int) -> Any:
    """Return logistic regression on standardised features, penalised as scikit-learn does by default."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def ridge(random_state: int) -> Any:
    """Return ridge regression on standardised features; the penalty by leave-one-out cross-validation."""
    return make_pipeline(StandardScaler(), RidgeCV([10.0**power for power in range(-3, 4)]))


BASELINES: dict[str, Callable[..., Any]] = {
    "1-NN": nearest_neighbour,
    "BP": back_propagation,
    "logistic": logistic,
    "ridge": ridge,
    "tree": DecisionTreeClassifier,
    "tree, numbers": DecisionTreeRegressor,
    "tuned tree": lambda random_state: TunedTree(DecisionTreeClassifier(random_state=random_state)),
    "tuned tree, numbers": lambda random_state: TunedTree(DecisionTreeRegressor(random_state=random_state)),
    "HGB": HistGradientBoostingClassifier,
    "HGB, numbers": HistGradientBoostingRegressor,
    "RF": RandomForestClassifier,
    "RF, numbers": RandomForestRegressor,
    "STree": ScaledSTree,
    "obliquetree": lambda random_state: PackageTree("Classifier", random_state),
    "obliquetree, numbers": lambda random_state: PackageTree("Regressor", random_state),
    "ydf": lambda random_state: YdfForest(random_state, classification=True),
    "ydf, numbers": lambda random_state: YdfForest(random_state, classification=False),
    "treeple": lambda random_state: _made("treeple.ObliqueRandomForestClassifier", random_state),
    "treeple, numbers": lambda random_state: _made("treeple.ObliqueRandomForestRegressor", random_state),
    "LightGBM": lambda random_state: _made("lightgbm.LGBMClassifier", random_state, n_jobs=1, verbose=-1),
    "LightGBM, numbers": lambda random_state: _made("lightgbm.LGBMRegressor", random_state, n_jobs=1, verbose=-1),
    "CatBoost": lambda random_state: CatBoost("CatBoostClassifier", random_state),
    "CatBoost, numbers": lambda random_state: CatBoost("CatBoostRegressor", random_state),
}
#: Baselines of optional packages: as they are imported (and installed); the others are scikit-learn's.
OPTIONAL = {
    "STree": "stree",
    "obliquetree": "obliquetree",
    "obliquetree, numbers": "obliquetree",
    "ydf": "ydf",
    "ydf, numbers": "ydf",
    "treeple": "treeple",
    "treeple, numbers": "treeple",
    "LightGBM": "lightgbm",
    "LightGBM, numbers": "lightgbm",
    "CatBoost": "catboost",
    "CatBoost, numbers": "catboost",
}


def estimator_named(name: str) -> Callable[..., Any]:
    """Return what makes an estimator: a baseline, a class of askew, or, if the name has dots, of another package.

    Examples
    --------
    >>> from experiments.baselines import estimator_named
    >>> estimator_named("sklearn.svm.SVC")()
    SVC()
    """
    if name in BASELINES:
        package = OPTIONAL.get(name)
        if package is not None:
            _need(package)
        return BASELINES[name]
    module, _, last = name.rpartition(".")
    made: Callable[..., Any] = getattr(import_module(module or "askew"), last)
    return made


def _need(package: str) -> None:
    """Raise `NotInstalledError` unless an optional package is there and fits the other packages."""
    if find_spec(package) is None:
        raise NotInstalledError(f"{package} is not installed: pip install {package}")
    try:
        import_module(package)
    except (ImportError, ValueError) as error:  # compiled for another version of scikit-learn or NumPy
        raise NotInstalledError(f"{package} cannot be imported: {' '.join(str(error).split())}") from None


def _made(name: str, random_state: int, **parameters: Any) -> Any:
    """Return an estimator of an optional package."""
    module, _, kind = name.rpartition(".")
    return getattr(import_module(module), kind)(random_state=random_state, **parameters)


def package_of(name: str) -> str | None:
    """Return the package whose version an estimator's figures depend on; None if it is askew.

    Examples
    --------
    >>> from experiments.baselines import package_of
    >>> package_of("HGB"), package_of("OC1Classifier")
    ('scikit-learn', None)
    """
    if name in BASELINES:
        return OPTIONAL.get(name, "scikit-learn")
    return "scikit-learn" if name.startswith("sklearn.") else None
