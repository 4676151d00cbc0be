"""`missing="indicator"`: the mean in place of a missing value, and a column that tells that it was missing."""

import json

import json_predictor
import numpy as np
import pandas as pd
import pytest
from registry import CLASSIFIERS, quick

import askew
from askew import C45Classifier, CARTClassifier, CARTRegressor, KDTClassifier
from askew.data.encoder import Encoder


def frame(n=120, seed=0):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {"age": rng.normal(50, 10, n), "pay": rng.normal(size=n), "colour": rng.choice(["red", "blue"], n)}
    )
    data.loc[rng.random(n) < 0.3, "age"] = np.nan
    return data, np.where(data["age"].isna(), "yes", "no")


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_what_is_missing_is_learnt_by_every_method(cls):
    X, y = frame()
    model = quick(cls, missing="indicator", random_state=0).fit(X[["age", "pay"]], y)
    assert model.score(X[["age", "pay"]], y) > 0.95
    assert model.n_features_in_ == 2
    assert model.feature_importances_.shape == (2,)
    assert model.feature_importances_[0] > 0.6


def test_the_tree_reads_in_words():
    X, y = frame()
    for cls in (CARTClassifier, C45Classifier):
        model = cls(missing="indicator").fit(X, y)
        assert "if age is not missing" in askew.export_text(model)
        assert "if age is missing" in askew.export_rules(model)


def test_only_columns_that_lack_values_have_a_second_one():
    X, y = frame()
    model = CARTClassifier(missing="indicator").fit(X, y)
    assert model.encoder_.names(["age", "pay", "colour"]) == [
        "age",
        "age is missing",
        "pay",
        "colour=blue",
        "colour=red",
    ]
    assert model.encoder_.origin.tolist() == [0, 0, 1, 2, 2]
    complete = CARTClassifier(missing="indicator").fit(X[["pay"]], y)
    assert complete.encoder_ is None
    assert complete.predict(pd.DataFrame({"pay": [np.nan]})).shape == (1,)


def test_names_stay_distinct():
    X, y = frame()
    X["age is missing"] = 1.0
    columns = [
        column["name"]
        for column in json.loads(askew.export_json(CARTClassifier(missing="indicator").fit(X, y)))["columns"]
    ]
    assert len(set(columns)) == len(columns) == 6


@pytest.mark.parametrize("cls", [CARTClassifier, C45Classifier])
@pytest.mark.parametrize("columns", [["age", "pay"], ["age", "pay", "colour"]])
def test_it_is_saved_and_written_as_json(cls, columns, tmp_path):
    X, y = frame()
    X = X[columns]
    model = cls(missing="indicator").fit(X, y)
    askew.save(model, tmp_path / "m.askew")
    other = askew.load(tmp_path / "m.askew")
    assert other.encoder_ == model.encoder_
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    document = json.loads(askew.export_json(model))
    rows = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    assert [json_predictor.predict(document, row) for row in rows] == model.predict(X).tolist()


def test_rows_of_weight_zero_do_not_count():
    X = np.array([[np.nan], [1.0], [2.0], [3.0]])
    assert CARTRegressor(missing="indicator").fit(X, [9, 1, 2, 3], [0, 1, 1, 1]).encoder_ is None
    assert CARTRegressor(missing="indicator").fit(X, [9, 1, 2, 3]).predict([[np.nan]]) == [9]


def test_a_vote_of_trees_takes_it():
    X, y = frame()
    vote = KDTClassifier(estimator=CARTClassifier(missing="indicator"), n_estimators=3).fit(X, y)
    assert vote.score(X, y) == 1.0


@pytest.mark.parametrize("wrong", [[3], [-1], [1, 0], [0, 0], ["0"], [True], 0, None, [2]])
def test_a_file_that_names_other_columns_is_refused(wrong):
    packed = {"categories": [None, None, ["a", "b"]], "indicators": wrong}
    with pytest.raises(ValueError, match="encoder: expected indicators of features of numbers, ascending"):
        Encoder.unpacked(packed, onehot=True)
