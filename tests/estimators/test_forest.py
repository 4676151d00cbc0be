import numpy as np
import pandas as pd
import pytest
from model_files import through_file
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from threads import threads_on_small_data

import askew
from askew import InvalidParameterError, ObliqueForestClassifier, ObliqueForestRegressor, _core
from askew.search.linear import LinearPlanes

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def forest(**parameters):
    return ObliqueForestClassifier(**{"n_estimators": 10, "random_state": 0, **parameters})


def same_trees(one, other):
    pairs = zip(one.trees_, other.trees_, strict=True)
    return all(np.array_equal(a.arrays()[name], b.arrays()[name]) for a, b in pairs for name in a.arrays())


@pytest.mark.parametrize("split", ["newton", "projection", "axis", "linear", LinearPlanes()])
def test_every_split_makes_a_forest_that_knows_its_rows(split):
    model = forest(split=split).fit(*IRIS)
    assert model.score(*IRIS) > 0.97
    assert len(model.trees_) == len(model.estimators_) == 10


def test_threads_make_no_difference():
    with threads_on_small_data() as started:
        many = forest(n_estimators=30, n_jobs=3, oob_score=True).fit(*CANCER)
        assert started() > 0
        one = forest(n_estimators=30, oob_score=True).fit(*CANCER)
        assert same_trees(one, many)
        assert one.oob_score_ == many.oob_score_
        assert (one.predict_proba(CANCER[0]) == many.predict_proba(CANCER[0])).all()


def test_the_order_of_the_rows_makes_no_difference():
    X, y = CANCER
    order = np.random.default_rng(0).permutation(y.size)
    assert same_trees(forest().fit(X, y), forest().fit(X[order], y[order]))


def test_trees_differ_and_what_the_forest_predicts_is_their_mean():
    X, y = CANCER
    model = forest().fit(X, y)
    single = np.mean([tree.predict_proba(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), single, atol=1e-12)
    assert len({tree.node_count for tree in model.trees_}) > 1
    numbers = ObliqueForestRegressor(n_estimators=5, random_state=0).fit(*DIABETES)
    mean = np.mean([tree.predict(DIABETES[0]) for tree in numbers.estimators_], axis=0)
    np.testing.assert_allclose(numbers.predict(DIABETES[0]), mean)


def test_a_warm_start_adds_the_trees_that_are_missing():
    warm = forest(n_estimators=4, warm_start=True).fit(*IRIS)
    first = warm.trees_[0]
    warm.set_params(n_estimators=10).fit(*IRIS)
    assert warm.trees_[0] is first
    assert same_trees(warm, forest().fit(*IRIS))
    with pytest.raises(ValueError, match="n_estimators=3 must be at least 10"):
        warm.set_params(n_estimators=3).fit(*IRIS)


def test_out_of_bag_predictions_are_those_of_trees_that_did_not_see_a_row():
    X, y = CANCER
    model = forest(n_estimators=40, oob_score=True).fit(X, y)
    assert 0.93 < model.oob_score_ < 0.99
    assert model.oob_decision_function_.shape == (y.size, 2)
    assert (model.predict_proba(X) != model.oob_decision_function_).any()
    share = model.oob_decision_function_.argmax(axis=1) == y
    assert share.mean() == pytest.approx(model.oob_score_)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        few = forest(n_estimators=1, oob_score=True).fit(X, y)
    assert 0.5 < np.isnan(few.oob_decision_function_[:, 0]).mean() < 0.75
    numbers = ObliqueForestRegressor(n_estimators=100, oob_score=True, random_state=0).fit(*DIABETES)
    assert 0.35 < numbers.oob_score_ < 0.6
    assert numbers.oob_prediction_.shape == DIABETES[1].shape


def test_a_permuted_feature_matters_if_it_did():
    X, y = CANCER
    X = np.column_stack([X[:, [7, 22]], np.random.default_rng(0).normal(size=y.size)])
    found = forest(n_estimators=30).fit(X, y).oob_permutation_importance(X, y, n_repeats=3)
    assert found.importances.shape == (3, 3)
    assert found.importances_mean[2] < 0.02 < found.importances_mean[:2].max()


def test_importances_are_those_of_the_single_trees():
    model = forest().fit(*CANCER)
    wanted = np.mean([tree.feature_importances_ for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.feature_importances_, wanted / wanted.sum(), rtol=1e-9)


def test_balanced_samples_give_each_class_the_same_weight():
    X, y = CANCER
    few = np.r_[np.flatnonzero(y == 0)[:20], np.flatnonzero(y == 1)]
    for split in ("newton", "linear"):
        model = forest(n_estimators=2, class_weight="balanced_subsample", split=split).fit(X[few], y[few])
        for tree in model.trees_:
            assert tree.value[0, 0] == pytest.approx(tree.value[0, 1])


def test_categories_and_missing_values_are_taken(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=80), "colour": rng.choice(["red", "green", "blue"], 80)})
    y = np.where((frame.colour == "red") ^ (frame.a > 0), "yes", "no")
    holes = frame.mask(rng.random(frame.shape) < 0.05)
    model = forest(missing="mean").fit(holes, y)
    assert model.score(holes, y) > 0.9
    assert model.feature_importances_.shape == (2,)
    again = through_file(model, tmp_path)
    assert (again.predict_proba(holes) == model.predict_proba(holes)).all()
    assert same_trees(again, model)
    assert "colour" in askew.export_text(model.estimators_[0])


def test_a_stored_forest_goes_on_growing(tmp_path):
    again = through_file(forest(n_estimators=4, warm_start=True).fit(*IRIS), tmp_path)
    assert same_trees(again.set_params(n_estimators=10).fit(*IRIS), forest().fit(*IRIS))


def test_limits_hold_for_every_tree():
    model = forest(max_depth=3, min_samples_leaf=7).fit(*CANCER)
    for tree in model.trees_:
        assert tree.depth <= 3
        assert tree.n_samples.min() >= 7
    part = forest(bootstrap=False, max_samples=50).fit(*CANCER)
    assert np.mean([tree.n_samples[0] for tree in part.trees_]) == pytest.approx(50, abs=10)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"split": "diagonal"}, "'split' parameter"),
        ({"max_features": 0}, "'max_features' parameter"),
        ({"l2": -1.0}, "'l2' parameter"),
        ({"max_samples": -0.5}, "'max_samples' parameter"),
        ({"class_weight": "even"}, "'class_weight' parameter"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(InvalidParameterError, match=message):
        forest(**parameters).fit(*IRIS)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "twoing"}, "'criterion' parameter .*must be .*with split='newton'"),
        ({"oob_score": True, "bootstrap": False}, "Out of bag estimation only"),
        ({"max_samples": 1000, "bootstrap": False}, "must be at most 150"),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(parameters, message):
    model = forest(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(*IRIS)
    assert not hasattr(model, "trees_")


def test_a_vote_is_walked_at_once_and_counts_as_its_trees_do():
    X, y = IRIS
    vote = askew.KDTClassifier(estimator=askew.CARTClassifier(max_depth=2, pruning="cost_complexity"), random_state=0)
    vote.fit(X, y)
    counts = sum(np.eye(3)[tree.predict(X)] for tree in vote.estimators_)
    assert vote._walked() is not None
    np.testing.assert_array_equal(vote.predict_proba(X), counts / 11)


def test_a_sum_over_some_trees_needs_a_mark_for_each():
    packed, entries = forest(n_estimators=2).fit(*IRIS)._walked()
    with pytest.raises(ValueError, match="a column for each tree"):
        _core.sum_packed(packed.kernel, entries, IRIS[0], 1, counted=np.ones((150, 3), dtype=bool))


def test_a_function_scores_what_is_predicted_out_of_bag():
    X, y = CANCER
    labels = np.array(["malignant", "benign"])[y]
    seen = []

    def recall(truth, predicted):
        seen.append((truth, predicted))
        return (predicted == "benign")[truth == "benign"].mean()

    twice = np.repeat(np.arange(y.size), 2)
    model = forest(n_estimators=40, oob_score=recall, bootstrap=False, max_samples=0.3).fit(X[twice], labels[twice])
    truth, predicted = seen[0]
    assert truth.size == predicted.size == 2 * y.size
    assert (
        model.oob_score_
        == (model.classes_[model.oob_decision_function_.argmax(axis=1)] == "benign")[labels[twice] == "benign"].mean()
    )


def test_log_loss_is_another_name_of_entropy():
    assert same_trees(forest(criterion="log_loss").fit(*IRIS), forest(criterion="entropy").fit(*IRIS))


def test_more_samples_can_be_drawn_than_there_are():
    model = forest(max_samples=3.0).fit(*IRIS)
    assert np.mean([tree.n_samples[0] for tree in model.trees_]) == pytest.approx(450, rel=0.1)
    assert same_trees(model, forest(max_samples=450).fit(*IRIS))


def test_a_warm_start_without_more_trees_warns_and_changes_nothing():
    model = forest(warm_start=True).fit(*IRIS)
    before = list(model.trees_)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        model.fit(*IRIS)
    assert model.trees_ == before


def test_a_forest_is_a_sequence_of_fitted_trees():
    model = forest(n_estimators=3).fit(*IRIS)
    assert len(model) == 3
    assert [tree.get_n_leaves() for tree in model] == [tree.n_leaves for tree in model.trees_]
    assert (model[-1].predict(IRIS[0]) == list(model)[2].predict(IRIS[0])).all()
    with pytest.raises(NotFittedError):
        len(forest())


def test_paths_of_all_trees_stand_side_by_side():
    X, y = IRIS
    model = forest(n_estimators=3).fit(X, y)
    paths, start = model.decision_path(X)
    assert paths.shape == (y.size, sum(tree.node_count for tree in model.trees_))
    for i, tree in enumerate(model.trees_):
        own = paths[:, start[i] : start[i + 1]]
        assert (own != tree.decision_path(np.ascontiguousarray(X))).nnz == 0
