import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC

import askew
from askew.data.table import Table
from askew.distillation import Distillation, SoftLabels

X, Y = load_iris(return_X_y=True)
FOREST = askew.ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X, Y)


def _cart(**parameters):
    return askew.CARTClassifier(**parameters)


def test_leaves_hold_the_mean_probabilities_of_the_ensemble():
    tree = askew.distill(FOREST, X, tree=_cart(max_leaf_nodes=3), cv=None)
    shares, leaf = FOREST.predict_proba(X), tree.apply(X)
    mean = np.array([shares[leaf == at].mean(axis=0) for at in leaf])
    assert tree.predict_proba(X) == pytest.approx(mean, abs=0.011)  # shares below a hundredth are left out


def test_a_tree_that_is_large_enough_agrees_with_the_ensemble_wherever_it_is_asked_to():
    random = np.random.default_rng(0)
    X, y = make_classification(300, 5, flip_y=0.2, random_state=0)
    forest = askew.ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    more = random.normal(size=(500, 5))
    tree = askew.distill(forest, more, tree=_cart(), cv=None)
    assert (tree.predict(more) == forest.predict(more)).all()


def test_autotree_is_what_is_fitted_by_default():
    few, labels = X[::3], Y[::3]
    forest = askew.ObliqueForestClassifier(n_estimators=10, random_state=0).fit(few, labels)
    tree = askew.distill(forest, few, cv=None, random_state=0)
    assert type(tree) is askew.AutoTreeClassifier
    assert tree.score(X, Y) > 0.85
    assert tree.distillation_ is None


def test_the_share_of_the_gain_is_that_of_the_scores_on_held_out_rows():
    X, y = load_breast_cancer(return_X_y=True)
    forest = askew.ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    evidence = askew.distill(forest, X, y, tree=_cart(max_leaf_nodes=4), random_state=0).distillation_
    assert evidence.ensemble > evidence.tree > 0.8
    assert evidence.kept == pytest.approx((evidence.distilled - evidence.tree) / (evidence.ensemble - evidence.tree))
    assert 0.85 < evidence.fidelity <= 1


def test_an_ensemble_without_gain_has_nothing_to_keep():
    assert Distillation(3, 0.9, 0.8, 0.8, 0.8).kept is None
    assert Distillation(3, 0.9, 0.7, 0.8, 0.8).kept is None
    assert Distillation(3, 0.9, 1.0, 0.7, 0.8).kept == pytest.approx(-0.5)
    assert "50% of the gain" in str(Distillation(3, 0.9, 0.9, 0.85, 0.8))
    assert Distillation(3, 0.9).kept is None


def test_without_labels_the_evidence_is_the_fidelity_alone():
    evidence = askew.distill(FOREST, X, tree=_cart(max_leaf_nodes=4), random_state=0).distillation_
    assert evidence.fidelity > 0.9
    assert evidence.ensemble is evidence.kept is evidence.gain is None
    assert "ensemble" not in str(evidence)


def test_numbers_are_learnt_from_the_predictions():
    X, y = load_diabetes(return_X_y=True)
    forest = askew.ObliqueForestRegressor(n_estimators=20, random_state=0).fit(X, y)
    tree = askew.distill(forest, X, y, tree=askew.CARTRegressor(max_leaf_nodes=8), random_state=0)
    same = askew.CARTRegressor(max_leaf_nodes=8).fit(X, forest.predict(X))
    assert (tree.predict(X) == same.predict(X)).all()
    assert tree.distillation_.ensemble > tree.distillation_.tree


def test_weights_are_those_of_the_rows():
    weight = np.where(Y == 2, 0.0, 1.0)
    tree = askew.distill(FOREST, X, tree=_cart(), sample_weight=weight, cv=None)
    kept = askew.distill(FOREST, X[Y < 2], tree=_cart(), cv=None)
    assert (tree.predict_proba(X) == kept.predict_proba(X)).all()
    assert tree.classes_.tolist() == [0, 1, 2]
    twice = askew.distill(FOREST, np.repeat(X, 2, axis=0), tree=_cart(max_depth=3), cv=None)
    two = askew.distill(FOREST, X, tree=_cart(max_depth=3), sample_weight=np.full(len(X), 2), cv=None)
    assert (twice.predict(X) == two.predict(X)).all()


def test_any_classifier_with_probabilities_and_any_table_will_do():
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    labels = np.array(["x", "y", "z"])[Y]
    forest = RandomForestClassifier(n_estimators=10, random_state=0).fit(frame, labels)
    tree = askew.distill(forest, frame, labels, tree=_cart(max_leaf_nodes=4), cv=2, random_state=0)
    assert set(tree.predict(frame)) == {"x", "y", "z"}
    assert tree.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert tree.distillation_.folds == 2


def test_a_distilled_tree_is_printed_and_stored_as_any_other(tmp_path):
    tree = askew.distill(FOREST, X, tree=_cart(max_leaf_nodes=3), cv=None)
    askew.save(tree, tmp_path / "tree.askew")
    assert (askew.load(tmp_path / "tree.askew").predict_proba(X) == tree.predict_proba(X)).all()
    assert "x" in askew.export_text(tree)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"ensemble": LinearSVC().fit(X, Y)}, TypeError, "predict_proba"),
        ({"ensemble": "forest"}, TypeError, "predict_proba"),
        ({"ensemble": askew.ObliqueForestClassifier()}, NotFittedError, "not fitted"),
        ({"tree": askew.CARTRegressor()}, ValueError, "classification tree"),
        ({"tree": FOREST}, ValueError, "classification tree"),
        ({"tree": askew.CARTClassifier(class_weight="balanced")}, ValueError, "class_weight"),
        ({"tree": askew.CARTClassifier(max_depth=0)}, ValueError, "max_depth"),
        ({"tree": askew.AutoTreeClassifier(cv=[([0], [1])])}, ValueError, "cv is a number"),
        ({"cv": 1}, ValueError, "'cv' parameter"),
    ],
)
def test_what_cannot_be_distilled_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        askew.distill(**{"ensemble": FOREST, "X": X, **given})


# --- soft labels


def _table(n=60, d=3):
    random = np.random.default_rng(0)
    weight = random.integers(1, 4, n).astype(float)
    return Table(random.normal(size=(n, d)), np.zeros(n, dtype=np.int32), weight, weight, 1, ("a", "b", "c"))


def _shares(n=60, k=3):
    return np.random.default_rng(1).dirichlet(np.ones(k), n)


def test_each_row_keeps_its_weight_and_its_samples():
    table, shares = _table(), _shares()
    soft = SoftLabels.of(table, shares)
    for total in (soft.weight, soft.multiplicity):
        assert total.sum() == pytest.approx(table.weight.sum())
    assert np.bincount(soft.y, soft.weight) == pytest.approx(table.weight @ shares, rel=0.02)


def test_classes_with_next_to_no_share_are_left_out_and_the_others_raised():
    soft = SoftLabels.of(_table(1), np.array([[0.004, 0.498, 0.498]]))
    assert soft.y.tolist() == [1, 2]
    assert soft.weight[0] == soft.weight[1] == _table(1).weight[0] / 2


def test_a_row_with_as_many_classes_as_small_shares_keeps_all_of_them():
    soft = SoftLabels.of(_table(1), np.full((1, 500), 1 / 500))
    assert soft.n_rows == 500


def test_what_comes_of_one_row_is_held_out_together():
    table, shares = _table(), _shares()
    soft = SoftLabels.of(table, shares)
    for part in (soft, soft.take(np.arange(soft.n_rows) % 2 == 0)):
        places = part.positions(7)
        _, row = np.unique(part.X, axis=0, return_inverse=True)
        assert all(np.unique(places[row == i]).size == 1 for i in np.unique(row))
    assert 0.35 < soft.weight[soft.positions(7) < 0.5].sum() / soft.weight.sum() < 0.65
