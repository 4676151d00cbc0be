import json
import subprocess
import sys

import pytest

import askew as package


def test_show_prints_the_facts_and_the_tree(askew, model):
    shown = askew("show", model)
    assert shown.startswith(
        "model     CARTClassifier(pruning=CostComplexity(cv=5), random_state=0)\nfeatures  4\nclasses   3 (setosa,"
    )
    assert package.export_text(package.load(model)) in shown


@pytest.mark.extended
def test_a_closed_pipe_is_a_quiet_end(model):
    # The reader has gone before the first byte is written, so that the answer does not depend on its speed.
    line = [sys.executable, "-m", "askew", "show", str(model)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=120) == 1


def test_a_model_file_that_is_not_there_is_one_line(fault, tmp_path):
    line = fault("show", tmp_path / "none.askew")
    assert str(tmp_path / "none.askew") in line


def test_rules_and_many_trees_are_numbers_for_programs(askew, iris_csv, tmp_path):
    words = ["train", iris_csv, "-t", "species", "-m"]
    askew(*words, "cart", "--set", "pruning=genetic", "-o", tmp_path / "rules.askew")
    askew(*words, "k_dt", "--set", "n_estimators=2", "-o", tmp_path / "vote.askew")
    assert json.loads(askew("show", tmp_path / "rules.askew", "--json"))["tree"]["regions"]
    assert "tree 2 of 2" in askew("show", tmp_path / "vote.askew")
    assert len(json.loads(askew("show", tmp_path / "vote.askew", "--json"))["tree"]["members"]) == 2


def test_the_facts_are_numbers_for_programs(askew, model, tmp_path):
    facts = json.loads(askew("show", model, "--json"))
    assert facts["features"] == 4
    assert facts["classes"] == ["setosa", "versicolor", "virginica"]
    (tmp_path / "a.csv").write_text("colour,size,y\n" + "red,1,0\nblue,2,1\n" * 5)
    trained = json.loads(askew("train", tmp_path / "a.csv", "-t", "y", "-o", tmp_path / "m.askew", "--json"))
    assert (trained["rows"], trained["features"], trained["categorical_features"]) == (10, 2, 1)
    assert trained["classes"] == [0, 1]


def test_the_facts_count_the_categorical_features_and_the_classes(askew, tmp_path):
    (tmp_path / "a.csv").write_text("colour,size,y\n" + "red,1,no\nblue,2,yes\n" * 5)
    askew("train", tmp_path / "a.csv", "-t", "y", "-o", tmp_path / "m.askew")
    shown = askew("show", tmp_path / "m.askew").splitlines()
    assert shown[1:4] == ["features              2", "categorical features  1", "classes               2 (no, yes)"]
