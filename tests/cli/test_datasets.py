import json

import pandas as pd
import pytest


@pytest.fixture(autouse=True)
def no_folder_from_outside(monkeypatch):
    monkeypatch.delenv("ASKEW_DATA", raising=False)


def test_what_is_at_hand_is_listed_with_its_size_and_source(askew, tmp_path):
    (tmp_path / "mine.csv").write_text("a,class\n1,x\n2,y\n")
    rows = {row["name"]: row for row in json.loads(askew("datasets", "--data", tmp_path, "--json"))}
    assert rows["iris"] == {"name": "iris", "rows": 150, "features": 4, "classes": 3, "source": "scikit-learn"}
    assert rows["diabetes"]["classes"] == "numbers"
    assert rows["mine"]["source"] == "mine.csv"


def test_the_list_is_a_table_for_people(askew):
    lines = askew("datasets").splitlines()
    assert lines[0].split() == ["name", "rows", "features", "classes", "source"]
    assert any(line.split() == ["wine", "178", "13", "3", "scikit-learn"] for line in lines)


@pytest.mark.parametrize(
    ("file", "read"), [("a.csv", pd.read_csv), ("a.csv.gz", pd.read_csv), ("a.pq", pd.read_parquet)]
)
def test_a_data_set_can_be_written_and_trained_on(askew, tmp_path, file, read):
    assert "150" in askew("datasets", "iris", "-o", tmp_path / file)
    frame = read(tmp_path / file)
    assert frame.shape == (150, 5)
    assert sorted(set(frame["class"])) == ["setosa", "versicolor", "virginica"]
    askew("train", tmp_path / file, "--target", "class", "-o", tmp_path / "m.askew")


def test_generated_data_have_names_too(askew, tmp_path):
    askew("datasets", "rcb", "-o", tmp_path / "rcb.csv")
    assert list(pd.read_csv(tmp_path / "rcb.csv").columns) == ["x0", "x1", "class"]


def test_an_unknown_name_lists_those_there_are(fault):
    line = fault("datasets", "irys")
    assert "Did you mean iris" in line
    assert "wine" in line


def test_a_file_that_exists_is_not_written_over(askew, fault, tmp_path):
    askew("datasets", "iris", "-o", tmp_path / "iris.csv")
    assert "--force" in fault("datasets", "wine", "-o", tmp_path / "iris.csv")


def test_a_file_to_write_needs_a_name(fault, tmp_path):
    assert "needs the name" in fault("datasets", "-o", tmp_path / "x.csv")
