"""`askew.shapley`: against the definition, interventional TreeSHAP, and the package shap."""

import numpy as np
import pandas as pd
import pytest
from handmade import chain_tree, mixed_tree, tree_of, with_tree
from hypothesis import given
from hypothesis import strategies as st
from reference.shapley import shapley as by_definition
from reference.shapley import tree_shap
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threads import threads_on_small_data

import askew
from askew.model.split import Hyperplane
from askew.parameters import InvalidParameterError

X, Y = load_diabetes(return_X_y=True)
WINE, CULTIVAR = load_wine(return_X_y=True)
WINE = WINE[:, :8]

MODELS = {
    "axis": askew.CARTClassifier(max_leaf_nodes=8),
    "oblique": askew.OC1Classifier(random_state=0, max_leaf_nodes=6, pruning=None),
    "machine": askew.LMDTClassifier(random_state=0),
    "smoothed": askew.CARTLCClassifier(max_leaf_nodes=5, smoothing="laplace"),
    "linear leaves": askew.CARTClassifier(max_leaf_nodes=3, leaf_model="linear"),
    "forest": askew.ObliqueForestClassifier(n_estimators=4, random_state=0),
    "vote": askew.KDTClassifier(askew.SADTClassifier(max_depth=2), n_estimators=3, random_state=0),
    "auto": askew.AutoTreeClassifier(effort="low", random_state=0),
}


@pytest.mark.extended
@pytest.mark.parametrize("name", MODELS)
def test_exact_values_are_those_of_the_definition(name):
    model = MODELS[name].fit(WINE, CULTIVAR)
    rows, background = WINE[[0, 70, 177]], WINE[5:170:20]
    found = askew.shapley(model, rows, background)
    assert found.exact.all()
    assert (found.standard_error == 0).all()
    for values, x in zip(found.values, rows, strict=True):
        expected = by_definition(model.predict_proba, x, background)
        assert values == pytest.approx(expected, abs=1e-12)
    assert found.base_value == pytest.approx(model.predict_proba(background).mean(axis=0))


REGRESSORS = {
    "oblique": askew.CARTLCRegressor(max_leaf_nodes=8),
    "linear leaves": askew.CARTRegressor(max_leaf_nodes=3, leaf_model="linear"),
    "forest": askew.ObliqueForestRegressor(n_estimators=3, max_depth=3, random_state=0),
    "boosting": askew.ObliqueBoostingRegressor(max_iter=4, max_leaf_nodes=6, random_state=0),
}


@pytest.mark.extended
@pytest.mark.parametrize("name", REGRESSORS)
def test_numbers_are_explained_too(name):
    model = REGRESSORS[name].fit(X, Y)
    found = askew.shapley(model, X[:2], X[100:105])
    assert found.values.shape == (2, 10)
    for values, x in zip(found.values, X, strict=False):
        assert values == pytest.approx(
            by_definition(lambda r: model.predict(r)[:, None], x, X[100:105])[:, 0], abs=1e-9
        )


def test_boosting_of_classes_is_explained_as_log_odds():
    y = CULTIVAR == 1
    model = askew.ObliqueBoostingClassifier(max_iter=3, max_leaf_nodes=4, random_state=0).fit(WINE, y)
    found = askew.shapley(model, WINE[:2], WINE[::30])
    assert found.output_names is None
    assert "logit" in found.explained
    expected = by_definition(lambda r: model.decision_function(r)[:, None], WINE[0], WINE[::30])
    assert found.values[0] == pytest.approx(expected[:, 0], abs=1e-12)
    several = askew.ObliqueBoostingClassifier(max_iter=2, max_leaf_nodes=4, random_state=0).fit(WINE, CULTIVAR)
    found = askew.shapley(several, WINE[:2], WINE[::30])
    total = found.values.sum(axis=1) + found.base_value
    assert total == pytest.approx(several.decision_function(WINE[:2]))


def test_axis_parallel_trees_have_the_values_of_interventional_treeshap():
    rng = np.random.default_rng(0)
    wide = np.column_stack([X, rng.normal(size=(len(X), 30))])  # far too many features for all coalitions
    tree = askew.CARTRegressor(max_leaf_nodes=60).fit(wide, Y + 50 * wide[:, 20])
    rows, background = wide[:5], wide[200:220]
    found = askew.shapley(tree, rows, background)
    assert found.exact.all()
    for values, x in zip(found.values, rows, strict=True):
        assert values == pytest.approx(tree_shap(tree.tree_, x, background)[:, 0], abs=1e-9)


def test_the_categories_of_a_feature_move_together():
    rng = np.random.default_rng(1)
    n = 150
    frame = pd.DataFrame({"size": rng.normal(size=n), "age": rng.integers(1, 9, n), "hue": rng.choice(list("abcd"), n)})
    frame.loc[::9, "size"] = np.nan
    y = np.where((frame["hue"] > "b") ^ (frame["size"].fillna(0) + frame["age"] > 5), "yes", "no")
    for tree in (
        askew.CARTLCClassifier(max_leaf_nodes=6, missing="indicator", random_state=711142127),
        askew.C45Classifier(missing="mean", random_state=0),
    ):
        tree.fit(frame, y)
        found = askew.shapley(tree, frame[:3], frame[100:110])
        assert found.feature_names == ["size", "age", "hue"]
        columns, others = tree.encoded(frame[:3]), tree.encoded(frame[100:110])
        for values, x in zip(found.values, columns, strict=True):
            expected = by_definition(tree.proba_encoded, x, others, tree.encoder_.origin)
            assert values == pytest.approx(expected, abs=1e-12)


def test_two_categories_of_equal_weight_are_a_part_of_the_sum_that_does_not_change():
    frame = pd.DataFrame({"size": [0.0, 1.0] * 3, "hue": list("aabbcc")})
    tree = askew.CARTClassifier().fit(frame, [0, 1] * 3)
    split = Hyperplane([0, 1, 2], [1.0, 1.0, 1.0], 1.5)  # size + [hue is a or b]
    tree.tree_ = tree_of([split, None, None], [1, 0, 0], [[3, 3], [3, 0], [0, 3]], 4)
    found = askew.shapley(tree, frame[1:2], frame[2:3])
    assert found.values[0, :, 1].tolist() == [1.0, 0.0]
    sampled = askew.shapley(tree, frame[1:2], frame[2:3], method="sampled")
    assert sampled.values[0, :, 1].tolist() == [1.0, 0.0]


@given(st.integers(0, 10_000))
def test_random_planes_over_whole_numbers_agree_with_the_definition_on_the_planes_too(seed):
    # Many mixtures of such rows lie on a plane to the last bit.
    rng = np.random.default_rng(seed)
    d = 5
    splits = [Hyperplane.dense(rng.integers(-2, 3, d) * 0.1, rng.integers(-3, 4) * 0.1) for _ in range(3)]
    value = rng.integers(1, 9, (7, 2))
    tree = with_tree(tree_of([*splits, *[None] * 4], [1, 3, 5, 0, 0, 0, 0], value, d))
    rows = rng.integers(-3, 4, (4, d)).astype(float)
    found = askew.shapley(tree, rows[:1], rows[1:])
    assert found.values[0] == pytest.approx(by_definition(tree.predict_proba, rows[0], rows[1:]), abs=1e-12)


def test_all_kinds_of_split_have_exact_values():
    tree = with_tree(mixed_tree())
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=(12, 2)), rng.integers(-1, 4, 12)])
    found = askew.shapley(tree, rows, rows)
    for values, x in zip(found.values, rows, strict=True):
        assert values == pytest.approx(by_definition(tree.predict_proba, x, rows), abs=1e-12)


def test_sampled_values_are_as_far_off_as_their_standard_error_says():
    model = MODELS["oblique"].fit(WINE, CULTIVAR)
    rows, background = WINE[60:130:5], WINE[5:170:20]
    exact = askew.shapley(model, rows, background)
    found = askew.shapley(model, rows, background, method="sampled", n_permutations=64)
    assert not found.exact.all()
    off, error = found.values - exact.values, found.standard_error
    assert 0.7 < np.sqrt(np.mean(off**2) / np.mean(error**2)) < 1.4
    assert found.values.sum(axis=1) == pytest.approx(exact.values.sum(axis=1))  # whatever the permutations
    finer = askew.shapley(model, rows, background, method="sampled", n_permutations=1024)
    assert finer.standard_error.max() < 0.5 * error.max()


def test_sampled_linear_leaves_and_machines_agree_with_exact_values():
    for name in ("machine", "linear leaves"):
        model = MODELS[name].fit(WINE, CULTIVAR)
        exact = askew.shapley(model, WINE[60:64], WINE[::20])
        found = askew.shapley(model, WINE[60:64], WINE[::20], method="sampled")
        assert (np.abs(found.values - exact.values) <= 5 * found.standard_error + 1e-9).all()


def test_what_would_take_too_long_is_sampled():
    model = MODELS["oblique"].fit(WINE, CULTIVAR)
    found = askew.shapley(model, WINE[60:70], WINE[::20], max_branches=1)
    assert not found.exact.all()
    assert "sampled" in repr(found)
    assert found.standard_error.max() > 0


def test_values_are_the_same_for_every_number_of_threads_and_every_run():
    model = MODELS["forest"].fit(WINE, CULTIVAR)
    one = askew.shapley(model, WINE[:4], WINE[::20], max_branches=4)
    with threads_on_small_data() as started:
        three = askew.shapley(model, WINE[:4], WINE[::20], max_branches=4, n_jobs=2)
        assert started() > 0
    assert np.array_equal(one.values, three.values)
    assert np.array_equal(one.standard_error, three.standard_error)
    other = askew.shapley(model, WINE[:4], WINE[::20], max_branches=4, random_state=1)
    assert not np.array_equal(one.values, other.values)


def test_one_row_may_have_any_form_and_a_pipeline_is_its_last_step():
    frame = pd.DataFrame(WINE, columns=[f"c{j}" for j in range(8)])
    pipeline = make_pipeline(StandardScaler(), askew.CARTClassifier(max_depth=2)).fit(frame, CULTIVAR)
    found = askew.shapley(pipeline, frame.iloc[0].to_dict(), frame[::20])
    assert found.feature_names == list(frame.columns)
    total = found.values[0].sum(axis=0) + found.base_value
    assert total == pytest.approx(pipeline.predict_proba(frame[:1])[0])
    assert np.array_equal(found.values, askew.shapley(pipeline, frame[:1], frame[::20]).values)


def test_a_tree_of_one_leaf_and_a_row_that_is_its_background_have_values_of_0():
    leaf = askew.CARTClassifier().fit(WINE, np.zeros(len(WINE)))
    assert (askew.shapley(leaf, WINE[:2], WINE[:5]).values == 0).all()
    model = MODELS["oblique"].fit(WINE, CULTIVAR)
    assert (askew.shapley(model, WINE[:1], WINE[:1]).values == 0).all()


def test_a_deep_chain_and_huge_values_are_explained():
    chain = with_tree(chain_tree(20_000))
    found = askew.shapley(chain, [[19_999.5]], [[0.5], [7.5]])
    assert found.values[0].sum(axis=0) == pytest.approx(
        chain.predict_proba([[19_999.5]])[0] - chain.predict_proba([[0.5], [7.5]]).mean(axis=0)
    )
    huge = askew.CARTLCClassifier(max_depth=2).fit(WINE * 1e130, CULTIVAR)
    assert np.isfinite(askew.shapley(huge, WINE[:1] * 1e130, WINE[::20] * 1e130).values).all()


def test_values_of_one_class_can_be_taken():
    model = MODELS["axis"].fit(WINE, CULTIVAR)
    found = askew.shapley(model, WINE[:2], WINE[::20])
    assert np.array_equal(found.of(2).values, found.values[:, :, 2])
    assert found.of(2).explained == "probability of 2"
    with pytest.raises(ValueError, match=r"one of \[0, 1, 2\]"):
        found.of("two")


def test_what_cannot_be_explained_is_refused():
    tree = askew.CARTClassifier(max_depth=2).fit(WINE, CULTIVAR)
    with pytest.raises(NotFittedError):
        askew.shapley(askew.CARTClassifier(), WINE, WINE)
    with pytest.raises(InvalidParameterError, match="'method'"):
        askew.shapley(tree, WINE, WINE, method="fast")
    with pytest.raises(InvalidParameterError, match="'n_permutations'"):
        askew.shapley(tree, WINE, WINE, n_permutations=0)
    with pytest.raises(ValueError, match="0 sample"):
        askew.shapley(tree, WINE, WINE[:0])
    with pytest.raises(ValueError, match="8 features"):
        askew.shapley(tree, WINE[:, :3], WINE)
    network = tree.pruned(askew.prune.GeneticAlgorithm(n_units=2), WINE, CULTIVAR)
    with pytest.raises(TypeError, match="RuleNetwork"):
        askew.shapley(network, WINE, WINE)
    rest = askew.APDTClassifier(multiclass="one_vs_rest", max_depth=1, random_state=0).fit(WINE, CULTIVAR)
    with pytest.raises(TypeError, match="OneVsRest"):
        askew.shapley(rest, WINE, WINE)
    parts = askew.C45Classifier().fit(WINE, CULTIVAR)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        askew.shapley(parts, np.full((1, 8), np.nan), WINE)


def test_the_package_shap_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "shap", None)
    found = askew.shapley(MODELS["axis"].fit(WINE, CULTIVAR), WINE[:2], WINE[::20])
    with pytest.raises(ImportError, match="pip install shap"):
        found.to_shap()
