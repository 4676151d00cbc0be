"""Regression by every search, beside brute force: all divisions of a few points by a line."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from nodes import root_of
from registry import REGRESSORS, accepts, grows_the_whole_tree, plain
from sklearn.datasets import load_diabetes
from strategies import make_table

from askew.grow.criterion import as_criterion
from askew.search import SEARCHES, as_search

SERVING = [name for name in sorted(SEARCHES) if not getattr(SEARCHES[name], "classification_only", False)]
CENTRES = {"squared_error": np.mean, "absolute_error": np.median}
every_search = pytest.mark.parametrize("name", SERVING)
TREES = [cls for cls in REGRESSORS if accepts(cls, criterion=None, pruning=None) and grows_the_whole_tree(cls)]
every_tree = pytest.mark.parametrize("cls", TREES, ids=lambda cls: cls.__name__)
both_criteria = pytest.mark.parametrize("criterion", CENTRES)


def loss(y, criterion):
    """Sum of squared deviations from the mean, or of absolute ones from the median."""
    deviation = np.abs(y - CENTRES[criterion](y))
    return float((deviation**2 if criterion == "squared_error" else deviation).sum())


def divided(y, upper, criterion):
    return loss(y[upper], criterion) + loss(y[~upper], criterion)


def by_a_line(X):
    """Every division of points of the plane, no three of them on a line, into two parts by a line.

    A line that divides them can be moved until it goes through two of them, each of which was on either side.
    """
    for i, j in combinations(range(len(X)), 2):
        normal = np.array([X[j, 1] - X[i, 1], X[i, 0] - X[j, 0]])
        above = (X - X[i]) @ normal > 0
        for sides in ((True, True), (True, False), (False, True), (False, False)):
            above[[i, j]] = sides
            if 0 < above.sum() < len(X):
                yield above.copy()


def through_two_points(X):
    """The divisions that CART-ELC looks at: the points of a line are with those above it."""
    for i, j in combinations(range(len(X)), 2):
        normal = np.array([X[j, 1] - X[i, 1], X[i, 0] - X[j, 0]])
        above = (X - X[i]) @ normal * np.sign(normal[0]) > 0
        above[[i, j]] = True
        if above.sum() < len(X):
            yield above


def by_a_feature(X):
    """Every division by a threshold on one feature."""
    for column in X.T:
        for value in np.sort(column)[:-1]:
            yield column > value


def small(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2))
    return X, (X @ rng.normal(size=2) > 0) * 3.0 + rng.normal(size=12)


@cache
def best(ways, seed, criterion):
    X, y = small(seed)
    return min(divided(y, upper, criterion) for upper in ways(X))


def found(name, X, y, criterion):
    """The division that a search makes."""
    table, scoring = make_table(X, y, n_classes=0), as_criterion(criterion, classification=False)
    return as_search(name).find(root_of(table, criterion), scoring, 7).route(X) == 1


# What these search, they search through.
EXACT = {"axis": by_a_feature, "exhaustive": through_two_points}
# These take the best split by one feature where they find no better one.
FALL_BACK = {"cart_lc", "cross_entropy", "householder", "oc1"}


@every_search
@both_criteria
def test_a_split_is_the_best_of_its_kind_or_at_least_that_of_one_feature(name, criterion):
    for seed in range(8):
        X, y = small(seed)
        ours = divided(y, found(name, X, y, criterion), criterion)
        if name in EXACT:
            assert ours == pytest.approx(best(EXACT[name], seed, criterion))
        else:
            most = best(by_a_feature, seed, criterion) if name in FALL_BACK else loss(y, criterion)
            assert best(by_a_line, seed, criterion) - 1e-9 <= ours <= most + 1e-9


@pytest.mark.parametrize("name", sorted(FALL_BACK | {"exhaustive"}))
@both_criteria
def test_an_oblique_split_is_often_better_than_any_univariate_one(name, criterion):
    better = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 2))
        y = (X.sum(axis=1) > 0) * 5.0 + 0.1 * rng.normal(size=30)
        feature = min(divided(y, u, criterion) for u in by_a_feature(X))
        better += divided(y, found(name, X, y, criterion), criterion) < 0.9 * feature
    assert better >= 4


@every_tree
@both_criteria
def test_a_leaf_predicts_the_mean_or_the_median_of_its_rows(cls, criterion):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:120, :4], y[:120]
    tree = plain(cls, criterion=criterion, max_depth=3).fit(X, y)
    leaf, answer = tree.apply(X), tree.predict(X)
    assert len(set(leaf)) == tree.get_n_leaves() > 2
    for one in set(leaf):
        rows = np.sort(y[leaf == one])
        expected = rows.mean() if criterion == "squared_error" else rows[(rows.size - 1) // 2]
        assert answer[leaf == one] == pytest.approx(expected)


@every_tree
def test_a_regressor_follows_a_slanted_step_with_few_leaves(cls):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    y = np.where(X @ [1.0, 0.6] > 0.2, 4.0, -1.0)
    tree = plain(cls).fit(X, y)
    assert tree.predict(X) == pytest.approx(y)
    assert tree.tree_.impurity[0] == pytest.approx(y.var())
