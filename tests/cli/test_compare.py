import json

import pandas as pd
import pytest

FAST = ["--methods", "cart,hhcart", "--cv", "2"]


def test_the_ranking_is_printed_and_written_in_every_form(askew, iris_csv, tmp_path):
    files = [part for form in ("md", "csv", "json") for part in ("-o", tmp_path / f"ranking.{form}")]
    shown = askew("compare", iris_csv, "-t", "species", *FAST, *files)
    assert shown.splitlines()[0].split()[:2] == ["method", "accuracy"]
    assert "Wilcoxon" in shown
    assert (tmp_path / "ranking.md").read_text().startswith("| method | accuracy |")
    assert sorted(pd.read_csv(tmp_path / "ranking.csv")["method"]) == ["cart", "hhcart"]
    found = json.loads((tmp_path / "ranking.json").read_text())
    assert len(found["folds"]) == 4
    assert {row["method"] for row in found["ranking"]} == {"cart", "hhcart"}


def test_settings_go_to_all_methods_or_to_one(askew, iris_csv):
    words = ["--set", "max_depth=2", "--set", "cart.max_depth=1", "--json"]
    found = json.loads(askew("compare", iris_csv, "-t", "species", *FAST, *words))
    depth = {row["method"]: row["depth"] for row in found["ranking"]}
    assert depth == {"cart": 1, "hhcart": 2}


def test_settings_of_the_pruner_go_to_all_methods_or_to_one(askew, iris_csv):
    words = ["compare", iris_csv, "-t", "species", *FAST]
    assert "Pruning of every method: CostComplexity(cv=5)." in askew(*words)
    assert "Pruning of every method: CostComplexity(cv=2)." in askew(*words, "--set", "pruning.cv=2")
    assert "Pruning of every method: its own." in askew(*words, "--set", "cart.pruning.cv=2")
    assert "Pruning of every method: None." in askew(*words, "--own-pruning")


def test_weights_and_missing_values_are_those_of_train(askew, fault, told, tmp_path):
    rows = "\n".join(f"{'' if i % 7 == 0 else i},{1 + (i < 30)},{int(i > 29)}" for i in range(60))
    (tmp_path / "a.csv").write_text(f"a,w,c\n{rows}\n")
    words = ["compare", tmp_path / "a.csv", "-t", "c", *FAST, "--weights", "w"]
    assert "9 missing in column 'a': the mean" in told(*words)[0]
    assert "line 2, column 'a': the value is missing" in fault(*words, "--missing", "error")
    found = json.loads(askew(*words, "--missing", "mean", "--json"))
    assert [row["folds"] for row in found["ranking"]] == [2, 2]


def test_numbers_are_ranked_by_r2(askew, iris_csv):
    found = json.loads(askew("compare", iris_csv, "-t", "petal width (cm)", *FAST, "--json"))
    assert found["measure"] == "r2"


def test_text_and_empty_fields_are_learnt_from(askew, tmp_path):
    rows = "\n".join(f"{'' if i % 7 == 0 else i},{'red' if i % 3 else 'blue'},{i % 2}" for i in range(60))
    (tmp_path / "a.csv").write_text(f"a,colour,c\n{rows}\n")
    found = json.loads(askew("compare", tmp_path / "a.csv", "-t", "c", *FAST, "--missing", "mean", "--json"))
    assert [row["folds"] for row in found["ranking"]] == [2, 2]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--methods", "karte"], "no method 'karte'"),
        (["-o", "ranking.xls"], "unknown format '.xls'; expected"),
        (["--target", "specie"], "did you mean 'species'"),
    ],
)
def test_an_error_is_one_line(fault, iris_csv, words, says):
    assert says in fault("compare", iris_csv, "--target", "species", *words)


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("max_dept=3", "No method that is compared has a parameter 'max_dept'"),
        ("max_depth=-3", "must be an int in the range [1, 2147483647]"),
        ("hhcart.max_dept=3", "HHCARTClassifier has no parameter 'max_dept'"),
        ("oc1.max_depth=3", "must be among"),
    ],
)
def test_settings_that_would_do_nothing_are_one_line(fault, iris_csv, setting, says):
    assert says in fault("compare", iris_csv, "-t", "species", *FAST, "--set", setting)


def test_a_comparison_that_no_method_finishes_is_a_fault(fault, iris_csv):
    words = ["--methods", "oc1", "--cv", "2", "--time-limit", "0.001"]
    assert "no method finished a fold: stopped after 0.001 s" in fault("compare", iris_csv, "-t", "species", *words)
