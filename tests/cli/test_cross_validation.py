"""What is said of a model's accuracy on new rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import accuracy_score, r2_score

from askew import CARTClassifier, CARTRegressor
from askew.cli.cross_validation import FEW_ROWS, _divide, estimate

X, Y = load_iris(return_X_y=True, as_frame=True)
Y = Y.to_numpy()


def out_of_fold(tree, X, y, folds, seed):
    fold = _divide(y if hasattr(tree, "classes_") else np.zeros(len(y)), folds, seed)
    found = np.empty_like(y)
    for number in range(folds):
        out = fold == number
        found[out] = type(tree)(**tree.get_params()).fit(X[~out], y[~out]).predict(X[out])
    return found


def test_accuracy_is_that_of_rows_not_seen_with_its_standard_error():
    tree = CARTClassifier(max_depth=2).fit(X, Y)
    found = estimate(tree, X, Y, None, None, 3, shown=False)
    share = accuracy_score(Y, out_of_fold(tree, X, Y, 5, 3))
    assert found.mean == pytest.approx(share)
    assert found.standard_error == pytest.approx(np.sqrt(share * (1 - share) / 150))
    assert (found.rows, found.how) == (150, "5-fold cross-validation")


def test_numbers_have_r2():
    data, y = load_diabetes(return_X_y=True, as_frame=True)
    y = y.to_numpy()
    tree = CARTRegressor(max_depth=2).fit(data, y)
    found = estimate(tree, data, y, None, 4, 0, shown=False)
    assert found.mean == pytest.approx(r2_score(y, out_of_fold(tree, data, y, 4, 0)))
    assert 0 < found.standard_error < 0.2


def test_weights_are_repetition_in_the_mean():
    weight = np.where(Y == 1, 2.0, 1.0)
    tree = CARTClassifier(max_depth=1).fit(X, Y, weight)
    found = estimate(tree, X, Y, weight, None, 0, shown=False)
    assert found.mean == pytest.approx(0.75)  # one class of three is wrong, and has a fourth of the weight


def test_many_rows_are_judged_by_a_fifth_that_is_held_out():
    rows = np.arange(FEW_ROWS + 1)
    table = pd.DataFrame({"a": rows})
    tree = CARTClassifier().fit(table, rows > 99)
    found = estimate(tree, table, rows > 99, None, None, 0, shown=False)
    assert found.rows == 401
    assert found.how == "held-out 401 rows"
    assert estimate(tree, table, rows > 99, None, 2, 0, shown=False).rows == FEW_ROWS + 1


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_few_rows_are_no_fault(rows):
    tree = CARTClassifier().fit(X[:rows], Y[:rows])
    found = estimate(tree, X[:rows], Y[:rows], None, None, 0, shown=False)
    assert (found is None) == (rows < 2)
    assert estimate(tree, X, Y, None, 0, 0, shown=False) is None


def test_a_target_of_one_value_has_no_r2():
    tree = CARTRegressor().fit(X, np.ones(150))
    assert estimate(tree, X, np.ones(150), None, None, 0, shown=False) is None


def test_every_class_is_divided_evenly():
    fold = _divide(np.repeat([0, 1], [10, 90]), 5, 0)
    assert np.bincount(fold[:10]).tolist() == [2] * 5
    assert np.bincount(fold).tolist() == [20] * 5
