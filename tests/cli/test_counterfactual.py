import json

import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

import askew as package


def test_the_nearest_changes_are_shown_and_the_model_says_so_too(askew, model, iris_csv, tmp_path):
    lines = askew("counterfactual", model, iris_csv, "--row", 150, "--to", "versicolor").splitlines()
    assert lines[0] == "row 150: virginica"
    assert lines[1].endswith(")")
    assert " -> " in lines[1]
    assert ": class versicolor (" in lines[1]
    (first, *_) = json.loads(askew("counterfactual", model, iris_csv, "--row", 150, "--to", "versicolor", "--json"))
    row = pd.read_csv(iris_csv).drop(columns="species").iloc[[149]]
    for change in first["changes"]:
        assert row[change["feature"]].iloc[0] == change["before"]
        row[change["feature"]] = change["after"]
    assert package.load(model).predict(row)[0] == first["prediction"] == "versicolor"


def test_fixed_and_one_way_columns_are_taken_from_the_line(askew, fault, model, iris_csv):
    words = ["counterfactual", model, iris_csv, "--row", 150, "-n", 1, "--json"]
    (change,) = json.loads(askew(*words))
    moved = change["changes"][0]["feature"]
    (other,) = json.loads(askew(*words, "--fixed", moved, "--distance", "l2"))
    assert moved not in [one["feature"] for one in other["changes"]]
    one_way = [f"--direction={name}=up" for name in ("petal length (cm)", "petal width (cm)")]
    line = fault(*words[:-1], "--to", "versicolor", *one_way)
    assert "no change of the features leads to class 'versicolor', given direction and the range of X" in line


def test_a_range_of_numbers_is_a_target(askew, tmp_path):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    package.save(package.CARTRegressor(max_depth=3).fit(X, y), tmp_path / "m.askew")
    X.to_csv(tmp_path / "d.csv", index=False)
    words = ["counterfactual", tmp_path / "m.askew", tmp_path / "d.csv", "--to", "..100"]
    (first, *_) = json.loads(askew(*words, "--json"))
    assert first["prediction"] <= 100
    assert "value" in askew(*words)


WRONG = {
    "a row that is not there": (["--row", 151], "--row 151: the table has 150 rows"),
    "a class": (["--to", "versicolour"], "there is no class 'versicolour'; did you mean 'versicolor'?"),
    "a direction": (["--direction", "petal width (cm)"], "expected COLUMN=up or COLUMN=down"),
    "a column": (["--fixed", "petal"], "fixed: 'petal' is not a feature of the model"),
    "a distance": (["--distance", "l3"], "The 'distance' parameter must be"),
    "nothing to change": (["--to", "setosa"], "x already has the target prediction"),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG)
def test_an_error_is_one_line(fault, model, iris_csv, words, said):
    assert said in fault("counterfactual", model, iris_csv, *words)


def test_ranges_and_single_trees_are_asked_for(fault, iris_csv, tmp_path):
    X = pd.read_csv(iris_csv)
    y = X.pop("species")
    package.save(package.ObliqueForestClassifier(n_estimators=2).fit(X, y), tmp_path / "f.askew")
    assert "takes a fitted tree estimator" in fault("counterfactual", tmp_path / "f.askew", iris_csv)
    package.save(package.CARTRegressor(max_depth=1).fit(X, X["petal width (cm)"]), tmp_path / "n.askew")
    assert "expected LOW..HIGH" in fault("counterfactual", tmp_path / "n.askew", iris_csv, "--to", "5")
