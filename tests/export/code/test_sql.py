import numpy as np
import pandas as pd
import pytest
from exported import DATABASES, assert_sql_agrees
from handmade import chain_tree, with_tree
from shipped import messy, on_the_planes, shipped
from sklearn.datasets import load_iris

import askew
from askew.export.code.sql_statement import number

REFUSED = {"one-vs-rest, models", "parts of rows, models"}


@pytest.mark.extended
@pytest.mark.parametrize("run", DATABASES.values(), ids=DATABASES)
@pytest.mark.parametrize("name", [name for name in shipped() if name not in REFUSED])
def test_sql_predicts_what_predict_predicts(name, run):
    estimator, rows = shipped()[name]
    assert_sql_agrees(estimator, rows[:300], run)


@pytest.mark.parametrize("run", DATABASES.values(), ids=DATABASES)
@pytest.mark.parametrize("name", ["OC1Classifier", "CARTClassifier", "OC1Regressor"])
def test_sql_agrees_on_rows_that_lie_on_a_plane(name, run):
    estimator, rows = shipped()[name]
    assert_sql_agrees(estimator, on_the_planes(estimator, rows, per_node=10), run)


@pytest.mark.parametrize("run", DATABASES.values(), ids=DATABASES)
def test_many_features_and_deep_trees_fit_into_an_expression(run):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 250))
    wide = askew.HHCARTClassifier(max_depth=2, pruning=None).fit(X, (X.sum(axis=1) > 0).astype(int))
    assert_sql_agrees(wide, X, run)
    assert_sql_agrees(with_tree(chain_tree(200)), rng.uniform(-5, 205, size=(100, 1)), run)


@pytest.mark.parametrize("run", DATABASES.values(), ids=DATABASES)
def test_numbers_are_exact(run):
    rng = np.random.default_rng(0)
    values = [*(rng.normal(size=150) * 10.0 ** rng.integers(-300, 300, 150)), 0.1 + 0.2, 1e300, 5e-324, -(2.0**70), 0.0]
    frame = pd.DataFrame({"x": [1.0]})
    told = ", ".join(f"{number(value)} AS v{i}" for i, value in enumerate(values))
    found = run(frame, f"SELECT {told} FROM data").to_numpy(dtype=float)[0]
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("run", DATABASES.values(), ids=DATABASES)
def test_names_and_labels_are_quoted(run):
    frame, y, rows = messy()
    odd = {"a": 'a "b"', "colour": "it's; DROP TABLE data"}
    tree = askew.C45Classifier(missing="mean").fit(frame.rename(columns=odd), np.char.add(y.astype(str), "'s"))
    assert_sql_agrees(tree, rows.rename(columns=odd), run)
    features = run(rows.rename(columns=odd), askew.export_sql(tree, "data")).columns
    assert list(features) == [*tree.feature_names_in_, "prediction"]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_sql_cannot_say_is_refused(name):
    with pytest.raises(ValueError, match="cannot be written as SQL"):
        askew.export_sql(shipped()[name][0], "data")


def test_what_is_too_deep_or_too_much_for_a_database_is_refused():
    with pytest.raises(ValueError, match="300 tests in a row is too deep for SQL: at most 200"):
        askew.export_sql(with_tree(chain_tree(300)), "data")
    X, y = load_iris(return_X_y=True)
    forest = askew.ObliqueForestClassifier(n_estimators=1, max_depth=1, random_state=0).fit(X, y)
    forest.trees_ = forest.trees_ * 1001
    with pytest.raises(ValueError, match="1001 trees are too many for SQL"):
        askew.export_sql(forest, "data")
