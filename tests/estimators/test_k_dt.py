"""k-DT: the vote of trees."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError

import askew
from askew import (
    APDTClassifier,
    CARTClassifier,
    CARTRegressor,
    InvalidParameterError,
    KDTClassifier,
    LMDTClassifier,
    ModelFileError,
    OC1Classifier,
    SADTClassifier,
)
from askew.data.encoder import Encoder
from askew.estimators.ensemble import Ensemble
from askew.model.leaf_values import Constant
from askew.model.packed import PackedTrees
from askew.prune import GeneticAlgorithm, LearningAutomata
from askew.store import container

X, Y = load_iris(return_X_y=True)
QUICK = SADTClassifier(max_unproductive=50, max_depth=2)


def vote(**parameters):
    return KDTClassifier(**{"estimator": QUICK, "n_estimators": 5, "random_state": 0, **parameters})


def test_probabilities_are_shares_of_votes():
    model = vote().fit(X, Y)
    each = np.array([tree.predict(X) for tree in model.estimators_])
    shares = np.stack([(each == c).mean(axis=0) for c in range(3)], axis=1)
    np.testing.assert_array_equal(model.predict_proba(X), shares)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(X), np.log(shares))
    assert len({tree.random_state for tree in model.estimators_}) == 5
    assert any((each != each[0]).any(axis=0))


def test_a_tie_goes_to_the_more_frequent_class_then_to_the_first():
    model = vote(n_estimators=2, estimator=CARTClassifier()).fit([[0.0], [1.0], [2.0]], ["a", "b", "b"])
    first, second = model.estimators_

    def answers(*weights):
        for tree, weight in zip((first, second), weights, strict=True):
            leaf = tree.tree_.collapse(np.array([0]))
            tree.tree_ = replace(leaf, payload=Constant(np.array([weight])))
        model._take_fitted([first, second])
        return model.predict([[5.0]]).tolist()

    assert answers([1.0, 0.0], [0.0, 1.0]) == ["a"]
    assert answers([1.0, 0.0], [0.0, 2.0]) == ["b"]


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_the_vote_is_the_same_for_every_n_jobs(n_jobs):
    one, many = vote().fit(X, Y), vote(n_jobs=n_jobs).fit(X, Y)
    assert all(a.tree_ == b.tree_ for a, b in zip(one.estimators_, many.estimators_, strict=True))


def test_without_an_estimator_the_trees_are_those_of_oc1():
    model = KDTClassifier(n_estimators=3, random_state=0).fit(X, Y)
    assert all(type(tree) is OC1Classifier for tree in model.estimators_)
    assert model.score(X, Y) > 0.9


@pytest.mark.parametrize("estimator", [OC1Classifier(n_restarts=2), LMDTClassifier(max_passes=50), CARTClassifier()])
def test_any_method_may_vote(estimator):
    rows, y = load_wine(return_X_y=True)
    model = vote(estimator=estimator, n_estimators=3).fit(rows, y)
    assert model.score(rows, y) > 0.9
    assert model.n_hyperplanes_ == sum(tree.n_hyperplanes_ for tree in model.estimators_)
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_importances_are_shares_also_where_some_trees_are_single_leaves():
    model = vote(n_estimators=3, estimator=CARTClassifier(max_depth=2)).fit(X, Y)
    whole = model.estimators_[0].feature_importances_
    for tree in model.estimators_[1:]:
        tree.tree_ = tree.tree_.collapse(np.array([0]))
    np.testing.assert_allclose(model.feature_importances_, whole)
    model.estimators_[0].tree_ = model.estimators_[1].tree_
    assert model.feature_importances_.tolist() == [0.0] * 4  # nothing to share


@pytest.mark.parametrize(
    "pruning", [None, LearningAutomata(n_units=1, n_starts=1, max_passes=20)], ids=["unpruned", "LA"]
)
def test_trees_of_each_class_against_the_rest_may_vote(pruning):
    estimator = APDTClassifier(multiclass="one_vs_rest", pruning=pruning, n_iterations=20)
    model = vote(n_estimators=2, estimator=estimator).fit(X, Y)
    each = [np.searchsorted(model.classes_, tree.predict(X)) for tree in model.estimators_]
    np.testing.assert_array_equal(model.predict_proba(X), np.eye(3)[each].mean(axis=0))
    assert model.score(X, Y) > 0.8
    np.testing.assert_allclose(model.class_mass_, [100, 100, 100])


@pytest.mark.parametrize(
    "pruner", [LearningAutomata(n_starts=1, max_passes=20), GeneticAlgorithm(max_generations=5)], ids=["LA", "GA"]
)
def test_the_mass_of_a_class_is_that_of_all_regions_of_a_rule_network(pruner):
    weight = np.where(Y == 0, 3, 1)
    model = vote(n_estimators=2, estimator=CARTClassifier(pruning=pruner)).fit(X, Y, weight)
    np.testing.assert_allclose(model.class_mass_, [300, 100, 100])


def test_the_trees_are_packed_once(monkeypatch):
    model = vote().fit(X, Y)
    votes = model.predict_proba(X)
    monkeypatch.setattr(PackedTrees, "of", None)
    np.testing.assert_array_equal(model.predict_proba(X), votes)


def test_a_vote_is_an_ensemble_like_the_others():
    model = vote().fit(X, Y)
    assert isinstance(model, Ensemble)
    assert len(model) == len(model.trees_) == 5
    assert model[0] is model.estimators_[0]
    np.testing.assert_array_equal(model.apply(X), np.column_stack([tree.apply(X) for tree in model]))


def test_a_pickle_of_a_version_that_kept_less_is_read():
    model = vote().fit(X, Y)
    kept = ("estimators_", "classes_", "class_weight_", "n_features_in_", *model.get_params(deep=False))
    old = KDTClassifier()
    old.__setstate__({name: value for name, value in model.__getstate__().items() if name in kept})
    np.testing.assert_array_equal(old.predict_proba(X), model.predict_proba(X))


def test_the_data_are_read_once_for_all_trees(monkeypatch):
    calls = []
    learn = Encoder.learn
    monkeypatch.setattr(Encoder, "learn", lambda *args, **kw: calls.append("learn") or learn(*args, **kw))
    code = Encoder.code
    monkeypatch.setattr(Encoder, "code", lambda *args: calls.append("code") or code(*args))
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "blue"], "size": [1.0, 2.0, 3.0, 4.0]})
    model = vote(estimator=CARTClassifier()).fit(frame, [1, 0, 1, 0])
    assert calls == ["learn", "code"]
    model.predict(frame)
    assert calls == ["learn", "code", "code"]


def test_every_tree_is_the_one_that_it_would_be_by_itself():
    frame = pd.DataFrame({"colour": np.array(["red", "blue", "pink"])[Y], "size": X[:, 0]})
    frame.loc[3, "size"] = np.nan
    model = vote(estimator=OC1Classifier(class_weight="balanced", n_restarts=2)).fit(frame, Y)
    for tree in model.estimators_:
        alone = clone(tree).fit(frame, Y)
        assert alone.tree_ == tree.tree_
        assert alone.encoder_ == tree.encoder_
        np.testing.assert_array_equal(alone.feature_means_, tree.feature_means_)
        np.testing.assert_array_equal(alone.feature_scale_, tree.feature_scale_)
        np.testing.assert_array_equal(alone.predict(frame), tree.predict(frame))


def test_trees_that_read_the_data_differently_still_vote():
    holes = X.copy()
    holes[::3, 2] = np.nan
    model = vote(estimator=CARTClassifier(missing="mean"), n_estimators=3).fit(X, Y)
    model.estimators_[1].feature_means_ = np.full(4, 9.0)
    each = [tree.predict(holes) for tree in model.estimators_]
    assert (each[0] != each[1]).any()
    np.testing.assert_array_equal(model.predict_proba(holes), np.eye(3)[each].mean(axis=0))


def test_weights_reach_the_trees():
    weight = np.where(Y == 0, 0, 1)
    model = vote().fit(X, Y, weight)
    assert model.classes_.tolist() == [1, 2]


def test_the_names_of_a_data_frame_are_checked():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = vote().fit(frame, Y)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert model.predict(frame).shape == (150,)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))
    assert not hasattr(model.fit(X, Y), "feature_names_in_")


def test_what_cannot_vote_is_refused():
    for wrong in (CARTRegressor(), "oc1", OC1Classifier):
        with pytest.raises(InvalidParameterError, match=r"'estimator' parameter .* a classifier of askew"):
            vote(estimator=wrong).fit(X, Y)
    with pytest.raises(InvalidParameterError, match="n_estimators"):
        vote(n_estimators=0).fit(X, Y)
    with pytest.raises(NotFittedError):
        vote().predict(X)


def test_a_fit_that_fails_leaves_the_vote_as_it_was():
    model = vote().fit(X, Y)
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.full((6, 2), np.inf), [0, 1] * 3)
    assert model.__dict__ == before


def test_it_is_cloned_and_pickled():
    model = vote().fit(X, Y)
    assert clone(model).get_params(deep=False)["n_estimators"] == 5
    assert clone(vote()).set_params(estimator__max_depth=1).fit(X, Y).estimators_[0].get_depth() == 1
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


# --- the model file


@pytest.mark.parametrize("estimator", [None, QUICK])
def test_a_loaded_vote_is_the_same_to_the_bit(estimator, tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = vote(estimator=estimator, n_estimators=3).fit(frame, np.array(["x", "y", "z"])[Y])
    askew.save(model, tmp_path / "m.askew")
    again = askew.load(tmp_path / "m.askew")
    assert type(again) is KDTClassifier
    assert all(a.tree_ == b.tree_ for a, b in zip(model.estimators_, again.estimators_, strict=True))
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    assert repr(again.get_params()) == repr(model.get_params())
    askew.save(again, tmp_path / "again.askew")
    assert (tmp_path / "again.askew").read_bytes() == (tmp_path / "m.askew").read_bytes()


def test_a_criterion_of_ones_own_is_left_out_with_a_warning(tmp_path):
    def gini(left, right):
        return -np.abs(left - right).sum(axis=1)

    model = vote(estimator=CARTClassifier(criterion=gini, max_depth=1), n_estimators=2).fit(X, Y)
    with pytest.warns(UserWarning, match=r"KDTClassifier: not stored.*estimator, criterion"):
        askew.save(model, tmp_path / "m.askew")
    assert askew.load(tmp_path / "m.askew").estimator is None


CHANGES = {
    "no tree": (lambda d: d.update(members=[]), "members"),
    "no list": (lambda d: d.update(members=7), "members"),
    "one too few": (lambda d: d["members"].pop(), "arrays: expected those of 1 trees"),
    "a regressor": (lambda d: d["members"][1].update(estimator="CARTRegressor", classes=None), "tree 1"),
    "other classes": (lambda d: d["members"][1]["classes"].update(values=["p", "q", "r"]), "tree 1: classes"),
    "a vote": (lambda d: d["members"].__setitem__(1, json.loads(json.dumps(d))), "tree 1"),
    "a wrong tree": (lambda d: d["members"][0].update(n_features=1), "tree 0: tree"),
    "a wrong parameter": (lambda d: d["parameters"].update(n_estimators=0), "n_estimators"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_forged_vote_is_refused(change, tmp_path):
    model = vote(estimator=CARTClassifier(max_depth=1), n_estimators=2).fit(X, np.array(["x", "y", "z"])[Y])
    askew.save(model, tmp_path / "m.askew")
    with open(tmp_path / "m.askew", "rb") as file:
        arrays, document = container.read(file)
    forge, message = CHANGES[change]
    document = json.loads(json.dumps(document))
    forge(document)
    container.write(tmp_path / "m.askew", container.to_bytes(dict(arrays), document))
    with pytest.raises(ModelFileError, match=message):
        askew.load(tmp_path / "m.askew")


def test_the_trees_are_written_one_after_another_and_not_drawn_as_one():
    vote = askew.KDTClassifier(n_estimators=2, random_state=0).fit([[1.0], [2.0], [3.0], [4.0]], list("aabb"))
    text = askew.export_text(vote)
    assert text == "\n".join(
        line for i, tree in enumerate(vote.estimators_) for line in (f"tree {i + 1} of 2", askew.export_text(tree))
    )
    with pytest.raises(ValueError, match="one tree, not many"):
        askew.export_dot(vote)


def test_the_vote_knows_the_categories_of_its_trees():
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "blue"]})
    vote = KDTClassifier(n_estimators=2, random_state=0).fit(frame, [1, 0, 1, 0])
    assert vote.encoder_.categories == (("blue", "red"),)
