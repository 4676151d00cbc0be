import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from handmade import chain_tree, mixed_tree, with_tree
from shipped import as_codes, messy, on_the_planes, refused, shipped
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import askew

COMPILER = shutil.which("gcc") or shutil.which("cc")
FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffp-contract=off", "-shared", "-fPIC"]
DOUBLES, INTS = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int)

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")


def compiled(code, folder, name="askew"):
    """Compile C code, with warnings as errors, and return its function."""
    (folder / "model.c").write_text(code, encoding="utf-8")
    subprocess.run([COMPILER, *FLAGS, "-o", folder / "model.so", folder / "model.c", "-lm"], check=True)
    return getattr(ctypes.CDLL(str(folder / "model.so")), f"{name}_predict")


def numbers(function, X):
    found = np.empty(len(X))
    status = function(X.ctypes.data_as(DOUBLES), ctypes.c_size_t(len(X)), found.ctypes.data_as(DOUBLES))
    return found, status


def classes(function, X, k):
    label, share = np.empty(len(X), dtype=np.int32), np.empty((len(X), k))
    n, pointer = ctypes.c_size_t(len(X)), X.ctypes.data_as(DOUBLES)
    status = function(pointer, n, label.ctypes.data_as(INTS), share.ctypes.data_as(DOUBLES))
    alone = np.empty_like(label)
    function(pointer, n, alone.ctypes.data_as(INTS), None)
    np.testing.assert_array_equal(alone, label)
    return label, share, status


def assert_agrees(estimator, rows, folder):
    function, X = compiled(askew.export_c(estimator), folder), as_codes(estimator, rows)
    without = refused(estimator, rows)
    exact = "Boosting" not in type(estimator).__name__  # which takes exponentials
    if not hasattr(estimator, "classes_"):
        found, status = numbers(function, X)
        np.testing.assert_allclose(found[~without], estimator.predict(rows[~without]), rtol=0 if exact else 1e-14)
        assert status == 0
        return
    label, share, status = classes(function, X, len(estimator.classes_))
    lacks = np.isnan(X).any(axis=1)
    for some in (~lacks, lacks & ~without):  # predict rounds once more where a row of the batch lacks a value
        if some.any():
            np.testing.assert_array_equal(estimator.classes_[label[some]], estimator.predict(rows[some]))
            shown = estimator.predict_proba(rows[some])
            np.testing.assert_allclose(share[some], shown, rtol=0 if exact else 1e-13, atol=0 if exact else 1e-16)
    assert (label[without] == -1).all()
    assert status == int(without.any())


@pytest.mark.extended
@pytest.mark.parametrize("name", shipped())
def test_c_predicts_what_predict_predicts(name, tmp_path):
    assert_agrees(*shipped()[name], tmp_path)


@pytest.mark.parametrize("name", ["OC1Classifier", "CARTClassifier", "HHCARTClassifier", "OC1Regressor"])
def test_c_agrees_on_rows_that_lie_on_a_plane(name, tmp_path):
    estimator, rows = shipped()[name]
    assert_agrees(estimator, on_the_planes(estimator, rows), tmp_path)


@pytest.mark.extended
def test_c_walks_all_kinds_of_tests_and_chains(tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 4, 200)])
    assert_agrees(with_tree(mixed_tree()), X, tmp_path)
    (tmp_path / "chain").mkdir()
    assert_agrees(with_tree(chain_tree(3000)), rng.uniform(-5, 3005, size=(500, 1)), tmp_path / "chain")


def test_categories_have_codes_in_c(tmp_path):
    frame, y, _ = messy()
    estimator = askew.C45Classifier().fit(frame, y)
    code = askew.export_c(estimator, name="m")
    function = compiled(code, tmp_path, "m")
    assert function is not None
    lookup = ctypes.CDLL(str(tmp_path / "model.so")).m_code
    lookup.restype = ctypes.c_double
    labels = estimator.encoder_.categories[2]
    found = [lookup(ctypes.c_size_t(2), label.encode()) for label in (*labels, "pink")]
    assert found == [*range(len(labels)), -1]


def test_names_that_are_hostile_to_c_do_no_harm(tmp_path):
    names = np.array(['*/ int x = "', "a\\", "??/", "über\n"])
    X, y = load_iris(return_X_y=True)
    tree = askew.CARTClassifier().fit(X, names[:3][y])
    tree.feature_names_in_ = names.astype(object)
    compiled(askew.export_c(tree), tmp_path)
    library = ctypes.CDLL(str(tmp_path / "model.so"))
    found = (ctypes.c_char_p * 3).in_dll(library, "askew_classes")
    assert [one.decode() for one in found] == tree.classes_.tolist()


def test_what_c_code_would_leave_out_is_refused():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), askew.CARTClassifier()).fit(X, y)
    with pytest.raises(ValueError, match=r"not the steps before it \(standardscaler\)"):
        askew.export_c(pipeline)
    with pytest.raises(ValueError, match="name must be a name in C"):
        askew.export_c(pipeline[-1], name="my model")
