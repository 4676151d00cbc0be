"""What runs by joblib runs on a cluster, with the same result."""

import joblib
import numpy as np
import pandas as pd
import pytest
from experiments import run
from experiments.experiment import ACCURACY, Cell, Experiment, Figure
from experiments.protocols import RepeatedCV
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

import askew
from askew import AutoTreeClassifier

X, y = load_iris(return_X_y=True)


@pytest.fixture
def tasks(client):
    """How many changes the cluster has seen in its tasks."""
    client.wait_for_workers(2, timeout=600)  # on one thread joblib would run everything here

    def count():
        return client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)

    return count


def test_fits_of_auto_tree_run_on_a_cluster(client, tasks):
    tree = AutoTreeClassifier(random_state=0, effort="low")
    expected = cross_val_score(tree, X, y, cv=2)
    before = tasks()
    with joblib.parallel_config(backend="dask"):
        found = cross_val_score(tree, X, y, cv=2, n_jobs=2)
        fitted = AutoTreeClassifier(random_state=0, effort="low", n_jobs=2).fit(X, y)
    assert tasks() > before
    np.testing.assert_array_equal(found, expected)
    assert fitted.tree_ == tree.fit(X, y).tree_


def test_a_comparison_runs_on_a_cluster(client, tasks):
    given = {"methods": ["cart", "ce_dt"], "cv": 2, "random_state": 0}
    expected = askew.compare(X, y, **given)
    before = tasks()
    with joblib.parallel_config(backend="dask"):
        found = askew.compare(X, y, **given)  # n_jobs=None: what the backend has
    assert tasks() > before
    columns = ["accuracy", "sd", "rank", "leaves", "depth", "terms", "folds"]
    pd.testing.assert_frame_equal(found[columns], expected[columns])


def test_an_experiment_runs_on_a_cluster_and_its_parts_are_kept_here(client, tasks, tmp_path):
    experiment = Experiment(
        name="small",
        title="A small table",
        source="Nobody, Nowhere (1900)",
        measures=(ACCURACY,),
        cells=(Cell("Iris", "CART", {"accuracy": Figure(90.0)}, "iris", "CARTClassifier", {"max_depth": 2}),),
        trials=RepeatedCV(folds=2, repeats=2),
    )
    expected = run(experiment, cache=tmp_path / "here").cells[0].ours
    before = tasks()
    with joblib.parallel_config(backend="dask"):
        found = run(experiment, jobs=None, cache=tmp_path / "there").cells[0].ours
    assert tasks() > before
    assert found == expected
    assert run(experiment, cache=tmp_path / "there", finished=True).cells[0].ours == expected
