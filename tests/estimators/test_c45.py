import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

import askew
from askew import C45Classifier, ID3Classifier, InvalidParameterError


def holes(X, share=0.2, seed=0):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


def test_a_row_with_a_missing_value_is_predicted_from_all_leaves_it_may_reach():
    X, y = [[0.0], [0.0], [0.0], [1.0]] * 5, [0, 0, 1, 1] * 5
    model = C45Classifier(pruning=None, min_cases=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]]), [[2 / 3, 1 / 3], [0, 1]])
    np.testing.assert_allclose(
        model.predict_proba([[np.nan]]), [[0.5, 0.5]]
    )  # three quarters of the one, one of the other
    assert model.apply([[np.nan]]) == model.apply([[0.0]])
    assert model.decision_path([[np.nan]]).toarray().tolist() == model.decision_path([[0.0]]).toarray().tolist()


def test_nothing_known_of_a_row_gives_the_shares_of_all_rows():
    X, y = load_wine(return_X_y=True)
    for rows in (X, holes(X)):
        model = C45Classifier(pruning=None).fit(rows, y)
        np.testing.assert_allclose(model.predict_proba(np.full((1, 13), np.nan))[0], np.bincount(y) / len(y))


def test_missing_values_do_little_harm():
    X, y = load_iris(return_X_y=True)
    model = C45Classifier().fit(holes(X), y)
    assert model.score(holes(X, seed=1), y) > 0.85
    assert model.score(X, y) > 0.9
    assert np.isfinite(model.feature_importances_).all()


def test_a_column_without_any_value_is_no_hindrance():
    X, y = load_iris(return_X_y=True)
    X[:, 0] = np.nan
    assert C45Classifier().fit(X, y).score(X, y) > 0.9
    assert C45Classifier().fit(np.full((5, 2), np.nan), [0, 1, 0, 1, 1]).predict([[np.nan, 3.0]]) == 1


@pytest.mark.parametrize("pruning", ["error_based", "cost_complexity", None])
def test_a_model_file_keeps_what_missing_values_do(tmp_path, pruning):
    X, y = load_iris(return_X_y=True)
    model = C45Classifier(pruning=pruning, random_state=0).fit(holes(X), y)
    askew.save(model, tmp_path / "m.askew")
    again = askew.load(tmp_path / "m.askew")
    np.testing.assert_array_equal(again.predict_proba(holes(X, seed=1)), model.predict_proba(holes(X, seed=1)))
    np.testing.assert_array_equal(again.apply(holes(X, seed=1)), model.apply(holes(X, seed=1)))


def weather():
    """Quinlan's 14 days (1986); humidity in percent, as in the book of 1993."""
    outlook = ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5
    humidity = [70, 90, 85, 95, 70, 90, 78, 65, 75, 80, 70, 80, 80, 96]
    windy = [("no", "yes")[c == "t"] for c in "ttffftftfttfff"]
    play = [("no", "play")[c == "p"] for c in "pnnnpppppnnppp"]
    return pd.DataFrame({"outlook": outlook, "humidity": humidity, "windy": windy}), play


def test_the_tree_of_the_book_is_grown():
    X, y = weather()
    model = C45Classifier(pruning=None).fit(X, y)
    assert askew.export_text(model).splitlines()[1:] == [
        "by outlook            14 rows  100.0%  [5 9]",
        "where outlook is overcast",
        "|  => play             4 rows   28.6%  [0 4]",
        "where outlook is rain or any other",
        "|  by windy            5 rows   35.7%  [2 3]",
        "|  where windy is no or any other",
        "|  |  => play          3 rows   21.4%  [0 3]",
        "|  where windy is yes",
        "|  |  => no            2 rows   14.3%  [2 0]",
        "where outlook is sunny",
        "|  if humidity <= 75   5 rows   35.7%  [3 2]",
        "|  |  => play          2 rows   14.3%  [0 2]",
        "|  else",
        "|  |  => no            3 rows   21.4%  [3 0]",
    ]


def test_a_missing_category_spreads_a_day_as_in_the_book():
    """Section 3.4: the outlook of the sixth day is unknown. Its parts are 5/13, 3/13 and 5/13."""
    X, y = weather()
    X.loc[5, "outlook"] = None
    tree = C45Classifier(pruning=None).fit(X, y).tree_
    np.testing.assert_allclose(tree.mass[1:4], [3 + 3 / 13, 5 + 5 / 13, 5 + 5 / 13])


def test_categories_come_back_from_a_model_file(tmp_path):
    X, y = weather()
    for cls in (C45Classifier, ID3Classifier):
        model = cls().fit(X, y)
        askew.save(model, tmp_path / f"{cls.__name__}.askew")
        assert askew.load(tmp_path / f"{cls.__name__}.askew").predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_the_tree_is_the_same_for_every_number_of_threads(n_jobs):
    X, y = load_wine(return_X_y=True)
    for rows in (X, holes(X)):
        assert C45Classifier(n_jobs=n_jobs).fit(rows, y).tree_ == C45Classifier(n_jobs=1).fit(rows, y).tree_


def test_id3_takes_no_missing_values_in_parts():
    with pytest.raises(InvalidParameterError, match="'missing' parameter of ID3Classifier"):
        ID3Classifier(missing="fractional").fit([[1.0], [2.0]], [0, 1])
