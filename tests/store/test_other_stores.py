"""Models through other libraries' files: skops and MLflow."""

import numpy as np
import pytest
from handmade import mixed_tree
from shipped import refused, shipped

from askew.model.tree import Tree

# What docs/how-to/deployment.md says that a file of a model may hold, beside estimators and their parts.
NAMED = {
    "askew.selection.leaderboard.Leaderboard",
    "askew.selection.leaderboard.Record",
    "askew.data.encoder.Encoder",
    "askew.model.digits.rounding.Printed",
    "askew.model.digits.shorten.Display",
    "askew.model.rule_network.RuleNetwork",
    "askew.model.one_vs_rest.OneVsRest",
    "askew.model.tree.Tree",
}


@pytest.mark.extended
@pytest.mark.parametrize("name", shipped())
def test_skops_gives_the_model_back(name):
    sio = pytest.importorskip("skops.io")
    estimator, rows = shipped()[name]
    rows = rows[~refused(estimator, rows)]
    expected = estimator.predict(rows)
    packed = sio.dumps(estimator)
    types = sio.get_untrusted_types(data=packed)
    assert {one for one in types if not one.startswith("askew.estimators.")} <= NAMED
    back = sio.loads(packed, trusted=types)
    np.testing.assert_array_equal(back.predict(rows), expected)


def test_a_tree_that_is_none_is_refused_whatever_reads_it():
    state = mixed_tree().__getstate__()
    first_child = state["arrays"]["first_child"].copy()
    first_child[0] = 10**6
    state["arrays"] = {**state["arrays"], "first_child": first_child}
    with pytest.raises(ValueError, match="first_child"):
        Tree.__new__(Tree).__setstate__(state)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", ["OC1Classifier", "parts of rows", "forest", "boosted numbers"])
def test_mlflow_gives_the_model_back(name, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed: pip install mlflow")
    monkeypatch.chdir(tmp_path)
    sio = pytest.importorskip("skops.io")
    estimator, rows = shipped()[name]
    types = sio.get_untrusted_types(data=sio.dumps(estimator))
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(estimator, name="model", skops_trusted_types=types)
    back = mlflow.sklearn.load_model(logged.model_uri)
    assert type(back) is type(estimator)
    np.testing.assert_array_equal(back.predict(rows), estimator.predict(rows))
