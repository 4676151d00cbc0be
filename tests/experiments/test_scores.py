import numpy as np
import pytest
from experiments.rivals import TunedTree
from experiments.scores import class_scores, number_scores, sizes
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import askew

X, Y = load_iris(return_X_y=True)


def test_scores_of_classes_are_scikit_learns():
    model = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X[::2], Y[::2])
    probability = model.predict_proba(X)
    scores = class_scores(probability, model.predict(X), Y)
    assert scores["accuracy"] == pytest.approx(100 * model.score(X, Y))
    assert scores["AUC"] == pytest.approx(100 * roc_auc_score(Y, probability, multi_class="ovr"))
    assert scores["log loss"] == pytest.approx(log_loss(Y, probability))


def test_a_class_that_was_not_learnt_counts_as_an_error_and_one_that_is_not_tested_has_no_auc():
    probability = np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0]])
    scores = class_scores(probability, np.array([0, 1]), np.array([0, 2]))
    assert scores["accuracy"] == 50
    assert scores["AUC"] == pytest.approx(75)  # 1 of class 0; 0.5 of class 2, of which nothing is known
    assert scores["log loss"] == pytest.approx(-(np.log(0.9) + np.log(np.finfo(float).eps)) / 2)
    assert "AUC" not in class_scores(probability, np.array([0, 0]), np.array([0, 0]))


def test_r2_is_1_of_what_is_exact_and_0_of_the_mean():
    y = np.array([1.0, 2.0, 3.0])
    assert number_scores(y, y) == {"R2": 1.0}
    assert number_scores(np.full(3, 2.0), y) == {"R2": 0.0}


def test_terms_are_non_zero_weights_and_ensembles_have_no_size():
    tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(X, Y)
    assert sizes(tree) == {"leaves": 3.0, "terms": 2.0}
    tuned = TunedTree(DecisionTreeClassifier(random_state=0)).fit(X, Y)
    assert sizes(tuned)["terms"] == tuned.get_n_leaves() - 1
    ours = askew.OC1Classifier(random_state=0).fit(X, Y)
    assert sizes(ours) == {"leaves": ours.get_n_leaves(), "terms": np.count_nonzero(ours.tree_.weight)}
    assert sizes(RandomForestClassifier(2).fit(X, Y)) == {}


def test_the_models_of_leaves_count_and_those_of_inner_nodes_do_not():
    numbers, target = load_diabetes(return_X_y=True)
    stump = askew.CARTRegressor(max_leaf_nodes=2, leaf_model="linear").fit(numbers, target)
    assert sizes(stump) == {"leaves": 2.0, "terms": 1.0 + 2 * numbers.shape[1]}
