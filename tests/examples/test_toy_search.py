"""The search that CONTRIBUTING.md shows works through the estimators, by object and by name."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from toy_search import ToySearch

from askew import CARTClassifier, ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.prune import CostComplexity
from askew.search import SEARCHES


def test_it_separates_what_one_feature_cannot():
    X = np.random.default_rng(0).random((300, 2))
    y = X @ [0.8, 0.6] > 0.7
    oblique, parallel = ObliqueTreeClassifier(search=ToySearch()).fit(X, y), CARTClassifier().fit(X, y)
    assert oblique.score(X, y) == parallel.score(X, y) == 1.0
    assert oblique.get_n_leaves() < parallel.get_n_leaves()
    assert (np.count_nonzero(oblique.tree_.coef, axis=1) == 2).all()


def test_it_works_by_name_once_it_is_registered(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    monkeypatch.setitem(SEARCHES, "toy", ToySearch)
    named = ObliqueTreeClassifier(search="toy", max_depth=3).fit(X, y)
    assert named.tree_ == ObliqueTreeClassifier(search=ToySearch(), max_depth=3).fit(X, y).tree_


def test_it_takes_every_limit_criterion_and_pruner():
    X, y = load_breast_cancer(return_X_y=True)
    pruning = CostComplexity(cv=5)
    tree = ObliqueTreeClassifier(
        search=ToySearch(), criterion="twoing", min_samples_leaf=10, max_leaf_nodes=6, pruning=pruning, random_state=0
    ).fit(X, y)
    assert 2 <= tree.get_n_leaves() <= 6
    assert tree.tree_.n_samples.min() >= 10


def test_it_predicts_numbers_better_than_their_mean():
    X, y = load_diabetes(return_X_y=True)
    assert ObliqueTreeRegressor(search=ToySearch(), max_depth=2).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.3


def test_whole_number_weights_equal_repetition():
    random = np.random.default_rng(1)
    X, y, weight = random.random((120, 3)), random.integers(3, size=120), random.integers(1, 4, size=120)
    weighted = ObliqueTreeClassifier(search=ToySearch()).fit(X, y, sample_weight=weight)
    repeated = ObliqueTreeClassifier(search=ToySearch()).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert (weighted.predict(X) == repeated.predict(X)).all()
    assert weighted.get_n_leaves() == repeated.get_n_leaves()


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e300])
def test_constant_features_make_a_leaf(constant):
    assert ObliqueTreeClassifier(search=ToySearch()).fit(np.full((4, 2), constant), [0, 1, 0, 1]).get_n_leaves() == 1
