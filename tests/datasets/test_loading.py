import gzip
import sys

import numpy as np
import pytest

from askew.datasets import UnknownDatasetError, load, names

PLAIN = "a,b,class\n1,NA,yes\n2,,no\n3,None,yes\n"


@pytest.fixture(autouse=True)
def no_folder_from_outside(monkeypatch):
    monkeypatch.delenv("ASKEW_DATA", raising=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plain.csv").write_text(PLAIN)
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(b"a,target\n1,0.5\n2,1.5\n"))
    return tmp_path


def test_bundled_data_come_with_names_of_features_and_classes():
    iris = load("iris")
    assert iris.X.columns[0] == "sepal length (cm)"
    assert sorted(set(iris.y)) == ["setosa", "versicolor", "virginica"]
    assert iris.source == "scikit-learn"


def test_bundled_data_are_an_array_without_pandas(monkeypatch):
    monkeypatch.setattr("askew.datasets.loading.find_spec", lambda name: None)
    assert isinstance(load("wine").X, np.ndarray)


def test_bundled_regression_data_have_numbers():
    assert load("diabetes").y.dtype == np.float64


def test_every_name_can_be_loaded(folder):
    for name in names(folder):
        data = load(name, folder)
        assert len(data.X) == len(data.y)


def test_only_an_empty_field_is_missing(folder):
    plain = load("plain", folder)
    assert plain.X["b"].isna().tolist() == [False, True, False]
    assert plain.X["b"][0] == "NA"
    assert plain.y.tolist() == ["yes", "no", "yes"]


def test_packed_files_are_read(folder):
    assert load("packed", folder).y.tolist() == [0.5, 1.5]


def test_the_environment_names_the_folder(folder, monkeypatch):
    monkeypatch.setenv("ASKEW_DATA", str(folder))
    assert load("plain").source == "plain.csv"
    assert {"plain", "packed", "iris", "rcb"} <= set(names())


def test_the_folder_goes_before_the_bundled_data(folder):
    (folder / "iris.csv").write_text("a,class\n1,x\n")
    assert len(load("iris", folder).y) == 1


def test_an_unknown_name_lists_the_nearest_and_all(folder):
    with pytest.raises(UnknownDatasetError, match=r"'plane'.*Did you mean plain.*There are: .*iris.*wine"):
        load("plane", folder)
    with pytest.raises(ValueError, match="ASKEW_DATA"):
        load("plane")


def test_a_folder_that_is_none_is_named(tmp_path, monkeypatch):
    with pytest.raises(NotADirectoryError, match="data="):
        load("iris", tmp_path / "nowhere")
    monkeypatch.setenv("ASKEW_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError, match="ASKEW_DATA"):
        load("iris")


def test_a_file_without_a_target_says_so(folder):
    (folder / "bare.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"bare.csv: the last column must be 'class' or 'target', found 'b'"):
        load("bare", folder)


def test_without_pandas_the_extra_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"askew\[data\]"):
        load("plain", folder)


def test_a_data_set_shows_its_size():
    assert repr(load("rcb")) == "Dataset('rcb', 2000 rows, 2 features, generated)"
