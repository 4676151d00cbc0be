import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew import CARTELCClassifier, CARTELCRegressor
from askew.parameters import InvalidParameterError

X, Y = load_iris(return_X_y=True)
HOLES = np.random.default_rng(0).random(X.shape) < 0.1
HOLED = np.where(HOLES, np.nan, X)


def test_a_row_that_lacks_a_tested_feature_goes_below_the_plane():
    tree = CARTELCClassifier(r=1, max_depth=1, missing="below").fit(X[:, 2:3], Y)
    on_or_above, below = tree.tree_.first_child[0], tree.tree_.first_child[0] + 1
    assert tree.apply([[9.0], [1.0], [np.nan]]).tolist() == [on_or_above, below, below]


@pytest.mark.parametrize("r", [1, 2])
def test_training_rows_with_holes_end_where_they_were_counted(r):
    tree = CARTELCClassifier(r=r, missing="below", max_depth=3).fit(HOLED, Y)
    leaf = tree.apply(HOLED)
    for node in np.unique(leaf):
        np.testing.assert_array_equal(np.bincount(Y[leaf == node], minlength=3), tree.tree_.value[node])
    assert tree.score(HOLED, Y) > 0.85
    assert tree.feature_means_ is None


def test_without_holes_it_changes_nothing():
    below, mean = (CARTELCClassifier(missing=missing, max_depth=3).fit(X, Y) for missing in ("below", "mean"))
    assert below.tree_ == mean.tree_


def test_spreads_and_importances_are_of_what_is_known():
    tree = CARTELCClassifier(missing="below", max_depth=2).fit(HOLED, Y)
    np.testing.assert_allclose(tree.feature_scale_, np.nanstd(HOLED, axis=0))
    assert tree.feature_importances_.sum() == pytest.approx(1)


def test_a_column_without_any_number_is_no_obstacle():
    holed = np.column_stack([np.full(len(Y), np.nan), X[:, 3]])
    tree = CARTELCClassifier(r=2, missing="below", max_depth=2).fit(holed, Y)
    assert tree.score(holed, Y) > 0.9
    assert tree.feature_scale_[0] == 1.0


def test_being_missing_may_tell_the_class():
    column = np.where(Y == 1, np.nan, 7.0)[:, None]
    tree = CARTELCClassifier(r=1, missing="below").fit(column, Y == 1)
    assert tree.score(column, Y == 1) == 1.0


def test_numbers_are_predicted_with_holes_too():
    rows, y = load_diabetes(return_X_y=True)
    holed = np.where(np.random.default_rng(1).random(rows.shape) < 0.1, np.nan, rows)[:120, :4]
    tree = CARTELCRegressor(missing="below", max_depth=2).fit(holed, y[:120])
    leaf = tree.apply(holed)
    assert tree.get_n_leaves() > 2
    for node in np.unique(leaf):
        assert tree.tree_.value[node, 0] == pytest.approx(y[:120][leaf == node].mean())


def test_a_tree_with_holes_is_kept_and_pruned_like_any_other(tmp_path):
    tree = CARTELCClassifier(missing="below", pruning="cost_complexity", random_state=0).fit(HOLED, Y)
    askew.save(tree, tmp_path / "tree.askew")
    np.testing.assert_array_equal(askew.load(tmp_path / "tree.askew").predict(HOLED), tree.predict(HOLED))


def test_every_number_of_threads_gives_the_same_tree_with_holes():
    one, two = (CARTELCClassifier(missing="below", max_depth=3, n_jobs=n).fit(HOLED, Y) for n in (1, 2))
    assert one.tree_ == two.tree_


def test_other_trees_do_not_know_below():
    with pytest.raises(InvalidParameterError, match="missing"):
        askew.CARTClassifier(missing="below").fit(X, Y)


def test_a_fit_of_more_than_a_minute_tells_its_cost_before_it_begins():
    rows = np.random.default_rng(0).normal(size=(2000, 8))
    with pytest.raises(UserWarning, match=r"through 4 of 2000 samples .* takes about \d+ days"):  # raised: not begun
        CARTELCClassifier(r=4).fit(rows, rows[:, 0] > 0)
    tree = CARTELCClassifier(r=4, max_candidates=10**5, max_depth=1, random_state=0).fit(rows, rows[:, 0] > 0)
    assert tree.n_hyperplanes_ <= 10**5


def test_a_missing_category_is_one_of_its_own():
    rows = np.array([["red", 1.0], ["blue", np.nan], [None, 3.0], [None, 4.0]], dtype=object)
    tree = CARTELCClassifier(r=1, missing="below", categorical_features=[0]).fit(rows, [0, 0, 1, 1])
    assert tree.predict(rows).tolist() == [0, 0, 1, 1]
    assert tree.get_n_leaves() == 2
