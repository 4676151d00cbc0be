"""Linear leaves: what the models are, what they are shrunk to, and what must not change them."""

import copy
import json
import pickle

import json_predictor
import numpy as np
import pytest
from reference.leaves import ridge_models, root_logistic
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_regression
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from strategies import make_table
from threads import threads_on_small_data

import askew
from askew import APDTClassifier, C45Classifier, CARTClassifier, CARTRegressor, KDTClassifier, ObliqueTreeRegressor
from askew.model.leaf_values import Constant, Linear, class_shares
from askew.model.linear_leaves import fit_leaf_models, without_models
from askew.parameters import InvalidParameterError
from askew.prune import CostComplexity, LearningAutomata


def diabetes(n=200, d=6):
    X, y = load_diabetes(return_X_y=True)
    return X[:n, :d], y[:n]


def wine(n=120, d=4):
    X, y = load_wine(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    return X[rows][:, :d], y[rows]


BOTH = pytest.mark.parametrize(
    ("cls", "data"), [(CARTRegressor, diabetes), (CARTClassifier, wine)], ids=["numbers", "classes"]
)


def outputs(model, X):
    return model.tree_.outputs(model.encoded(X))


# --- what they are


@pytest.mark.parametrize(("n", "d"), [(200, 6), (60, 10)])
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_models_are_those_of_the_reference(n, d, weighted):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:n, :d], y[:n]
    weight = np.random.default_rng(1).integers(1, 4, n).astype(float) if weighted else np.ones(n)
    table = make_table(X, y, weight, n_classes=0)
    tree = CARTRegressor(max_leaf_nodes=5, min_samples_leaf=8).fit(X, y, weight).tree_
    payload = fit_leaf_models(tree, table).payload
    for node, (w, constant, loss) in enumerate(ridge_models(tree, X, y, weight, np.ones(n))):
        model = payload.model(node)
        found = np.zeros(d)
        if model is not None:
            found[model[0]] = model[1][:, 0]
        np.testing.assert_allclose(found, w, atol=1e-5 * max(np.abs(w).max(), 1e-9))
        assert payload.model_constant[node, 0] == pytest.approx(constant, rel=1e-6)
        assert payload.model_loss[node] == pytest.approx(loss, rel=1e-6)


def test_more_columns_than_rows_are_fitted_by_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 50))
    y = X[:, :5].sum(axis=1)
    table = make_table(X, y, np.ones(30), n_classes=0)
    tree = CARTRegressor(max_leaf_nodes=2, min_samples_leaf=12).fit(X, y).tree_
    payload = fit_leaf_models(tree, table).payload
    for node, (w, _, loss) in enumerate(ridge_models(tree, X, y, np.ones(30), np.ones(30))):
        assert payload.model_loss[node] == pytest.approx(loss, rel=1e-5)
        if (w != 0).any():
            np.testing.assert_allclose(payload.model(node)[1][:, 0], w, atol=1e-5 * np.abs(w).max())


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_multinomial_model_is_that_of_the_reference(n_classes, weighted):
    X, y = wine()
    y = np.minimum(y, n_classes - 1)
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    model = CARTClassifier(leaf_model="linear", pruning=CostComplexity(ccp_alpha=1e9)).fit(X, y, weight)
    w, constants, _, errors = root_logistic(X, y, weight, weight, n_classes)
    sums = X @ w + constants
    expected = np.exp(sums - sums.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), atol=2e-3)
    assert model.tree_.payload.model_loss[0] == pytest.approx(errors, abs=0.01)


def test_one_leaf_is_a_ridge_line():
    X, y = load_diabetes(return_X_y=True)
    tree = CARTRegressor(leaf_model="linear", max_depth=1, pruning=CostComplexity(ccp_alpha=1e9)).fit(X, y)
    assert tree.get_n_leaves() == 1
    assert tree.score(X, y) == pytest.approx(0.515, abs=0.01)


def test_a_linear_target_is_found_exactly():
    X, y = make_regression(200, 5, noise=0.0, random_state=0)
    tree = CARTRegressor(max_leaf_nodes=4, leaf_model="linear").fit(X, y)
    np.testing.assert_allclose(tree.predict(X), y, atol=1e-3 * np.abs(y).max())


def test_a_leaf_where_no_model_helps_stays_constant():
    kept = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 8)), rng.normal(size=40)
        tree = CARTRegressor(leaf_model="linear", max_depth=1, pruning=CostComplexity(ccp_alpha=1e9)).fit(X, y).tree_
        kept += tree.payload.model(0) is not None
        assert kept or np.ptp(tree.predict(X)) == 0
    assert kept <= 6


def test_what_is_predicted_stays_within_the_range_of_the_leaf_and_a_tenth():
    X = np.arange(40.0)[:, None]
    tree = CARTRegressor(leaf_model="linear", max_depth=1, pruning=CostComplexity(ccp_alpha=1e9)).fit(X, 2 * X[:, 0])
    np.testing.assert_allclose(tree.predict([[1e300], [-1e300]]), [78 * 1.1, -7.8])


def test_probabilities_of_linear_leaves_are_better_than_frequencies():
    X, y = load_breast_cancer(return_X_y=True)
    loss = {}
    for kind in ("constant", "linear"):
        model = CARTClassifier(max_leaf_nodes=3, leaf_model=kind)
        found = cross_val_predict(model, X, y, cv=3, method="predict_proba")[:, 1]
        loss[kind] = log_loss(y, np.clip(found, 1e-3, 1 - 1e-3))
    assert loss["linear"] < 0.6 * loss["constant"]


# --- what must not change them


@BOTH
def test_a_weight_of_two_is_the_row_twice(cls, data):
    X, y = data()
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    a = cls(max_leaf_nodes=3, leaf_model="linear").fit(X, y, weight)
    b = cls(max_leaf_nodes=3, leaf_model="linear").fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(outputs(a, X), outputs(b, X), rtol=1e-6, atol=1e-6)


@BOTH
def test_neither_the_order_of_rows_nor_the_scale_of_weights_matters(cls, data):
    X, y = data()
    order = np.random.default_rng(0).permutation(len(y))
    a = cls(max_leaf_nodes=3, leaf_model="linear").fit(X, y)
    b = cls(max_leaf_nodes=3, leaf_model="linear").fit(X[order], y[order], np.full(len(y), 0.37))
    shares = [class_shares(found) if cls is CARTClassifier else found for found in (outputs(a, X), outputs(b, X))]
    np.testing.assert_allclose(shares[0], shares[1], rtol=1e-6, atol=1e-6)


@BOTH
def test_units_of_the_features_do_not_matter(cls, data):
    X, y = data()
    factor = np.array([1e-3, 7.0, 1e5, 2.0, 30.0, 0.1])[: X.shape[1]]
    a = cls(max_leaf_nodes=3, leaf_model="linear").fit(X, y)
    b = cls(max_leaf_nodes=3, leaf_model="linear").fit(X * factor + 5, y)
    np.testing.assert_allclose(outputs(a, X), outputs(b, X * factor + 5), rtol=1e-6, atol=1e-6)


@BOTH
def test_the_models_are_the_same_for_every_number_of_threads(cls, data):
    X, y = data()
    with threads_on_small_data():
        one, two = (cls(max_leaf_nodes=8, leaf_model="linear", n_jobs=n).fit(X, y).tree_ for n in (1, 3))
    assert one == two


@BOTH
@pytest.mark.parametrize("strange", ["constant", "collinear", "huge", "tiny", "few rows"])
def test_strange_columns_give_finite_predictions(cls, data, strange):
    X, y = data(40)
    more = {
        "constant": np.full(40, 3.0),
        "collinear": X[:, 0] * 2 + 1,
        "huge": X[:, 0] * 1e139,
        "tiny": X[:, 0] * 1e-200,
        "few rows": X[:, 0],
    }[strange]
    X = np.column_stack([X, more, more])
    if strange == "few rows":
        X, y = X[:4], y[:4]
    model = cls(leaf_model="linear", max_leaf_nodes=4).fit(X, y)
    assert np.isfinite(outputs(model, X)).all()
    assert np.isfinite(outputs(model, X * 3)).all()


# --- they travel with the tree


@BOTH
def test_a_subtree_has_the_models_of_its_leaves(cls, data):
    X, y = data()
    tree = cls(leaf_model="linear", max_leaf_nodes=6).fit(X, y).tree_
    small = tree.collapse(tree.first_child[:1])
    assert isinstance(small.payload, Linear)
    kept = small.payload.model(1)
    np.testing.assert_array_equal(kept[1], tree.payload.model(int(tree.first_child[0]))[1])


@BOTH
def test_they_are_saved_copied_and_pickled(cls, data, tmp_path):
    X, y = data()
    model = cls(leaf_model="linear", max_leaf_nodes=4).fit(X, y)
    askew.save(model, tmp_path / "m.askew")
    for other in (askew.load(tmp_path / "m.askew"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other.tree_ == model.tree_
        np.testing.assert_array_equal(outputs(other, X), outputs(model, X))


@BOTH
def test_a_program_that_reads_json_predicts_the_same(cls, data):
    X, y = data()
    model = cls(leaf_model="linear", max_leaf_nodes=4).fit(X, y)
    document = json.loads(askew.export_json(model))
    assert document["version"] == 2
    predicted = [json_predictor.predict(document, row) for row in X.tolist()]
    np.testing.assert_allclose(predicted, model.predict(X), rtol=1e-12)


def test_a_leaf_reads_as_an_equation():
    X = np.arange(30.0)[:, None]
    model = CARTRegressor(leaf_model="linear", max_depth=1, pruning=CostComplexity(ccp_alpha=1e9)).fit(X, 3 * X[:, 0])
    (leaf,) = askew.export_text(model, feature_names=["length"]).splitlines()[1:]
    assert leaf.startswith("=> 3 length")
    assert ", from -8.7 to 95.7" in leaf


def test_the_leaf_of_two_classes_reads_as_an_inequality_and_of_more_as_sums():
    X, y = load_iris(return_X_y=True)
    root = CostComplexity(ccp_alpha=1e9)
    two = CARTClassifier(leaf_model="linear", pruning=root).fit(X[50:], y[50:])
    text = askew.export_text(two)
    assert "=> 2 if " in text
    assert " > 0," in text
    assert "else 1" in text
    three = CARTClassifier(leaf_model="linear", pruning=root).fit(X, y)
    text = askew.export_text(three, class_names=["a", "b", "c"]).splitlines()
    assert text[1].startswith("=> the class with the largest of 3 sums")
    assert [line.split(":")[0].strip() for line in text[2:]] == ["a", "b", "c"]


def test_pruning_goes_by_the_loss_of_the_models():
    X, y = load_diabetes(return_X_y=True)
    folds = CostComplexity(cv=5, tolerance=1.0)
    model = CARTRegressor(leaf_model="linear", min_samples_leaf=20, pruning=folds, random_state=0).fit(X, y)
    assert model.get_n_leaves() == 1
    assert model.score(X, y) > 0.5


def test_a_fitted_tree_is_pruned_with_its_models():
    X, y = diabetes()
    model = CARTRegressor(leaf_model="linear", min_samples_leaf=10).fit(X, y)
    small = model.pruned(CostComplexity(ccp_alpha=1e9), X, y)
    assert small.get_n_leaves() == 1
    assert isinstance(small.tree_.payload, Linear)


@BOTH
def test_a_refined_tree_has_linear_leaves_and_is_not_worse(cls, data):
    X, y = data()
    model = cls(leaf_model="linear", max_leaf_nodes=3).fit(X, y)
    refined = askew.refine(model, X, y)
    assert isinstance(refined.tree_.payload, Linear)
    assert refined.score(X, y) >= model.score(X, y) - 1e-12


# --- with every kind of tree


def test_a_row_with_missing_values_gets_the_value_of_its_leaf():
    X, y = wine()
    model = C45Classifier(leaf_model="linear", min_cases=20).fit(X, y)
    assert isinstance(model.tree_.payload, Linear)
    gone = X.copy()
    gone[::3, 0] = np.nan
    assert np.isfinite(model.predict_proba(gone)).all()
    assert C45Classifier(leaf_model="linear").fit(gone, y).score(X, y) > 0.8


def test_columns_of_codes_have_no_weights():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 200), rng.normal(size=200)])
    y = (X[:, 1] > 0).astype(int)
    model = C45Classifier(leaf_model="linear", categorical_features=[0], pruning=None).fit(X, y)
    assert set(model.tree_.payload.model_feature.tolist()) <= {1}
    only = C45Classifier(leaf_model="linear", categorical_features=[0]).fit(X[:, :1], y)
    assert isinstance(only.tree_.payload, Constant)


def test_votes_and_trees_for_each_class_take_linear_leaves():
    X, y = wine()
    vote = KDTClassifier(estimator=CARTClassifier(leaf_model="linear", max_depth=2), n_estimators=2).fit(X, y)
    assert vote.score(X, y) > 0.8
    each = APDTClassifier(leaf_model="linear", multiclass="one_vs_rest", max_depth=1, random_state=0).fit(X, y)
    assert each.score(X, y) > 0.8


def test_rule_networks_and_files_of_oc1_refuse_linear_leaves(tmp_path):
    X, y = wine()
    with pytest.raises(InvalidParameterError, match="'leaf_model' parameter must be 'constant' with LearningAutomata"):
        CARTClassifier(leaf_model="linear", pruning=LearningAutomata()).fit(X, y)
    model = CARTClassifier(leaf_model="linear", max_leaf_nodes=3).fit(X, y)
    with pytest.raises(ValueError, match="use leaf_model='constant'"):
        model.pruned(LearningAutomata(), X, y)


def test_without_models_the_leaves_are_constants_again():
    X, y = diabetes()
    with_models = CARTRegressor(leaf_model="linear", max_leaf_nodes=4).fit(X, y)
    plain = CARTRegressor(max_leaf_nodes=4).fit(X, y)
    bare = without_models(with_models.tree_)
    np.testing.assert_array_equal(bare.predict(X), plain.predict(X))


def test_a_piecewise_linear_function_needs_two_leaves():
    X = np.random.default_rng(0).normal(size=(300, 2))
    y = np.abs(X[:, 0]) + 0.5 * X[:, 1]
    model = ObliqueTreeRegressor(search="piecewise", leaf_model="linear", max_leaf_nodes=2).fit(X, y)
    assert model.score(X, y) > 0.97
