import numpy as np
import pytest
from model_files import through_file
from reference.ensemble import best_cut, newton_direction, newton_gain
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingRegressor
from threads import threads_on_small_data

from askew import InvalidParameterError, ObliqueBoostingClassifier, ObliqueBoostingRegressor

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def classes(**parameters):
    return ObliqueBoostingClassifier(**{"max_iter": 10, "random_state": 0, **parameters})


def numbers(**parameters):
    return ObliqueBoostingRegressor(**{"max_iter": 10, "random_state": 0, **parameters})


def same_trees(one, other):
    pairs = zip(one.trees_, other.trees_, strict=True)
    return all(np.array_equal(a.arrays()[name], b.arrays()[name]) for a, b in pairs for name in a.arrays())


def test_axis_parallel_boosting_is_that_of_scikit_learn():
    X, y = DIABETES
    shared = {"max_iter": 20, "max_leaf_nodes": 8, "min_samples_leaf": 10, "l2_regularization": 2.0}
    ours = numbers(split="axis", max_features=None, **shared).fit(X, y)
    theirs = HistGradientBoostingRegressor(early_stopping=False, **shared).fit(X, y)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.01)
    assert np.corrcoef(ours.predict(X), theirs.predict(X))[0, 1] > 0.995


def test_the_first_plane_is_a_newton_step_in_all_features():
    X, y = DIABETES[0][:, [2, 8]], DIABETES[1]
    model = numbers(max_iter=1, max_leaf_nodes=2, max_features=None, min_samples_leaf=1).fit(X, y)
    tree, gradient = model.trees_[0], y.mean() - y
    features, weights = tree.test(0)
    assert features.tolist() == [0, 1]
    wanted = newton_direction(X, y, np.ones(y.size), 1.0, 1.0)
    assert abs(weights @ wanted) == pytest.approx(np.linalg.norm(weights) * np.linalg.norm(wanted), rel=1e-9)
    gain = newton_gain(gradient, np.ones(y.size), 1.0)
    left = X @ weights <= tree.threshold[0]
    best = best_cut(X @ weights, np.ones(y.size), gain)[1]
    assert gain(left) + gain(~left) == pytest.approx(best, rel=0.05)  # cuts are looked for at some places alone
    assert tree.value[1, 0] == pytest.approx(0.1 * -gradient[left].sum() / (left.sum() + 1.0))


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "poisson"])
def test_every_loss_falls(loss):
    model = numbers(loss=loss, max_iter=30).fit(*DIABETES)
    assert (np.diff(model.train_score_) < 1e-9).mean() > 0.9
    assert model.train_score_[-1] < 0.8 * model.train_score_[0] or loss == "poisson"
    assert model.score(*DIABETES) > 0.4


def test_a_quantile_is_above_so_many_of_the_rows():
    X, y = DIABETES
    for quantile in (0.2, 0.8):
        below = y <= numbers(loss="quantile", quantile=quantile, max_iter=40, max_leaf_nodes=6).fit(X, y).predict(X)
        assert below.mean() == pytest.approx(quantile, abs=0.1)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="poisson"):
        numbers(loss="poisson").fit([[1.0], [2.0]], [-1.0, 2.0])


def test_stages_lead_to_what_is_predicted():
    for data in (IRIS, CANCER):
        model = classes().fit(*data)
        staged = list(model.staged_predict_proba(data[0]))
        assert len(staged) == model.n_iter_ == 10
        np.testing.assert_allclose(staged[-1], model.predict_proba(data[0]), rtol=1e-9)
        assert (list(model.staged_predict(data[0]))[-1] == model.predict(data[0])).all()
    model = numbers().fit(*DIABETES)
    np.testing.assert_allclose(list(model.staged_predict(DIABETES[0]))[-1], model.predict(DIABETES[0]), rtol=1e-9)


def test_threads_make_no_difference():
    with threads_on_small_data() as started:
        for data in (IRIS, CANCER):
            many = classes(n_jobs=3, max_iter=3).fit(*data)
            assert started() > 0
            assert same_trees(many, classes(max_iter=3).fit(*data))


@pytest.mark.parametrize("parameters", [{}, {"subsample": 0.5}, {"early_stopping": True}])
def test_a_warm_start_goes_on(parameters):
    warm = classes(max_iter=4, warm_start=True, **parameters).fit(*CANCER)
    warm.set_params(max_iter=8).fit(*CANCER)
    whole = classes(max_iter=8, **parameters).fit(*CANCER)
    np.testing.assert_allclose(warm.predict_proba(CANCER[0]), whole.predict_proba(CANCER[0]), rtol=1e-6)
    assert warm.train_score_.size == whole.train_score_.size == 9
    with pytest.raises(ValueError, match="max_iter=2 must be at least 8"):
        warm.set_params(max_iter=2).fit(*CANCER)


def test_early_stopping_holds_rows_out_and_stops():
    model = classes(max_iter=300, early_stopping=True, learning_rate=0.3, n_iter_no_change=5).fit(*CANCER)
    assert model.n_iter_ < 100
    assert model.validation_score_.size == model.n_iter_ + 1
    assert model.validation_score_.argmin() == model.n_iter_ - 5


@pytest.mark.parametrize("split", ["axis", "newton"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_monotonic_feature_never_turns(split, sign):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 3))
    y = sign * X[:, 0] + np.sin(9 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=300)
    free = numbers(split=split, max_iter=40).fit(X, y)
    bound = numbers(split=split, max_iter=40, monotonic_cst=[sign, 0, 0]).fit(X, y)
    assert not rises(free, X, sign)
    assert rises(bound, X, sign)
    assert bound.score(X, y) > 0.3
    if split == "newton":
        assert any((np.diff(tree.feature_start) > 1).any() for tree in bound.trees_)


def rises(model, X, sign):
    """Whether the prediction never falls (of a sign of -1, never rises) with the first feature."""
    grid = np.repeat(X[:30, None, :], 50, axis=1)
    grid[:, :, 0] = np.linspace(0, 1, 50)
    return bool((sign * np.diff(model.predict(grid.reshape(-1, 3)).reshape(30, 50)) >= -1e-12).all())


@pytest.mark.parametrize(
    ("data", "cst", "message"),
    [
        (IRIS, [1, 0, 0, 0], "more classes have no order"),
        (CANCER, [1], "for each of 30 features"),
        (CANCER, {"size": 1}, "no feature of X"),
    ],
)
def test_monotonic_constraints_that_make_no_sense_are_refused(data, cst, message):
    with pytest.raises(ValueError, match=message):
        classes(monotonic_cst=cst).fit(*data)


def test_it_comes_back_from_a_file(tmp_path):
    for data in (IRIS, CANCER):
        model = classes().fit(*data)
        again = through_file(model, tmp_path)
        assert (again.predict_proba(data[0]) == model.predict_proba(data[0])).all()
        assert (again.train_score_ == model.train_score_).all()


def test_trees_hold_what_they_add():
    model = numbers(max_iter=3).fit(*DIABETES)
    added = sum(tree.predict(DIABETES[0]) for tree in model.estimators_) + model.baseline_[0]
    np.testing.assert_allclose(model.predict(DIABETES[0]), added)
    assert model.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("parameters", [{"max_bins": 256}, {"subsample": 0.0}, {"loss": "hinge"}, {"quantile": 1.0}])
def test_parameters_out_of_range_are_refused(parameters):
    with pytest.raises(InvalidParameterError):
        numbers(**parameters).fit(*DIABETES)
