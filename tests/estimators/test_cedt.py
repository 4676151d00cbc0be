import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_blobs

from askew import CEDTClassifier, CEDTRegressor, InvalidParameterError, ObliqueTreeClassifier
from askew.grow.criterion import CLASSIFICATION


@pytest.mark.parametrize("criterion", CLASSIFICATION)
def test_the_tree_is_the_same_for_every_n_jobs(criterion):
    X, y = make_blobs(2500, 12, centers=5, cluster_std=6.0, random_state=0)
    one, three = (
        CEDTClassifier(criterion=criterion, max_depth=4, random_state=1, n_jobs=n).fit(X, y).tree_ for n in (1, 3)
    )
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, three.arrays()[name], err_msg=name)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_regression_tree_is_better_than_its_first_leaf(criterion):
    X, y = load_diabetes(return_X_y=True)
    model = CEDTRegressor(criterion=criterion, max_depth=3, random_state=0).fit(X, y)
    loss = np.mean if criterion == "squared_error" else np.median
    alone = np.abs(y - loss(y)).mean()
    assert np.abs(y - model.predict(X)).mean() < 0.8 * alone
    leaf = model.apply(X)
    for number in np.unique(leaf):
        value, inside = model.tree_.value[number, 0], np.sort(y[leaf == number])
        expected = inside.mean() if criterion == "squared_error" else inside[(inside.size - 1) // 2]
        np.testing.assert_allclose(value, expected)


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    X, y = load_wine(return_X_y=True)
    times = rng.integers(1, 4, len(y))
    weighted = CEDTClassifier(random_state=3).fit(X, y, sample_weight=times)
    repeated = CEDTClassifier(random_state=3).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_array_equal(weighted.tree_.coef, repeated.tree_.coef)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_no_leaf_is_below_the_limits_on_samples_and_weight(criterion):
    X, y = load_wine(return_X_y=True)
    made = CEDTClassifier if criterion == "gini" else CEDTRegressor
    weight = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    limits = {"min_samples_leaf": 9, "min_weight_fraction_leaf": 0.08}
    tree = made(criterion=criterion, random_state=0, **limits).fit(X, y, sample_weight=weight).tree_
    assert tree.n_leaves > 2
    assert tree.n_samples.min() >= 9
    assert tree.mass.min() >= 0.08 * weight.sum()


def test_nodes_below_four_samples_are_leaves():
    X, y = load_iris(return_X_y=True)
    tree = CEDTClassifier(random_state=0).fit(X, y).tree_
    assert tree.n_samples[~tree.is_leaf].min() >= 4


def test_pruning_holds_rows_out():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    noisy = np.where(rng.uniform(size=y.size) < 0.2, rng.integers(0, 3, y.size), y)
    whole, pruned = (CEDTClassifier(pruning=p, random_state=0).fit(X, noisy) for p in (None, "cost_complexity"))
    assert pruned.get_n_leaves() < whole.get_n_leaves()


def test_no_trace_is_kept_unless_asked_for():
    X, y = load_iris(return_X_y=True)
    model = CEDTClassifier(trace=True, random_state=0).fit(X, y)
    assert len(model.trace_) >= model.get_n_leaves() - 1
    first = model.trace_[0]
    assert first.kappa[0] == 0
    assert not first.mu[0].any()
    assert first.mu.shape == (first.gamma.size, first.features.size + 1)
    assert not hasattr(model.set_params(trace=False).fit(X, y), "trace_")


def test_a_tree_that_is_pruned_afterwards_keeps_its_trace():
    X, y = load_wine(return_X_y=True)
    model = CEDTClassifier(trace=True, max_depth=3, random_state=0).fit(X, y)
    n = len(model.trace_)
    assert n > 0
    assert len(model.pruned("cost_complexity", X, y).trace_) == len(model.trace_) == n


def test_a_search_by_name_is_the_estimator_s():
    X, y = load_iris(return_X_y=True)
    named = ObliqueTreeClassifier(search="cross_entropy", min_samples_split=4, random_state=5).fit(X, y)
    np.testing.assert_array_equal(named.tree_.coef, CEDTClassifier(random_state=5).fit(X, y).tree_.coef)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_samples", 1),
        ("rho", 0.0),
        ("rho", 1.0),
        ("alpha", 0.0),
        ("alpha", 1.5),
        ("patience", 0),
        ("kappa_estimator", "sra"),
        ("normalize", "other"),
        ("feature_reduction", "always"),
        ("univariate", 1),
        ("trace", "yes"),
    ],
)
def test_a_parameter_out_of_range_is_named(name, value):
    with pytest.raises(InvalidParameterError, match=name):
        CEDTClassifier(**{name: value}).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("normalize", ["robust", "minmax", "standard", None])
@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e-308, 1.0])
def test_values_at_the_ends_of_the_range_give_finite_weights(normalize, scale):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(40, 3)) * [scale, 1.0, 1e12]
    y = rng.integers(0, 2, 40)
    model = CEDTClassifier(normalize=normalize, random_state=0).fit(X, y)
    assert np.isfinite(model.tree_.weight).all()
    assert np.isfinite(model.tree_.threshold).all()
    assert model.get_n_leaves() > 1


@pytest.mark.parametrize("normalize", ["robust", "minmax", "standard", None])
def test_rows_that_cannot_be_told_apart_are_a_leaf(normalize):
    model = CEDTClassifier(normalize=normalize).fit(np.full((10, 2), 3.0), np.arange(10) % 2)
    assert model.get_n_leaves() == 1
