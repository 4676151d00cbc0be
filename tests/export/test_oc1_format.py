"""The files of the original OC1 program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, load_wine

import askew
from askew.export.oc1_format import export_oc1, import_oc1, read_oc1_data, write_oc1_data

TREE = """Training set: some.data, Dimensions: 3, Categories: 2


Root Hyperplane: Left = [40,10], Right = [5,45]
0.500000 x[1] + -2.000000 x[3] + 1.250000 = 0

l Hyperplane: Left = [40,0], Right = [0,10]
1.000000 x[2] + -3.000000 = 0

"""


def _written(folder: Path, text: str) -> Path:
    path = folder / "tree.dt"
    path.write_text(text, encoding="utf-8")
    return path


# --- trees


def test_a_tree_of_the_original_program_sends_rows_where_that_program_does(tmp_path: Path) -> None:
    tree = import_oc1(_written(tmp_path, TREE))
    below, on, above = [[0, 2.9, 1.0], [0, 3.0, 1.0], [0, 3.1, 1.0]]  # x[2] - 3 < 0, = 0, > 0
    assert_array_equal(tree.predict([below, on, above]), [1, 2, 2])
    assert_array_equal(tree.predict([[1.5, 0, 1.0]]), [2])  # on the root's plane: right
    assert_array_equal(tree.tree_.value, [[45, 55], [5, 45], [40, 10], [0, 10], [40, 0]])


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("kind", ["OC1Classifier", "CARTClassifier", "CARTLCClassifier", "HHCARTClassifier"])
def test_a_tree_comes_back_from_a_tree_file_with_the_same_predictions(tmp_path: Path, load: Any, kind: str) -> None:
    X, y = load(return_X_y=True)
    tree = getattr(askew, kind)(random_state=0).fit(X, y + 1)
    back = import_oc1(_written(tmp_path, export_oc1(tree, name="x.data")))
    assert_array_equal(back.predict(X), tree.predict(X))
    assert_array_equal(back.tree_.value[back.apply(X)], tree.tree_.value[tree.apply(X)])
    if tree.criterion == "twoing":
        assert_array_equal(np.sort(back.tree_.impurity), np.sort(tree.tree_.impurity))


def test_a_plane_with_tiny_coefficients_keeps_its_digits(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    tree = askew.OC1Classifier(random_state=0).fit(X * 1e6, y + 1)  # coefficients of about 1e-6
    back = import_oc1(_written(tmp_path, export_oc1(tree)))
    assert_array_equal(back.predict(X * 1e6), tree.predict(X * 1e6))


def test_an_imported_tree_can_be_saved_and_printed(tmp_path: Path) -> None:
    tree = import_oc1(_written(tmp_path, TREE))
    askew.save(tree, tmp_path / "m.askew")
    assert askew.load(tmp_path / "m.askew").tree_ == tree.tree_
    assert "2 x2" in askew.export_text(tree)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Training set", "Trained on", "line 1: expected 'Training set"),
        ("[40,10]", "[40]", "line 4: expected 2 counts"),
        ("[40,10]", "[0,0]", "line 4: expected 2 counts"),
        ("x[3]", "x[4]", "line 5: expected each of x"),
        ("x[3]", "x[1]", "line 5: expected each of x"),
        ("1.250000 = 0", "1.250000", "line 5: expected 'a1 x"),
        ("0.500000 x[1] + -2.000000 x[3] + ", "", "line 5: expected 'a1 x"),
        ("l Hyper", "rl Hyper", "line 7: expected the parent of 'rl'"),
        ("l Hyper", "Root Hyper", "line 7: expected each node once"),
        ("Root Hyper", "r Hyper", "expected the parent of 'r'|expected a node 'Root'"),
        ("1.000000 x[2]", "1e999 x[2]", "line 8: expected finite numbers"),
    ],
)
def test_a_bad_tree_file_is_refused_with_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in TREE
    with pytest.raises(askew.ModelFileError, match=says):
        import_oc1(_written(tmp_path, TREE.replace(old, new, 1)))


def test_what_a_tree_file_cannot_hold_is_refused() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="classification tree, not a CARTRegressor"):
        export_oc1(askew.CARTRegressor().fit(X, y))
    with pytest.raises(ValueError, match="a tree of one leaf"):
        export_oc1(askew.CARTClassifier().fit(X[:50], y[:50]))
    with pytest.raises(ValueError, match="integer numbers of rows"):
        export_oc1(askew.CARTClassifier(class_weight={0: 0.37, 1: 1, 2: 1}).fit(X, y))


# --- data


def test_data_come_back_as_they_were(tmp_path: Path) -> None:
    X, y = np.array([[1.0, 1 / 3], [np.nan, -2e-7]]), np.array([1, 2])
    write_oc1_data(tmp_path / "x.data", X, y)
    back = read_oc1_data(tmp_path / "x.data")
    assert_array_equal(back[0], X)
    assert_array_equal(back[1], y)


def test_commas_blanks_and_question_marks_are_read(tmp_path: Path) -> None:
    (tmp_path / "x.data").write_text("1.5, 2 ,1\n\n?\t3e1 2\n", encoding="utf-8")
    X, y = read_oc1_data(tmp_path / "x.data")
    assert_array_equal(X, [[1.5, 2.0], [np.nan, 30.0]])
    assert_array_equal(y, [1, 2])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no data rows"),
        ("1 2 1\n1 2\n", "line 2: expected 3 fields"),
        ("1 two 1\n", "line 1: could not convert"),
        ("1 2 1.5\n", "line 1: expected an integer as the class"),
        ("1 2 ?\n", "line 1: expected an integer as the class"),
        ("1\n", "line 1: expected at least one number"),
    ],
)
def test_bad_data_are_refused_with_their_line(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "x.data").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=says):
        read_oc1_data(tmp_path / "x.data")


def test_classes_that_are_not_whole_numbers_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="integers"):
        write_oc1_data(tmp_path / "x.data", [[1.0]], ["a"])
    assert not (tmp_path / "x.data").exists()
