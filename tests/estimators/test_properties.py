"""What must not change a tree: the order of rows and columns, units, and how repetition is written down."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference.axis import all_cuts
from registry import CLASSIFIERS, ESTIMATORS, REGRESSORS, accepts, grows_the_whole_tree, plain
from strategies import make_table, noisy_data, seeds, tables

from askew import CARTClassifier, CARTLCClassifier, CARTRegressor, CEDTClassifier, OC1Classifier
from askew.prune import CostComplexity

PRUNERS = [
    None,
    CostComplexity(fraction=0.3),
    CostComplexity(cv=3, tolerance=1.0),
    CostComplexity(ccp_alpha=0.02),
]
prunings = pytest.mark.parametrize("pruning", PRUNERS, ids=["none", "held out", "folds", "alpha"])
limits = st.fixed_dictionaries(
    {
        "max_depth": st.none() | st.integers(1, 5),
        "min_samples_leaf": st.integers(1, 4) | st.just(0.1),
        "min_samples_split": st.integers(2, 6),
        "max_leaf_nodes": st.none() | st.integers(2, 9),
    }
)
both = pytest.mark.parametrize("cls", [CARTClassifier, CARTRegressor], ids=lambda cls: cls.__name__)


def fitted(cls, X, y, weight=None, **parameters):
    return plain(cls, **parameters).fit(X, y, weight)


def same_tree(a, b):
    """The same nodes; feature_importances_ and the like may differ in their last bits."""
    return all(
        np.array_equal(getattr(a.tree_, name), getattr(b.tree_, name))
        for name in ("kind", "first_child", "feature", "weight", "threshold", "value", "n_samples", "mass")
    )


def has_one_best_cut(model, X, y, weight):
    """Whether at every inner node all best cuts part the rows alike (equally good ones go by the order)."""
    classification = isinstance(model, CARTClassifier)
    table = make_table(X, y, weight, n_classes=int(y.max()) + 1 if classification else 0)
    passed = model.decision_path(X).toarray().astype(bool)
    for node in np.flatnonzero(~model.tree_.is_leaf):
        cuts = all_cuts(table, np.flatnonzero(passed[:, node]), model.criterion)
        best = min(float(cut.score) for cut in cuts)
        if len({cut.left for cut in cuts if float(cut.score) <= best + 1e-9}) > 1:
            return False
    return True


# --- order and units


@both
@prunings
@given(table=tables(weighted=False), bounds=limits, seed=seeds)
def test_the_order_of_the_rows_does_not_matter(cls, pruning, table, bounds, seed):
    order = np.random.default_rng(seed).permutation(table.n_rows)
    a = fitted(cls, table.X, table.y, pruning=pruning, **bounds)
    b = fitted(cls, table.X[order], table.y[order], pruning=pruning, **bounds)
    assert same_tree(a, b)


@both
@given(seed=seeds)
def test_the_order_of_the_features_does_not_matter(cls, seed):
    X, y, weight = noisy_data(seed, n=40)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    a = fitted(cls, X, y, weight, max_depth=2)
    assume(has_one_best_cut(a, X, y, weight))
    b = fitted(cls, X[:, order], y, weight, max_depth=2)
    np.testing.assert_array_equal(a.predict(X), b.predict(X[:, order]))


@both
@pytest.mark.parametrize("pruning", [None, CostComplexity(ccp_alpha=0.02)], ids=["none", "alpha"])
@given(table=tables(), new=tables(), scale=st.sampled_from([2.0**-30, 0.25, 8.0, 2.0**40]), shift=st.integers(-99, 99))
def test_units_do_not_matter(cls, pruning, table, new, scale, shift):
    """Powers of two and whole numbers: exact in binary, so that predictions are equal to the last bit.

    Rows are held out by a hash of their values, so that pruning with held-out rows does depend on units.
    """

    def change(X):
        return scale * (X + shift)

    a = fitted(cls, table.X, table.y, table.weight, pruning=pruning)
    b = fitted(cls, change(table.X), table.y, table.weight, pruning=pruning)
    unseen = np.zeros((new.n_rows, table.n_features))
    shared = min(table.n_features, new.n_features)
    unseen[:, :shared] = new.X[:, :shared]
    np.testing.assert_array_equal(a.predict(unseen), b.predict(change(unseen)))


# --- weights


@both
@prunings
@given(data=st.data(), bounds=limits)
def test_a_weight_of_two_is_the_row_twice(cls, pruning, data, bounds):
    table = data.draw(tables(classification=cls in CLASSIFIERS))
    weight = table.weight.astype(int)
    weighted = fitted(cls, table.X, table.y, weight, pruning=pruning, **bounds)
    repeated = fitted(cls, np.repeat(table.X, weight, axis=0), np.repeat(table.y, weight), pruning=pruning, **bounds)
    assert same_tree(weighted, repeated)


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("seed", [0, 2])
def test_a_weight_of_two_is_the_row_twice_for_every_search(cls, seed):
    rng = np.random.default_rng(seed)
    X, y, weight = rng.normal(size=(30, 3)), rng.integers(0, 3, 30), rng.integers(1, 4, 30)
    shapes = {"max_depth": 3, "min_samples_leaf": 3}
    weighted = fitted(cls, X, y, weight, **shapes)
    repeated = fitted(cls, np.repeat(X, weight, axis=0), np.repeat(y, weight), **shapes)
    new = rng.normal(size=(300, 3))
    np.testing.assert_allclose(weighted.predict(new), repeated.predict(new), rtol=1e-12)


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("how", [{}, {"pruning": PRUNERS[1]}], ids=["none", "held out"])
@given(table=tables(weighted=False), seed=seeds)
def test_a_weight_of_zero_is_an_absent_row(cls, how, table, seed):
    if not accepts(cls, **how):
        pytest.skip("AutoTree has no pruning")
    weight = np.random.default_rng(seed).integers(0, 2, size=table.n_rows)
    weight[0] = 1
    present = weight > 0
    zeros = fitted(cls, table.X, table.y, weight, **how)
    absent = fitted(cls, table.X[present], table.y[present], **how)
    assert zeros.tree_ == absent.tree_
    if cls in CLASSIFIERS:
        np.testing.assert_array_equal(zeros.classes_, absent.classes_)


@pytest.mark.parametrize("cls", [*filter(grows_the_whole_tree, CLASSIFIERS)], ids=lambda cls: cls.__name__)
@given(table=tables(), by_class=st.lists(st.integers(1, 5), min_size=4, max_size=4))
def test_class_weights_are_sample_weights(cls, table, by_class):
    """But for what counts samples: the limits, of which there are none here; CE-DT's planes; the scale of columns.

    AutoTree's standard errors count samples too.
    """
    scales = {CEDTClassifier: {"n_samples": 100, "normalize": None}, OC1Classifier: {"normalize": None}}
    draws = {**scales, CARTLCClassifier: {"normalize": False}}.get(cls, {})
    weights = {int(c): by_class[c] for c in np.unique(table.y)}
    by_row = np.array([weights[int(c)] for c in table.y])
    a = fitted(cls, table.X, table.y, table.weight, class_weight=weights, **draws).tree_
    b = fitted(cls, table.X, table.y, table.weight * by_row, **draws).tree_
    for name in ("kind", "feature", "threshold", "value", "mass", "impurity"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@given(table=tables())
def test_balanced_weights_give_each_class_the_same_mass(table):
    tree = fitted(CARTClassifier, table.X, table.y, table.weight, class_weight="balanced").tree_
    np.testing.assert_allclose(tree.value[0], tree.mass[0] / tree.value.shape[1])


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_a_class_of_weight_zero_is_never_predicted(cls):
    X, y, _ = noisy_data(0)
    model = fitted(cls, X, y, class_weight={0: 0.0})
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(proba[:, 0], 0)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    others = fitted(cls, X[y > 0], y[y > 0])
    np.testing.assert_array_equal(model.predict(X), others.predict(X))


# --- predictions


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
@given(table=tables(), bounds=limits)
def test_probabilities_sum_to_one_and_agree_with_the_prediction(cls, table, bounds):
    own = {name: bound for name, bound in bounds.items() if accepts(cls, **{name: bound})}
    model = fitted(cls, table.X, table.y, table.weight, **own)
    proba = model.predict_proba(table.X)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)
    assert (proba >= 0).all()
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(table.X))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(table.X), np.log(proba))


@pytest.mark.parametrize("cls", REGRESSORS, ids=lambda cls: cls.__name__)
@given(table=tables(classification=False))
def test_a_regression_tree_predicts_the_mean_of_each_leaf(cls, table):
    model = fitted(cls, table.X, table.y, table.weight, max_depth=2)
    leaf = model.apply(table.X)
    for node in np.unique(leaf):
        here = leaf == node
        expected = np.average(table.y[here], weights=table.weight[here])
        np.testing.assert_allclose(model.predict(table.X)[here], expected)
