"""The exports take a fitted Pipeline whose last step is a tree, and use its names."""

import json
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import askew


@pytest.fixture(autouse=True)
def close_figures():
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.fixture
def iris():
    iris = load_iris(as_frame=True)
    return iris.data, iris.target_names[iris.target]


@pytest.fixture
def scaled(iris):
    return make_pipeline(StandardScaler(), askew.CARTClassifier(max_depth=2)).fit(*iris)


def test_every_export_of_text_uses_the_names_of_the_pipeline(scaled):
    for export in (askew.export_text, askew.export_rules, askew.export_dot):
        assert "petal length (cm) <=" in export(scaled)
    document = json.loads(askew.export_json(scaled))
    assert document["estimator"] == "CARTClassifier"
    assert "petal length (cm)" in document["nodes"][0]["test"]["columns"]


def test_the_columns_of_an_encoder_have_its_names():
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "blue"], "size": [1.0, 2.0, 3.0, 4.0]})
    columns = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough", sparse_threshold=1)
    pipeline = make_pipeline(columns, askew.CARTClassifier()).fit(frame, [1, 0, 1, 0])
    assert "onehotencoder__colour_blue <= 0.5" in askew.export_text(pipeline)


def test_given_names_win(scaled):
    assert "if c <= " in askew.export_text(scaled, feature_names=list("abcd"))


def test_steps_that_name_no_columns_leave_numbers(iris):
    unnamed = FunctionTransformer(lambda X: np.asarray(X)[:, :2])
    pipeline = make_pipeline(unnamed, askew.CARTClassifier(max_depth=1)).fit(*iris)
    assert "if x0 <=" in askew.export_text(pipeline)


def test_a_pipeline_of_one_step_is_that_step(iris):
    tree = askew.CARTClassifier(max_depth=2)
    assert askew.export_text(make_pipeline(tree).fit(*iris)) == askew.export_text(tree.fit(*iris))


def test_a_tree_in_a_pipeline_is_drawn_with_its_names(scaled, iris):
    X, y = iris
    assert any("petal length (cm) ≤" in text.get_text() for text in askew.plot_tree(scaled).texts)
    ax = askew.plot_partition(scaled, X, y, features=["petal length (cm)", "petal width (cm)"])
    assert ax.get_xlabel().startswith("petal length (cm)\n")
    low, high = ax.get_xlim()
    assert -3 < low < 0 < high < 3  # as the tree sees it: scaled


def test_the_partition_is_that_of_the_columns_that_the_tree_sees(iris):
    pipeline = make_pipeline(PCA(2), askew.OC1Classifier(max_depth=2, random_state=0)).fit(*iris)
    ax = askew.plot_partition(pipeline, *iris)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("pca0", "pca1")


def test_a_pipeline_of_other_models_is_drawn_over_its_data(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X.iloc[:, 2:], y)
    ax = askew.plot_partition(pipeline, X.iloc[:, 2:], y)
    assert len(ax.images) == 1
    assert ax.get_xlim()[1] > 6


def test_saving_a_pipeline_stores_the_tree_with_its_names_and_says_what_it_leaves_out(scaled, iris, tmp_path):
    path = tmp_path / "tree.askew"
    with pytest.warns(UserWarning, match="steps before the tree are not stored: standardscaler"):
        askew.save(scaled, path)
    tree = askew.load(path)
    assert tree.feature_names_in_.tolist() == iris[0].columns.tolist()
    rows = pd.DataFrame(scaled[:-1].transform(iris[0]), columns=iris[0].columns)
    assert (tree.predict(rows) == scaled.predict(iris[0])).all()


def test_saving_a_pipeline_of_one_step_says_nothing(iris, tmp_path):
    pipeline = make_pipeline("passthrough", askew.CARTClassifier()).fit(*iris)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        askew.save(pipeline, tmp_path / "tree.askew")
    assert (askew.load(tmp_path / "tree.askew").predict(iris[0]) == pipeline.predict(iris[0])).all()


def test_the_pipeline_itself_is_not_changed(iris):
    tree = askew.CARTClassifier()
    pipeline = make_pipeline(StandardScaler(), tree).fit(*iris)
    askew.export_text(pipeline)
    assert not hasattr(tree, "feature_names_in_")


def test_a_pipeline_that_is_not_fitted_is_refused(tmp_path):
    pipeline = make_pipeline(StandardScaler(), askew.CARTClassifier())
    for export in (askew.export_text, askew.export_json, askew.plot_tree, lambda p: askew.save(p, tmp_path / "m")):
        with pytest.raises(NotFittedError):
            export(pipeline)
