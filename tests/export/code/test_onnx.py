import subprocess
import sys

import numpy as np
import pytest
from exported import assert_onnx_agrees, opened
from handmade import chain_tree, mixed_tree, with_tree
from shipped import messy, on_the_planes, shipped
from test_optional_dependencies import BLOCK

import askew

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")


@pytest.mark.extended
@pytest.mark.parametrize("name", shipped())
def test_onnx_predicts_what_predict_predicts(name, tmp_path):
    estimator, rows = shipped()[name]
    assert_onnx_agrees(estimator, rows, tmp_path)


@pytest.mark.parametrize("name", ["OC1Classifier", "CARTClassifier", "HHCARTClassifier", "OC1Regressor"])
def test_onnx_agrees_on_rows_that_lie_on_a_plane(name, tmp_path):
    estimator, rows = shipped()[name]
    assert_onnx_agrees(estimator, on_the_planes(estimator, rows), tmp_path)


def test_onnx_walks_all_kinds_of_tests_and_chains(tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 4, 200)])
    assert_onnx_agrees(with_tree(mixed_tree()), X, tmp_path)
    assert_onnx_agrees(with_tree(chain_tree(3000)), rng.uniform(-5, 3005, size=(50, 1)), tmp_path)


def test_the_metadata_tell_the_codes_of_categories(tmp_path):
    frame, y, _ = messy()
    tree = askew.C45Classifier().fit(frame, y)
    told = opened(tree, tmp_path).get_modelmeta().custom_metadata_map
    assert told["estimator"] == "C45Classifier"
    assert '{"name": "colour", "categories": ["blue", "green", "red"]}' in told["features"]


@pytest.mark.extended
def test_without_onnx_the_error_says_what_to_install(tmp_path):
    program = BLOCK.format(names={"onnx"}) + (
        "import askew\ntree = askew.CARTClassifier().fit([[1.0], [2.0]], [0, 1])\n"
        f"askew.export_onnx(tree, {str(tmp_path / 'm.onnx')!r})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "pip install 'askew[onnx]'" in done.stderr
    assert not (tmp_path / "m.onnx").exists()


def many_rows(estimator, rows, n):
    """Return n rows: those given with a little noise, a quarter of them as they are."""
    rng = np.random.default_rng(0)
    X = rows[rng.integers(0, len(rows), n)]
    noise = rng.normal(size=X.shape) * 0.3 * rows.std(axis=0)
    return np.where(rng.random((n, 1)) < 0.25, X, X + noise)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, (e, _) in shipped().items() if getattr(e, "encoder_", None) is None])
def test_onnx_agrees_on_100_000_rows(name, tmp_path):
    estimator, rows = shipped()[name]
    X = many_rows(estimator, np.asarray(rows, dtype=float)[~np.isnan(rows).any(axis=1)], 100_000)
    session = opened(estimator, tmp_path)
    for some in np.array_split(X, 10):
        first = session.run(None, {"rows": some})[0]
        if hasattr(estimator, "classes_"):
            assert (first == estimator.predict(some)).all()
        else:
            np.testing.assert_allclose(first, estimator.predict(some), rtol=1e-13)


def test_the_graph_is_returned_and_written_only_where_a_path_is_given(tmp_path):
    tree = askew.CARTClassifier().fit([[1.0], [2.0]], [0, 1])
    model = askew.export_onnx(tree, tmp_path / "m.onnx")
    assert (tmp_path / "m.onnx").read_bytes() == model.SerializeToString()
    assert askew.export_onnx(tree) == model
