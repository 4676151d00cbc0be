"""The estimators among scikit-learn's tools and with data frames."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from registry import CLASSIFIERS, ESTIMATORS, REGRESSORS, accepts, plain
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from askew import CARTClassifier, InvalidParameterError, ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.model.split import Hyperplane
from askew.prune import CostComplexity
from askew.search import SEARCHES

every = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
every_classifier = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
every_regressor = pytest.mark.parametrize("cls", REGRESSORS, ids=lambda cls: cls.__name__)


@every_classifier
def test_a_classifier_learns_in_a_pipeline(cls):
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), plain(cls, max_depth=4, random_state=0))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.88


@every_regressor
def test_a_regressor_learns(cls):
    X, y = load_diabetes(return_X_y=True)
    assert cross_val_score(plain(cls, max_depth=3, random_state=0), X, y, cv=3).mean() > 0.2


@every_classifier
def test_parameters_are_searched_those_of_the_pruner_too(cls):
    X, y = load_iris(return_X_y=True)
    grid = {"max_depth": [1, 3]}
    if accepts(cls, pruning=None):
        grid["pruning"] = [None, CostComplexity(fraction=0.2)]
    search = GridSearchCV(cls(random_state=0), grid, cv=3).fit(X, y)
    assert search.best_params_["max_depth"] == 3
    assert search.best_score_ > 0.85


def test_a_tree_is_bagged():
    X, y = load_iris(return_X_y=True)
    assert BaggingClassifier(CARTClassifier(), n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.95


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@every
def test_a_data_frame_gives_its_names(cls, frame):
    X, y = load_iris(return_X_y=True)
    table = frame({name: X[:, j] for j, name in enumerate("abcd")})
    model = plain(cls, max_depth=2).fit(table, pd.Series(y))
    assert model.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(model.predict(table), plain(cls, max_depth=2).fit(X, y).predict(X))


@every
def test_parameters_are_got_and_set(cls):
    model = plain(cls, max_depth=3, min_samples_leaf=0.1)
    assert model.get_params()["max_depth"] == 3
    assert clone(model.set_params(max_depth=5)).get_params() == model.get_params()
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        model.set_params(depth=1)
    with pytest.raises(TypeError):
        cls(3)


@every
@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "copy"])
def test_a_copy_predicts_the_same(cls, copied):
    X, y = load_iris(return_X_y=True)
    model = plain(cls).fit(X, y)
    assert copied(model).tree_ == model.tree_
    np.testing.assert_array_equal(copied(model).predict(X), model.predict(X))


@every
def test_leaves_and_paths_agree(cls):
    X, y = load_iris(return_X_y=True)
    model = plain(cls).fit(X, y)
    path = model.decision_path(X).toarray()
    assert path.shape == (150, model.tree_.node_count)
    assert (path[np.arange(150), model.apply(X)] == 1).all()
    np.testing.assert_array_equal(path.sum(axis=1), model.tree_.node_depth[model.apply(X)] + 1)
    assert model.tree_.is_leaf[model.apply(X)].all()
    assert model.get_depth() == model.tree_.node_depth.max()
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_an_axis_parallel_tree_is_as_good_as_that_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    ours, theirs = CARTClassifier(max_depth=3).fit(X, y), DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.score(X, y), theirs.score(X, y))
    # Sorted: of two features that part the rows alike scikit-learn takes either.
    np.testing.assert_allclose(np.sort(ours.feature_importances_), np.sort(theirs.feature_importances_), atol=1e-9)


@pytest.mark.parametrize("name", sorted(SEARCHES))
def test_a_search_is_taken_by_name_and_as_an_object(name):
    X, y = load_iris(return_X_y=True)
    tree = ObliqueTreeRegressor if getattr(SEARCHES[name], "regression_only", False) else ObliqueTreeClassifier
    by_name = tree(search=name, random_state=0).fit(X, y)
    assert tree(search=SEARCHES[name](), random_state=0).fit(X, y).tree_ == by_name.tree_


def test_a_users_own_search_is_used():
    class Diagonal:
        def find(self, node, criterion, seed):
            return Hyperplane([0, 1], [1.0, 1.0], np.median(node.X.sum(axis=1)))

    X = np.random.default_rng(0).normal(size=(100, 2))
    y = X.sum(axis=1) > np.median(X.sum(axis=1))
    model = ObliqueTreeClassifier(search=Diagonal()).fit(X, y)
    assert model.get_n_leaves() == 2
    assert model.score(X, y) == 1
    np.testing.assert_array_equal(model.tree_.coef, [[1.0, 1.0]])


def test_an_unknown_search_lists_the_known_ones():
    with pytest.raises(InvalidParameterError, match=r"must be a str among \['"):
        ObliqueTreeClassifier(search="guess").fit([[0.0], [1.0]], [0, 1])


@every
def test_the_same_random_state_gives_the_same_tree(cls):
    X, y = load_iris(return_X_y=True)
    how = {"pruning": "cost_complexity"} if accepts(cls, pruning=None) else {}
    a, b = (cls(**how, random_state=3).fit(X, y).tree_ for _ in range(2))
    assert a == b


@every
def test_progress_is_shown_on_standard_error(cls, capsys):
    cls(verbose=1).fit([[0.0], [1.0]], [0, 1])
    shown = capsys.readouterr()
    assert cls.__name__ in shown.err
    assert shown.out == ""
