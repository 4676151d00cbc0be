import json

import pandas as pd
import pytest


@pytest.fixture(autouse=True)
def no_folder_from_outside(monkeypatch):
    monkeypatch.delenv("ASKEW_DATA", raising=False)


def test_data_sets_are_listed_with_size_and_source(askew, tmp_path):
    (tmp_path / "mine.csv").write_text("a,class\n1,x\n2,y\n")
    rows = {row["name"]: row for row in json.loads(askew("datasets", "--data", tmp_path, "--json"))}
    assert rows["iris"] == {"name": "iris", "rows": 150, "features": 4, "classes": 3, "source": "scikit-learn"}
    assert rows["diabetes"]["classes"] is None
    assert rows["mine"]["source"] == "mine.csv"


def test_the_list_is_a_table_for_people(askew):
    lines = askew("datasets").splitlines()
    assert lines[0].split() == ["name", "rows", "features", "classes", "source"]
    assert any(line.split() == ["wine", "178", "13", "3", "scikit-learn"] for line in lines)
    assert any(line.split() == ["diabetes", "442", "10", "numbers", "scikit-learn"] for line in lines)


@pytest.mark.parametrize(
    ("file", "read"), [("a.csv", pd.read_csv), ("a.csv.gz", pd.read_csv), ("a.pq", pd.read_parquet)]
)
def test_a_data_set_can_be_written_and_trained_on(askew, tmp_path, file, read):
    assert "150" in askew("datasets", "iris", "-o", tmp_path / file)
    frame = read(tmp_path / file)
    assert frame.shape == (150, 5)
    assert sorted(set(frame["class"])) == ["setosa", "versicolor", "virginica"]
    askew("train", tmp_path / file, "--target", "class", "-m", "cart", "-o", tmp_path / "m.askew")


def test_generated_data_have_names_too(askew, tmp_path):
    askew("datasets", "rcb", "-o", tmp_path / "rcb.csv")
    assert list(pd.read_csv(tmp_path / "rcb.csv").columns) == ["x0", "x1", "class"]


def test_36_an_unknown_name_lists_those_there_are(fault):
    line = fault("datasets", "irys")
    assert "Did you mean iris" in line
    assert "wine" in line


def test_37_a_file_that_exists_is_not_written_over(askew, fault, tmp_path):
    askew("datasets", "iris", "-o", tmp_path / "iris.csv")
    assert "--force" in fault("datasets", "wine", "-o", tmp_path / "iris.csv")


def test_a_file_to_write_needs_a_name(fault, tmp_path):
    assert "needs the name" in fault("datasets", "-o", tmp_path / "x.csv")


@pytest.mark.filterwarnings("default")
def test_one_that_cannot_be_read_is_a_warning_and_the_others_are_listed(ran, tmp_path):
    for name, text in {"bad": "a,b\n1,2\n", "empty": "", "lacks": "a,class\n1,\n2,1\n"}.items():
        (tmp_path / f"{name}.csv").write_text(text)
    end = ran("datasets", "--data", tmp_path, "--json")
    assert end.code == 0
    rows = {row["name"]: row for row in json.loads(end.out)}
    assert {"iris", "wine"} <= set(rows)
    assert rows["lacks"]["classes"] == 1
    warned = end.err.splitlines()
    assert len(warned) == 2
    assert (
        warned[0] == "askew: warning: not listed: bad: bad.csv: the last column must be 'class' or 'target', found 'b'"
    )


@pytest.mark.parametrize(("text", "says"), [("a,b\n1,2\n", "the last column must be"), ("", "No columns")])
def test_a_file_that_cannot_be_read_is_one_line(fault, tmp_path, text, says):
    (tmp_path / "mine.csv").write_text(text)
    assert f"askew: mine: {'mine.csv: ' if text else ''}{says}" in fault("datasets", "mine", "--data", tmp_path)


def test_numbers_and_text_are_no_data_of_the_oc1_program(fault, tmp_path):
    assert "write diabetes as CSV" in fault("datasets", "diabetes", "-o", tmp_path / "d.data")
    (tmp_path / "mine.csv").write_text("a,class\nx,1\ny,2\n")
    assert "'x'" in fault("datasets", "mine", "--data", tmp_path, "-o", tmp_path / "m.data")
