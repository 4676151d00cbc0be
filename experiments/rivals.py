"""Rivals of other packages, with one interface: a tuned tree, STree, obliquetree, Yggdrasil, CatBoost."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

_ALPHAS = 20


class TunedTree:
    """scikit-learn's tree; `ccp_alpha` by 5-fold cross-validation on the training rows alone.

    The values tried are at most 20 of the tree's own pruning path, evenly spaced along it, with 0 among them.

    Parameters
    ----------
    tree : object
        The tree; its random_state also draws the folds.
    """

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> Self:
        """Choose `ccp_alpha`, and fit on all rows."""
        found = np.unique(np.maximum(self.tree.cost_complexity_pruning_path(X, y).ccp_alphas, 0.0))
        places = np.unique(np.linspace(0, found.size - 1, min(_ALPHAS, found.size)).round().astype(int))
        made = StratifiedKFold if is_classifier(self.tree) and np.bincount(y).min() > 1 else KFold
        folds = made(min(5, len(y)), shuffle=True, random_state=self.tree.random_state)
        search = GridSearchCV(self.tree, {"ccp_alpha": found[places].tolist()}, cv=folds)
        self.chosen_ = search.fit(X, y).best_estimator_
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the predictions."""
        predicted: NDArray[Any] = self.chosen_.predict(X)
        return predicted

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        probabilities: NDArray[np.float64] = self.chosen_.predict_proba(X)
        return probabilities

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return int(self.chosen_.get_n_leaves())


class ScaledSTree:
    """STree (package stree), a tree of linear support vector machines, on standardised features.

    Parameters
    ----------
    random_state : int
        Its seed.
    """

    def __init__(self, random_state: int) -> None:
        self.random_state = random_state

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> Self:
        """Fit with STree's defaults."""
        self.scaler_ = StandardScaler().fit(X)
        made = import_module("stree").Stree(random_state=self.random_state)  # late: the package is optional
        self.tree_ = made.fit(self.scaler_.transform(X), y)
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the predictions."""
        predicted: NDArray[Any] = self.tree_.predict(self.scaler_.transform(X))
        return predicted

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        probabilities: NDArray[np.float64] = self.tree_.predict_proba(self.scaler_.transform(X))
        return probabilities

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return int(self.tree_.nodes_leaves()[1])


class PackageTree:
    """A tree of the package obliquetree; labels 0, 1, ... as it wants them.

    Parameters
    ----------
    kind : str
        "Classifier" or "Regressor".
    random_state : int
        Its seed.
    """

    def __init__(self, kind: str, random_state: int) -> None:
        self.kind = kind
        self.random_state = random_state

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> Self:
        """Fit with the defaults."""
        self.tree_ = getattr(import_module("obliquetree"), self.kind)(random_state=self.random_state).fit(X, y)
        self.n_leaves_ = np.unique(self.tree_.apply(X)).size
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the predictions."""
        return np.asarray(self.tree_.predict(X))

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        return np.asarray(self.tree_.predict_proba(X), dtype=np.float64)

    def get_n_leaves(self) -> int:
        """Return the number of leaves that the training rows reach."""
        return self.n_leaves_


class YdfForest:
    """A forest of Yggdrasil (package ydf) with sparse oblique splits: 100 trees, else its template `benchmark_rank1`.

    Parameters
    ----------
    random_state : int
        Its seed.
    classification : bool
        Whether the target is a class, which must be a number 0, 1, ...
    """

    def __init__(self, random_state: int, classification: bool) -> None:
        self.random_state = random_state
        self.classification = classification

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> Self:
        """Fit on one thread."""
        ydf = import_module("ydf")  # late: the package is optional
        ydf.verbose(0)
        template = ydf.RandomForestLearner.hyperparameter_templates()["benchmark_rank1v2"]
        learner = ydf.RandomForestLearner(
            label="y",
            task=ydf.Task.CLASSIFICATION if self.classification else ydf.Task.REGRESSION,
            num_trees=100,
            random_seed=self.random_state,
            num_threads=1,
            compute_oob_performances=False,
            **template,
        )
        self.classes_ = np.unique(y) if self.classification else np.empty(0)
        self.forest_ = learner.train({**self._columns(X), "y": y})
        return self

    def _columns(self, X: NDArray[np.float64]) -> dict[str, NDArray[np.float32]]:
        return {f"x{j}": X[:, j].astype(np.float32) for j in range(X.shape[1])}

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the predictions."""
        if not self.classification:
            return np.asarray(self.forest_.predict(self._columns(X)), dtype=np.float64)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        found = np.asarray(self.forest_.predict(self._columns(X)), dtype=np.float64)
        return np.column_stack([1 - found, found]) if found.ndim == 1 else found


class CatBoost:
    """Gradient boosting of the package catboost with its defaults, on one thread.

    Parameters
    ----------
    kind : str
        "CatBoostClassifier" or "CatBoostRegressor".
    random_state : int
        Its seed.
    """

    def __init__(self, kind: str, random_state: int) -> None:
        self.kind = kind
        self.random_state = random_state

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> Self:
        """Fit without files or messages."""
        made = getattr(import_module("catboost"), self.kind)  # late: the package is optional
        quiet = {"verbose": False, "allow_writing_files": False}
        self.model_ = made(random_state=self.random_state, thread_count=1, **quiet).fit(X, y)
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the predictions, which catboost gives as a column where there are three classes or more."""
        return np.ravel(self.model_.predict(X, thread_count=1))

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        return np.asarray(self.model_.predict_proba(X, thread_count=1), dtype=np.float64)
