import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import cross_val_score

import askew
from askew import APDTClassifier, ModelFileError, RuleNetwork, store
from askew.model.one_vs_rest import OneVsRest
from askew.prune import LearningAutomata
from askew.store import container

WAYS = ["one_tree", "one_vs_rest"]
SETS = {"iris": (load_iris, 0.92), "wine": (load_wine, 0.92), "digits": (load_digits, 0.85)}


@pytest.mark.extended
@pytest.mark.parametrize("multiclass", WAYS)
@pytest.mark.parametrize("name", SETS)
def test_several_classes_are_learnt_both_ways(name, multiclass):
    load, least = SETS[name]
    X, y = load(return_X_y=True)
    model = APDTClassifier(multiclass=multiclass, random_state=0)
    assert model.fit(X, y).score(X, y) == 1
    assert cross_val_score(model, X, y, cv=3).mean() > least


@pytest.fixture(scope="module")
def fitted():
    X, y = load_wine(return_X_y=True)
    return APDTClassifier(multiclass="one_vs_rest", random_state=0).fit(X, np.array(["a", "b", "c"])[y])


def test_every_class_has_a_tree_of_its_own_against_the_rest(fitted):
    X, y = load_wine(return_X_y=True)
    assert isinstance(fitted.tree_, OneVsRest)
    for k, tree in enumerate(fitted.tree_.trees):
        rest, own = tree.value[tree.apply(X)].T
        np.testing.assert_array_equal(own > rest, y == k)


def test_it_has_the_face_of_one_tree(fitted):
    X, _ = load_wine(return_X_y=True)
    group = fitted.tree_
    assert fitted.get_n_leaves() == sum(tree.n_leaves for tree in group.trees)
    assert fitted.get_depth() == max(tree.depth for tree in group.trees)
    assert fitted.n_hyperplanes_ == sum(tree.n_hyperplanes for tree in group.trees)
    assert group.n_features == 13
    assert fitted.apply(X).shape == (178, 3)
    path = fitted.decision_path(X)
    assert path.shape == (178, group.node_count)
    np.testing.assert_array_equal(path.sum(axis=1), sum(t.node_depth[t.apply(X)] + 1 for t in group.trees))
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert fitted.tree_ != clone(fitted).fit(X[::2], fitted.predict(X[::2])).tree_


def test_probabilities_are_in_proportion_to_the_odds_of_every_class(fitted):
    X, _ = load_wine(return_X_y=True)
    proba = fitted.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(fitted.classes_[proba.argmax(axis=1)], fitted.predict(X))
    leaf = fitted.apply(X)
    odds = np.array(
        [(t.value[i, 1] + 1) / (t.value[i, 0] + 1) for t, i in zip(fitted.tree_.trees, leaf[7], strict=True)]
    )
    np.testing.assert_allclose(proba[7], odds / odds.sum())


def test_a_class_without_weight_has_probability_zero():
    X, y = load_wine(return_X_y=True)
    model = APDTClassifier(multiclass="one_vs_rest", class_weight={0: 0.0}, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 0], 0)
    assert set(model.predict(X)) == {1, 2}


def test_two_classes_need_one_tree_only():
    X, y = load_wine(return_X_y=True)
    ways = [APDTClassifier(multiclass=way, random_state=0).fit(X, y == 0).tree_ for way in WAYS]
    assert ways[0] == ways[1]


def test_the_trees_are_the_same_for_every_n_jobs():
    X, y = load_iris(return_X_y=True)
    one, three = (APDTClassifier(multiclass="one_vs_rest", random_state=0, n_jobs=n).fit(X, y).tree_ for n in (1, 3))
    assert one == three


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "copy"])
def test_a_copy_is_the_same(fitted, copied):
    assert copied(fitted).tree_ == fitted.tree_


def test_a_model_file_keeps_every_tree(fitted, tmp_path):
    X, _ = load_wine(return_X_y=True)
    askew.save(fitted, tmp_path / "m.askew")
    again = askew.load(tmp_path / "m.askew")
    assert again.tree_ == fitted.tree_
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(again.classes_, fitted.classes_)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda arrays, document: document.update(n_hyperplanes=3), "array 'kind' is missing"),
        (lambda arrays, document: document["n_hyperplanes"].pop(), "expected trees of three classes or more"),
        (lambda arrays, document: document["n_hyperplanes"].append(1), "array 'kind' is missing"),
        (lambda arrays, document: arrays.update({"tree.9.kind": arrays["tree.0.kind"]}), "'9.kind'"),
        (lambda arrays, document: arrays.update({"tree.0.value": arrays["tree.0.value"][:, :1]}), "2 columns"),
        (lambda arrays, document: arrays.update({"tree.1.value": -arrays["tree.1.value"]}), "a negative"),
        (lambda arrays, document: document["classes"].update(values=["a", "b", "c", "d"]), "expected 4 trees"),
    ],
)
def test_a_hostile_file_is_refused(fitted, tmp_path, change, message):
    path = tmp_path / "m.askew"
    askew.save(fitted, path)
    with open(path, "rb") as file:
        arrays, document = container.read(file)
    arrays = dict(arrays)
    change(arrays, document)
    path.write_bytes(container.to_bytes(arrays, document))
    with pytest.raises(ModelFileError, match=message):
        store.load(path)


def test_there_is_no_single_pruning_path():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="multiclass='one_tree'"):
        APDTClassifier(multiclass="one_vs_rest").cost_complexity_pruning_path(X, y)


def test_pruning_is_done_in_every_tree():
    X, y = load_iris(return_X_y=True)
    noisy = np.where(np.random.default_rng(0).uniform(size=150) < 0.15, (y + 1) % 3, y)
    whole, pruned = (
        APDTClassifier(multiclass="one_vs_rest", pruning=p, random_state=0).fit(X, noisy)
        for p in (None, "cost_complexity")
    )
    assert all(p.n_leaves < w.n_leaves for p, w in zip(pruned.tree_.trees, whole.tree_.trees, strict=True))


def test_rule_networks_of_each_class_are_kept_and_not_pruned_again(tmp_path):
    X, y = load_iris(return_X_y=True)
    pruner = LearningAutomata(n_units=1, n_starts=1, max_passes=5)
    model = APDTClassifier(multiclass="one_vs_rest", pruning=pruner, n_iterations=10, random_state=0).fit(X, y)
    assert all(isinstance(network, RuleNetwork) for network in model.tree_.trees)
    assert (model.predict_proba(X) > 0).all()  # every class has rows, whichever region comes first
    askew.save(model, tmp_path / "m.askew")
    again = askew.load(tmp_path / "m.askew")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="has a tree for each class"):
        model.pruned("genetic", X, y)


def test_each_tree_is_read_by_itself_as_text(fitted):
    assert askew.export_text(fitted.tree_.trees[0]).startswith(f"{fitted.tree_.trees[0].n_leaves} leaves")
    text = askew.export_text(fitted)
    assert [line for line in text.splitlines() if line.endswith("against the rest")] == [
        f"{name} against the rest" for name in "abc"
    ]
    with pytest.raises(ValueError, match="takes one tree, not one for each class"):
        askew.plot_tree(fitted)
    assert askew.plot_partition(fitted, *load_wine(return_X_y=True), features=(0, 1)) is not None


def test_categories_are_learnt_and_stored(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"colour": rng.choice(["red", "green", "blue"], 60), "size": rng.normal(size=60)})
    y = np.where(table["colour"] == "red", "r", np.where(table["size"] > 0, "large", "small"))
    model = APDTClassifier(multiclass="one_vs_rest", random_state=0).fit(table, y)
    assert model.score(table, y) == 1
    assert model.feature_importances_.shape == (2,)
    askew.save(model, tmp_path / "m.askew")
    np.testing.assert_array_equal(askew.load(tmp_path / "m.askew").predict(table), y)
    assert "colour{" in askew.export_text(model)
