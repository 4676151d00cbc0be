"""Smoothing: probabilities of leaves that few rows do not make certain, and classes that stay as they were."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import askew
from askew import C45Classifier, CARTClassifier
from askew.model.smoothing import Laplace, MEstimate
from askew.parameters import InvalidParameterError
from askew.prune import CostComplexity, LearningAutomata

X, y = load_wine(return_X_y=True)
SMOOTHINGS = [None, "laplace", "m_estimate", Laplace(0.5), MEstimate(10.0)]


def test_laplace_adds_samples_of_every_class():
    shares = Laplace(2.0).shares(np.array([[3.0, 1.0]]), np.array([-1]))
    np.testing.assert_allclose(shares, [[5 / 8, 3 / 8]])


def test_an_m_estimate_goes_towards_the_parent_from_the_root_on():
    counts = np.array([[6.0, 2.0], [6.0, 0.0], [0.0, 2.0]])
    shares = MEstimate(2.0).shares(counts, np.array([-1, 0, 0]))
    root = np.array([7 / 10, 3 / 10])
    np.testing.assert_allclose(shares, [root, (counts[1] + 2 * root) / 8, (counts[2] + 2 * root) / 4])


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("leaf_model", ["constant", "linear"])
def test_classes_stay_and_probabilities_are_shares(smoothing, leaf_model):
    plain = CARTClassifier(max_leaf_nodes=6, leaf_model=leaf_model).fit(X, y)
    model = CARTClassifier(max_leaf_nodes=6, leaf_model=leaf_model, smoothing=smoothing).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found > 0).all() or smoothing is None
    np.testing.assert_array_equal(model.tree_.value, plain.tree_.value)


def test_a_weight_of_two_is_the_row_twice_and_the_scale_of_weights_does_not_matter():
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    a = CARTClassifier(max_depth=2, smoothing="m_estimate").fit(X, y, weight)
    b = CARTClassifier(max_depth=2, smoothing="m_estimate").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X))
    c = CARTClassifier(max_depth=2, smoothing="laplace").fit(X, y, np.full(len(y), 0.01))
    d = CARTClassifier(max_depth=2, smoothing="laplace").fit(X, y)
    np.testing.assert_allclose(c.predict_proba(X), d.predict_proba(X))


def test_rows_in_parts_are_smoothed_and_keep_their_class():
    gone = X.copy()
    gone[::2, 0] = np.nan
    plain, model = (C45Classifier(smoothing=s).fit(X, y) for s in (None, "laplace"))
    np.testing.assert_array_equal(model.predict(gone), plain.predict(gone))
    assert (model.predict_proba(gone) > 0).all()


def test_it_is_kept_by_pruning_networks_files_and_json(tmp_path):
    model = CARTClassifier(smoothing=Laplace(3.0)).fit(X, y)
    small = model.pruned(CostComplexity(ccp_alpha=1e9), X, y)
    counts = np.bincount(y)
    np.testing.assert_allclose(small.predict_proba(X[:1])[0], (counts + 3) / (counts.sum() + 9))
    network = CARTClassifier(smoothing="laplace", pruning=LearningAutomata(), random_state=0).fit(
        *load_iris(return_X_y=True)
    )
    assert (network.predict_proba(load_iris().data) > 0).all()
    askew.save(model, tmp_path / "m.askew")
    other = askew.load(tmp_path / "m.askew")
    assert other.smoothing == Laplace(3.0)
    np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    leaves = [node for node in json.loads(askew.export_json(model))["nodes"] if not node["children"]]
    shares = {leaf["n_samples"]: leaf["shares"] for leaf in leaves}
    largest = leaves[int(np.argmax([leaf["n_samples"] for leaf in leaves]))]
    np.testing.assert_allclose(
        shares[largest["n_samples"]], (np.array(largest["value"]) + 3) / (sum(largest["value"]) + 9)
    )


@pytest.mark.parametrize("wrong", ["sigmoid", 1.0, Laplace])
def test_anything_else_is_refused_before_the_fit(wrong):
    with pytest.raises(InvalidParameterError, match="The 'smoothing' parameter"):
        CARTClassifier(smoothing=wrong).fit(X, y)


@pytest.mark.parametrize("kind", [Laplace, MEstimate])
def test_a_strength_is_positive(kind):
    with pytest.raises(InvalidParameterError, match="strength"):
        kind(0.0)
