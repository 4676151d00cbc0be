import subprocess
import sys

import numpy as np
import pytest
from exported import assert_python_agrees, loaded
from handmade import chain_tree, mixed_tree, with_tree
from shipped import messy, on_the_planes, shipped
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import askew


@pytest.mark.extended
@pytest.mark.parametrize("name", shipped())
def test_python_predicts_what_predict_predicts(name):
    estimator, rows = shipped()[name]
    assert_python_agrees(estimator, rows[:300])


@pytest.mark.parametrize("name", ["OC1Classifier", "CARTClassifier", "OC1Regressor"])
def test_python_agrees_on_rows_that_lie_on_a_plane(name):
    estimator, rows = shipped()[name]
    assert_python_agrees(estimator, on_the_planes(estimator, rows))


@pytest.mark.extended
def test_python_walks_all_kinds_of_tests_and_chains():
    rng = np.random.default_rng(0)
    assert_python_agrees(with_tree(mixed_tree()), np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 4, 200)]))
    assert_python_agrees(with_tree(chain_tree(3000)), rng.uniform(-5, 3005, size=(20, 1)))


def test_the_code_runs_where_nothing_is_installed(tmp_path):
    X, y = load_iris(return_X_y=True)
    tree = askew.OC1Classifier(random_state=0).fit(X, y)
    (tmp_path / "model.py").write_text(askew.export_python(tree), encoding="utf-8")
    program = "import model, sys; print(model.predict([5.0, 3.0, 1.5, 0.2]), 'numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(tree.predict([[5.0, 3.0, 1.5, 0.2]])[0]), "False"]


def test_rows_may_be_dicts_and_bad_rows_are_refused():
    frame, y, _ = messy()
    known = frame.notna().all(axis=1)
    model = loaded(askew.ID3Classifier(missing="error").fit(frame[known], y[known]))
    row = frame[known].iloc[0]
    assert model["predict"](row.to_dict()) == model["predict"](row.tolist())
    with pytest.raises(ValueError, match="a row has 4 values, got 3"):
        model["predict"](row.tolist()[:3])
    with pytest.raises(ValueError, match="colour is missing"):
        model["predict"]([1.0, 2.0, None, "s"])


def test_steps_before_the_tree_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="export_python writes the tree of a pipeline"):
        askew.export_python(make_pipeline(StandardScaler(), askew.CARTClassifier()).fit(X, y))
