import json
import re

import pytest


def payload(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def test_a_page_is_written_for_a_model_and_a_table(askew, model, iris_csv, tmp_path):
    askew("report", model, iris_csv, "-o", tmp_path / "r.html")
    told = payload(tmp_path / "r.html")
    assert told["title"] == "iris: species"
    facts = json.loads(askew("evaluate", model, iris_csv, "--target", "species", "--json"))
    assert told["figures"]["score"]["value"] == pytest.approx(facts["accuracy"], abs=1e-4)


def test_classes_and_targets_that_are_numbers_are_read_as_numbers(askew, tmp_path):
    (tmp_path / "a.csv").write_text("a,c,d\n1,0,1.5\n2,0,2.5\n3,1,3.5\n4,1,4.5\n")
    for target, drop in (("c", "d"), ("d", "c")):
        path = tmp_path / f"{target}.askew"
        askew("train", tmp_path / "a.csv", "-t", target, "--drop", drop, "-m", "cart", "--own-pruning", "-o", path)
        askew("report", path, tmp_path / "a.csv", "-t", target, "--title", "Mine", "-o", tmp_path / f"{target}.html")
        told = payload(tmp_path / f"{target}.html")
        assert told["title"] == "Mine"
        assert told["figures"]["score"]["value"] == 1


def test_the_target_must_be_named_where_it_is_not_plain(fault, model, iris_csv, tmp_path):
    table = tmp_path / "more.csv"
    lines = iris_csv.read_text().splitlines()
    table.write_text("\n".join([lines[0] + ",note", *(line + ",x" for line in lines[1:])]) + "\n")
    line = fault("report", model, table, "-o", tmp_path / "r.html")
    assert "which column is the target? Use --target; not features of the model: 'species', 'note'" in line


def test_37_a_page_that_exists_is_not_written_over(fault, model, iris_csv, tmp_path):
    (tmp_path / "r.html").write_text("mine")
    assert "exists already" in fault("report", model, iris_csv, "-o", tmp_path / "r.html")


def test_a_class_that_the_model_does_not_know_counts_as_an_error(askew, told, tmp_path):
    (tmp_path / "a.csv").write_text("a,c\n1,x\n2,x\n3,y\n4,z\n")
    (tmp_path / "b.csv").write_text("a,c\n1,x\n2,x\n3,y\n")
    askew("train", tmp_path / "b.csv", "-t", "c", "-m", "cart", "--own-pruning", "-o", tmp_path / "n.askew")
    (said,) = told("report", tmp_path / "n.askew", tmp_path / "a.csv", "-o", tmp_path / "r.html")
    assert "warning: 1 of 4 rows have a class that is not in the training data (z)" in said
    assert payload(tmp_path / "r.html")["figures"]["score"]["value"] == 0.75
