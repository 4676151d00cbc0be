import json
import subprocess
import sys

import askew as package


def test_show_prints_the_facts_and_the_tree(askew, model):
    shown = askew("show", model)
    assert shown.startswith("model     CARTClassifier(random_state=0)\nfeatures  4\nclasses   3 (setosa,")
    assert package.export_text(package.load(model)) in shown


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


def test_rules_and_many_trees_are_text_also_for_programs(askew, iris_csv, tmp_path):
    words = ["train", iris_csv, "-t", "species", "-m"]
    askew(*words, "cart", "--set", "pruning=genetic", "-o", tmp_path / "rules.askew")
    askew(*words, "k_dt", "--set", "n_estimators=2", "-o", tmp_path / "vote.askew")
    assert "region 1" in json.loads(askew("show", tmp_path / "rules.askew", "--json"))["text"]
    assert "tree 2 of 2" in askew("show", tmp_path / "vote.askew")
    assert "tree 2 of 2" in json.loads(askew("show", tmp_path / "vote.askew", "--json"))["text"]
