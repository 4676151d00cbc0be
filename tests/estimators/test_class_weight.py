"""`class_weight`: `predict` follows the weights, `predict_proba` refers to the classes as they occur."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

import askew
from askew.model.leaf_values import as_they_occur, class_shares

X, y = make_classification(900, 6, n_informative=4, weights=[0.85], flip_y=0.2, random_state=3)
LABELS = np.array(["no", "yes"])[y]
TRAIN, TEST = slice(0, 600), slice(600, 900)
LEAVES = {"max_depth": 3, "min_samples_leaf": 20, "random_state": 0}
MODELS = {
    "frequencies": askew.CARTClassifier(**LEAVES),
    "smoothed": askew.CARTClassifier(smoothing="laplace", **LEAVES),
    "planes": askew.OC1Classifier(pruning=None, **LEAVES),
    "linear leaves": askew.ObliqueTreeClassifier(search="axis", leaf_model="linear", pruning=None, **LEAVES),
    "rule network": askew.APDTClassifier(pruning=askew.prune.LearningAutomata(n_units=4), **LEAVES),
    "AutoTree": askew.AutoTreeClassifier(effort="low", random_state=0),
    "forest": askew.ObliqueForestClassifier(n_estimators=20, min_samples_leaf=20, oob_score=True, random_state=0),
    "boosting": askew.ObliqueBoostingClassifier(max_iter=10, min_samples_leaf=20, random_state=0),
    "vote": askew.KDTClassifier(askew.OC1Classifier(pruning=None, **LEAVES), n_estimators=5, random_state=0),
}


def weighted(model, class_weight):
    model = clone(model)
    inner = model.estimator if isinstance(model, askew.KDTClassifier) else model
    inner.set_params(class_weight=class_weight)
    return model


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_refer_to_the_classes_as_they_occur(name):
    model = weighted(MODELS[name], "balanced").fit(X[TRAIN], LABELS[TRAIN])
    p = model.predict_proba(X[TEST])
    by_weight = class_shares(p * model.class_weight_)
    assert np.allclose(p.sum(axis=1), 1)
    assert log_loss(y[TEST], p) < log_loss(y[TEST], by_weight)
    rate = y[TRAIN].mean()
    assert abs(p[:, 1].mean() - rate) < abs(by_weight[:, 1].mean() - rate)


@pytest.mark.parametrize("name", ["frequencies", "planes"])
def test_a_leaf_has_the_shares_of_its_rows_whatever_the_weights(name):
    model = weighted(MODELS[name], {"no": 1, "yes": 7.5}).fit(X[TRAIN], LABELS[TRAIN])
    leaf, p = model.apply(X[TRAIN]), model.predict_proba(X[TRAIN])
    for one in np.unique(leaf):
        assert p[leaf == one, 1] == pytest.approx(y[TRAIN][leaf == one].mean())


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("forest", "vote")])
def test_the_predicted_class_has_the_largest_probability_times_weight(name):
    model = weighted(MODELS[name], "balanced").fit(X[TRAIN], LABELS[TRAIN])
    score = model.predict_proba(X[TEST]) * model.class_weight_
    clear = np.abs(score[:, 0] - score[:, 1]) > 1e-9
    assert clear.any()
    assert (model.predict(X[TEST])[clear] == model.classes_[score.argmax(axis=1)][clear]).all()


@pytest.mark.parametrize("name", MODELS)
def test_more_weight_makes_a_class_predicted_more_often(name):
    plain = clone(MODELS[name]).fit(X[TRAIN], LABELS[TRAIN])
    balanced = weighted(MODELS[name], "balanced").fit(X[TRAIN], LABELS[TRAIN])
    assert plain.class_weight_ is None
    assert (balanced.predict(X[TEST]) == "yes").sum() > (plain.predict(X[TEST]) == "yes").sum()


def test_samples_that_are_balanced_give_probabilities_as_the_classes_occur():
    forest = weighted(MODELS["forest"], "balanced_subsample").fit(X[TRAIN], LABELS[TRAIN])
    rate = y[TRAIN].mean()
    assert forest.predict_proba(X[TEST])[:, 1].mean() == pytest.approx(rate, abs=0.06)
    assert forest.oob_decision_function_[:, 1].mean() == pytest.approx(rate, abs=0.06)


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_keeps_the_weights_of_its_classes(name, tmp_path):
    model = weighted(MODELS[name], "balanced").fit(X[TRAIN], LABELS[TRAIN])
    askew.save(model, tmp_path / "model.askew")
    loaded = askew.load(tmp_path / "model.askew")
    assert np.array_equal(loaded.class_weight_, model.class_weight_)
    assert np.array_equal(loaded.predict_proba(X[TEST]), model.predict_proba(X[TEST]))


def test_stages_of_boosting_end_with_what_it_predicts():
    model = weighted(MODELS["boosting"], "balanced").fit(X[TRAIN], LABELS[TRAIN])
    *_, last = model.staged_predict_proba(X[TEST])
    *_, labels = model.staged_predict(X[TEST])
    assert np.array_equal(last, model.predict_proba(X[TEST]))
    assert np.array_equal(labels, model.predict(X[TEST]))


def test_a_distilled_tree_predicts_the_classes_of_a_weighted_ensemble():
    forest = weighted(MODELS["forest"], "balanced").fit(X[TRAIN], LABELS[TRAIN])
    tree = askew.distill(forest, X[TRAIN], tree=askew.CARTClassifier(max_leaf_nodes=12), cv=None)
    assert (tree.predict(X[TEST]) == forest.predict(X[TEST])).mean() > 0.85
    assert tree.predict_proba(X[TEST])[:, 1].mean() == pytest.approx(y.mean(), abs=0.06)


def test_a_class_of_weight_0_keeps_its_share():
    shares = np.array([[0.2, 0.5, 0.3]])
    assert as_they_occur(shares, np.array([2.0, 1.0, 0.0])) == pytest.approx(np.array([[1, 5, 3]]) / 9)


def test_weights_of_very_different_size_give_finite_probabilities():
    model = askew.CARTClassifier(class_weight={"no": 1e-120, "yes": 1e120}).fit(X, LABELS)
    p = model.predict_proba(X)
    assert np.isfinite(p).all()
    assert np.allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize("name", ["frequencies", "smoothed", "linear leaves", "forest"])
def test_shapley_values_add_up_to_the_probabilities_as_they_occur(name):
    model = weighted(MODELS[name], "balanced").fit(X[TRAIN], LABELS[TRAIN])
    found = askew.shapley(model, X[TEST][:5], X[TRAIN][:20])
    total = found.base_value + found.values.sum(axis=1)
    assert total == pytest.approx(model.predict_proba(X[TEST][:5]), abs=1e-9)


@pytest.mark.parametrize("name", ["smoothed", "linear leaves", "rule network"])
def test_an_explanation_ends_with_the_probabilities_as_they_occur(name):
    model = weighted(MODELS[name], "balanced").fit(X[TRAIN], LABELS[TRAIN])
    found = askew.explain(model, X[TEST][0])
    expected = dict(zip(model.classes_.tolist(), model.predict_proba(X[TEST][:1])[0].tolist(), strict=True))
    assert found.probability == pytest.approx(expected)
    assert found.paths[0].prediction == pytest.approx(expected)
