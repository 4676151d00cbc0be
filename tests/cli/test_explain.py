import json

import pandas as pd

import askew as package


def test_explain_prints_the_way_of_a_row(askew, model, iris_csv):
    frame = pd.read_csv(iris_csv)
    row = frame.drop(columns="species").iloc[70]
    assert askew("explain", model, iris_csv, "--row", 71) == f"{package.explain(package.load(model), row)}\n"


def test_explain_is_numbers_for_programs(askew, model, iris_csv):
    found = json.loads(askew("explain", model, iris_csv, "--row", 71, "--json"))
    assert found["prediction"] in ("versicolor", "virginica")
    assert abs(sum(found["probability"].values()) - 1) < 1e-12
    assert found["paths"][0]["steps"][0]["contributions"][0]["feature"].startswith("petal")


def test_a_row_that_is_not_there_is_one_line(fault, model, iris_csv):
    assert "--row 151: the table has 150 rows" in fault("explain", model, iris_csv, "--row", 151)
    assert "--row" in fault("explain", model, iris_csv, "--row", 0)


def test_an_ensemble_is_refused_in_one_line(askew, fault, iris_csv, tmp_path):
    vote = tmp_path / "vote.askew"
    askew("train", iris_csv, "-t", "species", "-m", "k_dt", "--set", "n_estimators=2", "--cv", 0, "-q", "-o", vote)
    assert "explain takes one tree" in fault("explain", vote, iris_csv, "--row", 1)
