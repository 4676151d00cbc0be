from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_diabetes, load_wine
from strategies import make_table, tables

from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.grow.rows import LocalRows, recounted
from askew.model.split import CategoryTable, Hyperplane
from askew.search.axis import AxisParallel

GINI = as_criterion("gini", classification=True)


def all_of(table, **limits):
    return LocalRows(table, table.all_rows, Limits(**limits))


def test_rows_with_an_answer_go_to_one_child():
    table = make_table([[0.0], [1.0], [2.0]], [0, 1, 1])
    left, right = all_of(table, min_samples_leaf=3).divide(Hyperplane([0], [1.0], 0.5))
    assert left.table is right.table is left.grown_on is table
    assert (left.rows.tolist(), right.rows.tolist()) == ([0], [1, 2])
    assert left.limits.min_samples_leaf == 3


def test_rows_without_an_answer_go_to_every_child_that_others_went_to_in_parts():
    table = replace(make_table([[0.0], [1.0], [np.nan], [2.0]], [0, 1, 1, 0], weight=[1, 2, 4, 1]), divides=True)
    children = all_of(table).divide(CategoryTable(0, [0, 1, 1, 2], default=3))
    assert [rows.table.weight[rows.rows].tolist() for rows in children] == [[1, 1], [2, 3, 1], [], []]
    assert [rows.n_samples for rows in children] == [2, 6, 0, 0]
    assert [rows.mass for rows in children] == [2, 6, 0, 0]
    assert all(rows.grown_on is table for rows in children)


@given(table=tables())
def test_recounting_a_tree_that_was_grown_changes_nothing(table):
    tree = grow(table, AxisParallel(), GINI, Limits(), 0)
    assert recounted(tree, table, GINI) == tree


@pytest.mark.parametrize("classification", [True, False])
def test_a_cut_has_the_score_of_its_split_and_of_its_plane(classification):
    X, y = load_wine(return_X_y=True) if classification else load_diabetes(return_X_y=True)
    table = make_table(X, y, n_classes=3 if classification else 0)
    rows = LocalRows(table, table.all_rows[::2], Limits(min_samples_leaf=10))
    criterion = as_criterion("gini" if classification else "squared_error", classification=classification)
    feature, threshold, score = rows.axis_cut(criterion)
    split = Hyperplane([feature], [1.0], threshold)
    assert rows.split_scores(criterion, [None, split]) == [np.inf, pytest.approx(score)]
    thresholds, scores = rows.plane_cuts(criterion, np.eye(1, rows.n_features, feature))
    assert (thresholds[0], scores[0]) == (pytest.approx(threshold), pytest.approx(score))
    assert rows.split_scores(criterion, [Hyperplane([feature], [1.0], X[:, feature].min())]) == [np.inf]
    if classification:
        first = rows.divide(split)[0]
        np.testing.assert_array_equal(rows.class_mass(split), np.bincount(y[first.rows], minlength=3))
