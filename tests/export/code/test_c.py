import ctypes

import numpy as np
import pytest
from exported import COMPILER, assert_c_agrees, compiled
from handmade import chain_tree, mixed_tree, with_tree
from shipped import messy, on_the_planes, shipped
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import askew

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")


@pytest.mark.extended
@pytest.mark.parametrize("name", shipped())
def test_c_predicts_what_predict_predicts(name, tmp_path):
    assert_c_agrees(*shipped()[name], tmp_path)


@pytest.mark.parametrize("name", ["OC1Classifier", "CARTClassifier", "HHCARTClassifier", "OC1Regressor"])
def test_c_agrees_on_rows_that_lie_on_a_plane(name, tmp_path):
    estimator, rows = shipped()[name]
    assert_c_agrees(estimator, on_the_planes(estimator, rows), tmp_path)


@pytest.mark.extended
def test_c_walks_all_kinds_of_tests_and_chains(tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 4, 200)])
    assert_c_agrees(with_tree(mixed_tree()), X, tmp_path)
    (tmp_path / "chain").mkdir()
    assert_c_agrees(with_tree(chain_tree(3000)), rng.uniform(-5, 3005, size=(500, 1)), tmp_path / "chain")


def test_categories_have_codes_in_c(tmp_path):
    frame, y, _ = messy()
    estimator = askew.C45Classifier().fit(frame, y)
    lookup = compiled(tmp_path, m=askew.export_c(estimator, name="m")).m_code
    lookup.restype = ctypes.c_double
    labels = estimator.encoder_.categories[2]
    found = [lookup(ctypes.c_size_t(2), label.encode()) for label in (*labels, "pink")]
    assert found == [*range(len(labels)), -1]


def test_names_that_are_hostile_to_c_do_no_harm(tmp_path):
    names = np.array(['*/ int x = "', "a\\", "??/", "über\n"])
    X, y = load_iris(return_X_y=True)
    tree = askew.CARTClassifier().fit(X, names[:3][y])
    tree.feature_names_in_ = names.astype(object)
    library = compiled(tmp_path, askew=askew.export_c(tree))
    found = (ctypes.c_char_p * 3).in_dll(library, "askew_classes")
    assert [one.decode() for one in found] == tree.classes_.tolist()


def test_what_c_code_would_leave_out_is_refused():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), askew.CARTClassifier()).fit(X, y)
    with pytest.raises(ValueError, match=r"not the steps before it \(standardscaler\)"):
        askew.export_c(pipeline)
    with pytest.raises(ValueError, match="name must be a name in C"):
        askew.export_c(pipeline[-1], name="my model")
