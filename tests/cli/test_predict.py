import gzip

import pyarrow
import pytest
from pyarrow import parquet

import askew as package
from askew import CARTClassifier


@pytest.fixture
def small(tmp_path):
    """A model that says "low" below a = 2.5 and "high" above."""
    path = tmp_path / "small.askew"
    X = pyarrow.table({"a": [1.0, 2.0, 3.0, 4.0]})
    package.save(CARTClassifier().fit(X, ["low", "low", "high", "high"]), path)
    return path


def test_a_column_that_the_model_needs_is_missed_with_the_nearest_names(fault, model, tmp_path):
    data = tmp_path / "new.csv"
    data.write_text("sepal length,sepal width (cm),petal length (cm),petal width (cm)\n5,3,1,0.2\n")
    line = fault("predict", model, data, "-o", tmp_path / "out.csv")
    assert "there is no column 'sepal length (cm)'; did you mean 'sepal length'?" in line


def test_37_an_output_that_exists_is_left_alone_without_force(fault, model, iris_csv, tmp_path):
    output = tmp_path / "out.csv"
    output.write_text("precious")
    assert "exists already; write over it with --force" in fault("predict", model, iris_csv, "-o", output)


def test_a_file_that_is_no_model_is_one_line(fault, iris_csv):
    assert str(iris_csv) in fault("predict", iris_csv, iris_csv)


def test_rows_come_back_as_they_were_with_a_prediction(askew, small, tmp_path):
    data = tmp_path / "new.csv"
    data.write_text('id;note;a\n007;"x;y";1.50\n008;;+3e0\n')
    assert askew("predict", small, data) == 'id;note;a;prediction\n007;"x;y";1.50;low\n008;;+3e0;high\n'


def test_proba_adds_a_column_for_each_class(askew, small, tmp_path):
    data = tmp_path / "new.csv"
    data.write_text("a\n1\n")
    assert askew("predict", small, data, "--proba") == "a,prediction,proba_high,proba_low\n1,low,0.0,1.0\n"


def test_parquet_and_gzip_come_in_and_go_out(askew, small, tmp_path):
    table, zipped = tmp_path / "new.parquet", tmp_path / "out.csv.gz"
    parquet.write_table(pyarrow.table({"a": [1, 4], "when": ["x", "y"]}), table)
    askew("predict", small, table, "-o", zipped)
    assert gzip.decompress(zipped.read_bytes()) == b"a,when,prediction\n1,x,low\n4,y,high\n"
    askew("predict", small, zipped, "--column", "again", "-o", tmp_path / "out.parquet")
    back = parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert back == {"a": [1.0, 4.0], "when": ["x", "y"], "prediction": ["low", "high"], "again": ["low", "high"]}


def test_a_model_without_column_names_takes_the_columns_in_order(askew, tmp_path):
    model, data = tmp_path / "m.askew", tmp_path / "new.csv"
    package.save(CARTClassifier().fit([[1.0], [2.0]], [3, 4]), model)
    data.write_text("anything\n1\n2\n")
    assert askew("predict", model, data) == "anything,prediction\n1,3\n2,4\n"


def test_force_writes_over_the_output(askew, small, tmp_path):
    data, out = tmp_path / "new.csv", tmp_path / "out.csv"
    data.write_text("a\n1\n")
    out.write_text("old")
    askew("predict", small, data, "-o", out, "--force")
    assert out.read_text() == "a,prediction\n1,low\n"
