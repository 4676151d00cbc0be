import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_classification
from sklearn.model_selection import StratifiedKFold

import askew
from askew import AutoTreeClassifier, AutoTreeRegressor, InvalidParameterError
from askew.model.smoothing import SMOOTHINGS
from askew.search.axis import AxisParallel
from askew.selection.candidates import CANDIDATES, EFFORTS
from askew.selection.leaderboard import Leaderboard
from askew.store.json_values import unpack_parameters

WINE = load_wine(return_X_y=True, as_frame=True)
IRIS = load_iris(return_X_y=True)


def quick(**parameters):
    return AutoTreeClassifier(**{"effort": "low", "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def wine():
    return quick().fit(*WINE)


def test_the_choice_is_shown_in_words_in_a_table_and_as_a_front(wine):
    table, front = wine.leaderboard_, wine.front_
    assert list(table.columns) == ["recipe", "leaves", "terms", "mean", "standard_error", "seconds", "chosen"]
    assert table.chosen.sum() == 1
    assert table["mean"].is_monotonic_decreasing
    assert wine.chosen_.startswith(table[table.chosen].recipe.item())
    assert f"{wine.get_n_leaves()} leaves" in wine.chosen_
    assert front["mean"].is_monotonic_increasing
    assert front["mean"].iloc[-1] == table["mean"].max()


def test_a_single_leaf_and_a_single_plane_are_always_tried(wine):
    table = wine.leaderboard_
    assert (table.leaves == 1).any()
    for name in EFFORTS["low"].classes:
        assert (table.recipe == CANDIDATES[name].name).any()
    assert table.recipe.str.contains("refined").any()


def test_without_pandas_the_leaderboard_is_a_list(wine, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(wine.leaderboard_, list)
    assert wine.leaderboard_[0].keys() == {"recipe", "leaves", "terms", "mean", "standard_error", "seconds", "chosen"}


def test_the_evidence_survives_a_model_file(wine, tmp_path):
    askew.save(wine, tmp_path / "m.askew")
    read = askew.load(tmp_path / "m.askew")
    assert read.selection_ == wine.selection_
    assert read.leaderboard_.equals(wine.leaderboard_)
    assert read.chosen_ == wine.chosen_
    assert np.array_equal(read.predict(WINE[0]), wine.predict(WINE[0]))


def test_files_that_hold_parameters_of_older_versions_load(wine):
    older = {"pruning": None, "refine": None, "max_leaf_nodes": None, "impurity_threshold": 0.0}
    kept = unpack_parameters(AutoTreeClassifier, {"effort": "low", "random_state": 0, **older})
    assert kept.get_params() == wine.get_params()
    with pytest.raises(ValueError, match="parameters: expected some of"):
        unpack_parameters(AutoTreeClassifier, {"growth": 1})


def test_evidence_that_is_damaged_is_refused(wine):
    packed = wine.selection_.packed()
    assert Leaderboard.unpacked(packed) == wine.selection_
    bad = [None, {}, {**packed, "finished": 1}, {**packed, "records": 3}, {**packed, "records": [[1]]}]
    first = packed["records"][0]
    bad += [{**packed, "smoothing": "much"}, {**packed, "smoothing": []}, {**packed, "scored": 1}]
    wrong = ((0, 1), (1, np.inf), (1, 10**400), (7, 0))
    bad += [{**packed, "records": [[*first[:i], value, *first[i + 1 :]]]} for i, value in wrong]
    for one in bad:
        with pytest.raises(ValueError, match="choice: expected"):
            Leaderboard.unpacked(one)


def test_the_tree_is_the_same_for_every_number_of_threads(wine):
    other = quick(n_jobs=3).fit(*WINE)
    for name, array in wine.tree_.arrays().items():
        assert np.array_equal(array, other.tree_.arrays()[name]), name
    assert [r[:5] for r in wine.selection_.records] == [r[:5] for r in other.selection_.records]


@pytest.mark.parametrize("cls", [AutoTreeClassifier, AutoTreeRegressor])
def test_neither_units_nor_the_order_of_rows_change_the_tree(cls):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:120, :4], y[:120]
    order = np.random.default_rng(0).permutation(y.size)
    place = np.argsort(order)
    folds = list(StratifiedKFold(3).split(X, y))  # those of AutoTree itself go by the values of the rows
    tree = cls(effort="low", random_state=0, cv=folds).fit(X, y)
    unit, zero = np.array([1024.0, 0.25, 2.0**-20, 8.0]), np.array([0.0, -16.0, 0.0, 64.0])
    scaled = cls(effort="low", random_state=0, cv=folds).fit(X * unit + zero, y)
    moved = [(place[train], place[test]) for train, test in folds]
    ordered = cls(effort="low", random_state=0, cv=moved).fit(X[order], y[order])
    for other, given in ((scaled, X * unit + zero), (ordered, X)):
        assert other.chosen_ == tree.chosen_
        np.testing.assert_allclose(other.predict(given).astype(float), tree.predict(X).astype(float), atol=1e-6)
    default = cls(effort="low", random_state=0).fit(X, y)
    again = cls(effort="low", random_state=0).fit(X[order], y[order])
    assert default.chosen_ == again.chosen_
    np.testing.assert_allclose(again.predict(X).astype(float), default.predict(X).astype(float), atol=1e-6)


@pytest.mark.parametrize("cls", [AutoTreeClassifier, AutoTreeRegressor])
def test_weights_are_repetitions(cls):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:120, :4], y[:120]
    times = np.random.default_rng(0).integers(0, 3, y.size)
    weighted = cls(effort="low", random_state=0).fit(X, y, times)
    repeated = cls(effort="low", random_state=0).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.chosen_ == repeated.chosen_
    np.testing.assert_allclose(weighted.predict(X).astype(float), repeated.predict(X).astype(float), atol=1e-6)


def test_the_limits_of_leaves_terms_and_rows_hold():
    X, y = load_breast_cancer(return_X_y=True)
    tree = quick(max_leaves=3, max_terms=2, min_samples_leaf=20, tolerance=0.0).fit(X, y).tree_
    assert tree.n_leaves <= 3
    assert np.diff(tree.feature_start).max() <= 2
    assert tree.n_samples[tree.is_leaf].min() >= 20


def test_one_term_is_an_axis_parallel_tree():
    tree = quick(max_terms=1).fit(*IRIS).tree_
    assert np.diff(tree.feature_start).max() == 1


def test_a_greater_tolerance_gives_no_larger_tree():
    sizes = [quick(tolerance=tolerance).fit(*IRIS).get_n_leaves() for tolerance in (0.0, 1.0, 100.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_any_scorer_chooses():
    X, y = load_breast_cancer(return_X_y=True)
    tree = quick(scoring="roc_auc", candidates=["axis", "linear_10"]).fit(X[:, :5], y)
    assert tree.leaderboard_["mean"].max() > 0.9
    assert tree.leaderboard_["mean"].min() == 0.5  # a single leaf
    constant = quick(scoring=lambda estimator, X, y: 0.0).fit(*IRIS)
    assert constant.get_n_leaves() == 1
    named = np.array(["no", "yes"])[y]
    weighted = quick(scoring="f1_macro", candidates=["axis"]).fit(X[:, :5], named, np.arange(y.size) % 3)
    assert set(weighted.predict(X[:, :5])) == {"no", "yes"}


def test_candidates_are_names_or_searches_of_ones_own():
    tree = quick(candidates=["linear_1", AxisParallel()]).fit(*IRIS)
    assert {"linear (l2 = 1)", "AxisParallel"} <= set(tree.leaderboard_.recipe)


@pytest.mark.parametrize(
    "parameters",
    [
        {"candidates": ["forest"]},
        {"candidates": []},
        {"effort": "most"},
        {"scoring": "acuracy"},
        {"cv": 1},
        {"cv": "five"},
        {"tolerance": -1},
        {"max_terms": 0},
        {"time_limit": -1.0},
    ],
)
def test_a_bad_parameter_is_refused(parameters):
    with pytest.raises(InvalidParameterError, match=next(iter(parameters))):
        quick(**parameters).fit(*IRIS)


def test_folds_may_be_a_splitter_or_lists_of_rows():
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    by_splitter = quick(cv=folds).fit(*IRIS)
    by_lists = quick(cv=list(folds.split(*IRIS))).fit(*IRIS)
    assert [r[:5] for r in by_splitter.selection_.records] == [r[:5] for r in by_lists.selection_.records]


def test_when_the_time_is_up_one_candidate_has_been_tried_and_it_says_so():
    tree = quick(time_limit=0.0).fit(*WINE)
    assert set(tree.leaderboard_.recipe) == {"axis-parallel"}
    assert not tree.selection_.finished
    assert tree.score(*WINE) > 0.5


def test_nested_scores_are_of_rows_that_the_choice_never_saw():
    noise = np.random.default_rng(0).normal(size=(90, 12))
    y = np.arange(90) % 2
    tree = quick(tolerance=0.0)
    scores = tree.nested_score(noise, y, cv=3)
    assert scores.shape == (3,)
    assert tree.fit(noise, y).leaderboard_["mean"].max() > scores.mean()
    assert tree.nested_score(noise, y, cv=StratifiedKFold(2), sample_weight=np.ones(90)).shape == (2,)


def test_of_many_rows_the_candidates_are_first_tried_on_some():
    X, y = make_classification(3000, 5, random_state=0)
    tree = quick().fit(X, y)
    recipes = {name.partition(", ")[0] for name in tree.leaderboard_.recipe}
    assert len(recipes) == 2 < len(EFFORTS["low"].classes)


def test_numbers_may_have_linear_leaves():
    X, y = load_diabetes(return_X_y=True)
    auto = AutoTreeRegressor(effort="low", random_state=0).fit(X, y)
    assert auto.leaderboard_["mean"].max() > 0.4
    constant = AutoTreeRegressor(effort="low", random_state=0, leaf_model="constant").fit(X, y)
    assert not constant.leaderboard_.recipe.str.contains("piecewise").any()
    linear = AutoTreeRegressor(effort="low", random_state=0, leaf_model="linear", candidates=["axis"]).fit(X, y)
    assert linear.get_n_leaves() == 1
    assert linear.score(X, y) > 0.5


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_rows_are_enough(n):
    X = np.arange(n, dtype=float)[:, None]
    assert quick().fit(X, np.arange(n)).predict(X).shape == (n,)
    assert AutoTreeRegressor(effort="low").fit(X, np.arange(n) + 0.5).predict(X).shape == (n,)


def test_probabilities_are_those_of_least_log_loss_on_the_folds(wine):
    assert wine.selection_.smoothing in {*SMOOTHINGS, None}
    smoothing = wine.selection_.smoothing
    assert smoothing is not None
    assert wine.chosen_.endswith("probabilities by " + {"laplace": "Laplace", "m_estimate": "m-estimate"}[smoothing])
    by_name = quick(smoothing=smoothing).fit(*WINE)
    np.testing.assert_array_equal(wine.predict_proba(WINE[0]), by_name.predict_proba(WINE[0]))
    plain = quick(smoothing=None).fit(*WINE)
    assert "probabilities" not in plain.chosen_
    assert (plain.predict_proba(WINE[0]).max(axis=1) == 1).any()
    assert (wine.predict_proba(WINE[0]).max(axis=1) < 1).all()
    np.testing.assert_array_equal(plain.predict(WINE[0]), wine.predict(WINE[0]))


def lacking(informative):
    """Return rows whose class shows in where a value is missing, or in a value that is never missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.arange(150) % 2
    X[:, 1] += 0 if informative else 9 * y
    X[(rng.random(150) < 0.9) & ((y == 1) if informative else True), 0] = np.nan
    return X, y


def test_missing_indicators_are_used_where_they_help():
    X, y = lacking(informative=True)
    tree = quick(candidates=["axis"]).fit(X, y)
    assert "with missing indicators" in tree.chosen_
    assert "x0 is not missing" in askew.export_text(tree)
    assert tree.score(X, y) > 0.9
    assert tree.get_n_leaves() == 2 < quick(candidates=["axis"], missing="mean").fit(X, y).get_n_leaves()
    assert set(tree.leaderboard_.recipe.str.contains("indicators")) == {True, False}


def test_nothing_is_left_of_what_was_tried_in_vain(tmp_path):
    X, y = lacking(informative=False)
    tree = quick(candidates=["axis"]).fit(X, y)
    assert tree.encoder_ is None
    assert tree.tree_.n_features == 3
    assert tree.feature_scale_.shape == (3,)
    assert tree.score(X, y) == 1
    askew.save(tree, tmp_path / "m.askew")
    assert np.array_equal(askew.load(tmp_path / "m.askew").predict(X), y)


def test_numbers_with_linear_leaves_know_what_is_missing():
    X, y = lacking(informative=True)
    tree = AutoTreeRegressor(effort="low", random_state=0, candidates=["piecewise", "axis"]).fit(X, y * 10.0)
    assert "indicators" in tree.chosen_
    assert tree.score(X, y * 10.0) > 0.6


def test_progress_rises_to_one(capsys):
    quick(verbose=1).fit(*IRIS)
    assert "100%" in capsys.readouterr().err


def rare_class(n=1500):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(4.5 - 1.5 * X[:, 0])), "yes", "no")


def test_a_single_leaf_comes_with_a_warning_that_says_what_to_change():
    X, y = rare_class()
    with pytest.warns(UserWarning, match=r"a single leaf, which predicts 'no' .* class_weight='balanced' if "):
        tree = AutoTreeClassifier(effort="low", random_state=0).fit(X, y)
    assert tree.get_n_leaves() == 1
    for remedy in ({"class_weight": "balanced"}, {"scoring": "roc_auc", "tolerance": 0.0}):
        assert AutoTreeClassifier(effort="low", random_state=0, **remedy).fit(X, y).get_n_leaves() > 1


@pytest.mark.parametrize("y", [["a"] * 30, ["a", "b"] * 15])
def test_a_single_leaf_that_nothing_could_change_comes_without_a_warning(y):
    X = np.arange(30.0)[:, None] if len(set(y)) == 1 else np.zeros((30, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert AutoTreeClassifier(effort="low", random_state=0).fit(X, y).get_n_leaves() == 1
        X, y = rare_class(300)
        assert AutoTreeClassifier(effort="low", max_leaves=1, random_state=0).fit(X, y).get_n_leaves() == 1
