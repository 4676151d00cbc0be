import json
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from exported import cells
from handmade import mixed_tree
from json_predictor import child, predict
from jsonschema import Draft202012Validator, ValidationError
from model_files import examples, some_data
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew.model.tree import Tree

SCHEMA = json.loads(files("askew.export").joinpath("tree.schema.json").read_text(encoding="utf-8"))


def exported(estimator, **names):
    """Return the document, checked against its schema, as another program reads it."""
    document = json.loads(askew.export_json(estimator, **names))
    Draft202012Validator(SCHEMA).validate(document)
    return document


def messy():
    """Return data with categories and missing values, and rows with more of them, some categories unseen."""
    frame, y = some_data()
    rows = pd.concat(
        [frame, frame.assign(colour="pink"), frame.mask(np.random.default_rng(1).random(frame.shape) < 0.4)]
    )
    return frame, y, rows


def assert_agrees(estimator, rows):
    document = exported(estimator)
    predicted = estimator.predict(rows).tolist()
    assert [predict(document, row) for row in cells(rows)] == predicted


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)
    with pytest.raises(ValidationError):
        Draft202012Validator(SCHEMA).validate({"format": "askew", "version": 1, "kind": "tree"})


@pytest.mark.extended
@pytest.mark.parametrize("name", examples())
def test_a_predictor_written_from_the_documentation_agrees_with_every_form_of_model(name):
    estimator = examples()[name]
    rows = messy()[2] if estimator.n_features_in_ == 4 and hasattr(estimator, "feature_names_in_") else None
    if rows is None:
        rows = load_iris().data if estimator.n_features_in_ == 4 else load_diabetes().data
        rows = [[1.0], [2.0]] if estimator.n_features_in_ == 1 else rows
    assert_agrees(estimator, rows)


@pytest.mark.parametrize(
    "estimator",
    [
        askew.OC1Classifier(missing="mean", pruning=None, random_state=0),
        askew.OC1Classifier(missing="mean", categorical_encoding="crimcoord", pruning=None, random_state=0),
        askew.CARTELCClassifier(missing="below"),
        askew.LMDTClassifier(missing="mean", random_state=0),
        askew.C45Classifier(),
        askew.C45Classifier(missing="mean"),
        askew.ID3Classifier(missing="mean"),
        askew.KDTClassifier(estimator=askew.CARTClassifier(missing="mean", max_depth=3), n_estimators=4),
        askew.APDTClassifier(multiclass="one_vs_rest", missing="mean", max_depth=3, random_state=0),
        askew.ObliqueForestClassifier(n_estimators=5, missing="mean", random_state=0),
        askew.ObliqueBoostingClassifier(max_iter=5, missing="mean", min_samples_leaf=5, random_state=0),
    ],
    ids=lambda estimator: f"{type(estimator).__name__} {getattr(estimator, 'missing', '')}",
)
def test_a_predictor_written_from_the_documentation_agrees_on_categories_and_missing_values(estimator):
    frame, y, rows = messy()
    assert_agrees(estimator.fit(frame, y), rows)


def test_a_predictor_written_from_the_documentation_agrees_where_nothing_may_be_missing():
    frame, y, rows = messy()
    known = frame.notna().all(axis=1)
    assert_agrees(askew.ID3Classifier(missing="error").fit(frame[known], y[known]), rows.dropna())


def test_missing_categories_that_no_training_row_had_are_those_that_no_test_names():
    frame, y, rows = messy()
    full = frame.fillna({"a": 0.0, "b": 0.0, "colour": "red", "size": "s"})
    for estimator in (
        askew.OC1Classifier(missing="mean", pruning=None, random_state=0),
        askew.C45Classifier(missing="mean"),
        askew.CARTELCClassifier(missing="below"),
    ):
        assert_agrees(estimator.fit(full, y), rows)


def test_a_predictor_written_from_the_documentation_predicts_numbers():
    X, y = load_diabetes(return_X_y=True)
    assert_agrees(askew.OC1Regressor(max_depth=3, random_state=0).fit(X, y), X)


def test_all_kinds_of_split_are_told():
    tree = mixed_tree()
    document = exported(tree, feature_names=["a", "b", "c"])
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 4, 200)])
    for row, value in zip(X.tolist(), tree.value[tree.apply(X)].tolist(), strict=True):
        node = document["nodes"][0]
        while "test" in node:
            node = document["nodes"][node["children"][child(node["test"], dict(zip("abc", row, strict=True)))]]
        assert node["value"] == value


def test_the_labels_of_the_classes_are_told_as_they_are():
    assert exported(askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"]))["classes"] == ["no", "yes"]
    assert exported(askew.CARTClassifier().fit([[1.0], [2.0]], [3, 5]))["classes"] == [3, 5]
    assert exported(askew.CARTClassifier().fit([[1.0], [2.0]], [True, False]))["classes"] == [False, True]
    assert exported(askew.CARTRegressor().fit([[1.0], [2.0]], [3, 5]))["classes"] is None


def test_names_may_be_given_and_are_counted():
    tree = askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"])
    document = exported(tree, feature_names=["a"], class_names=["n", "y"])
    assert document["classes"] == ["n", "y"]
    assert document["features"] == [{"name": "a", "categories": None, "mean": document["features"][0]["mean"]}]
    with pytest.raises(ValueError, match="class_names must have 2 names, got 1"):
        askew.export_json(tree, class_names=["n"])


def test_what_the_model_is_and_its_sizes_are_told():
    document = exported(askew.CARTClassifier().fit([[1.0], [2.0]], ["no", "yes"]))
    assert (document["format"], document["version"], document["kind"]) == ("askew", 1, "tree")
    assert document["estimator"] == "CARTClassifier"
    assert [node["n_samples"] for node in document["nodes"]] == [2, 1, 1]


def test_an_impurity_that_overflowed_is_null():
    tree = mixed_tree()
    arrays = {**tree.arrays(), "impurity": np.full(tree.node_count, np.inf)}
    assert exported(Tree.from_arrays(arrays, 3))["nodes"][0]["impurity"] is None
