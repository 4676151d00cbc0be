"""SADT's search against its plain version, and what its parameters promise."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodes import check_plane, root_of
from reference import annealing as reference
from reference import line
from sklearn.datasets import load_diabetes, load_wine
from strategies import make_table, scattered_tables, seeds, tables

from askew import CARTRegressor, SADTClassifier, SADTRegressor
from askew.datasets import make_ls10, make_pol
from askew.grow.criterion import as_criterion
from askew.search.annealing import Annealing

SMALL = Annealing(n_probes=20, max_unproductive=60, univariate=False)


def check_node(table, search, name, seed, min_samples_leaf=1.0):
    """The compiled walk ends at the plane of the plain one, and looks at as many hyperplanes."""
    criterion = as_criterion(name, classification=True)
    node = root_of(table, criterion, min_samples_leaf=min_samples_leaf)
    split = search.find(node, criterion, seed)
    score = line.kernel(criterion, table.n_classes)
    expected = reference.search_node(table, search, seed, score, min_samples_leaf)
    if expected is None:
        assert split is None
        return
    weights, threshold, V, n_evaluated = expected
    assert node.n_evaluated == n_evaluated
    if np.abs(V).min() < 1e-9:
        return  # the way back to the units of the data may move a row that lies on the plane
    np.testing.assert_array_equal(split.route(table.X) == 1, V > 0)
    check_plane(split, table.n_features, weights, threshold)


searches = st.builds(
    Annealing,
    perturb=st.sampled_from(["one", "all"]),
    step=st.sampled_from([0.5, 0.1, 2.0]),
    temperature=st.sampled_from([None, 0.0, 0.3]),
    n_probes=st.just(20),
    cooling=st.sampled_from([0.999, 0.9, 1.0]),
    max_unproductive=st.just(60),
    normalize=st.sampled_from(["minmax", None]),
    centre=st.booleans(),
    univariate=st.just(False),
)


@settings(max_examples=60)
@given(
    table=scattered_tables(varying=True),
    search=searches,
    name=st.sampled_from(["gini", "entropy", "twoing", "sum_minority"]),
    seed=seeds,
)
def test_the_walk_is_that_of_the_plain_version(table, search, name, seed):
    check_node(table, search, name, seed)


@given(table=scattered_tables(varying=True), least=st.integers(2, 6), seed=seeds)
def test_the_walk_keeps_to_the_least_samples_in_a_leaf(table, least, seed):
    check_node(table, SMALL, "gini", seed, min_samples_leaf=float(least))


def test_a_long_walk_among_rows_most_of_which_are_far_from_the_plane_is_the_plain_one():
    X, y = make_ls10(400, random_state=1)
    table = make_table(X[:, :4], y - 1)
    for step in (0.5, 0.05):
        search = Annealing(step=step, temperature=0.001, max_unproductive=1500, univariate=False)
        check_node(table, search, "entropy", seed=3)


@given(table=tables())
def test_a_criterion_function_gives_the_tree_of_the_named_criterion(table):
    def gini(left, right):
        def mass(side):
            n = side.sum(axis=1)
            return n - (side**2).sum(axis=1) / np.where(n > 0, n, 1)

        return (mass(left) + mass(right)) / (left + right).sum(axis=1)

    def found(criterion):
        node = root_of(table, as_criterion("gini", classification=True))
        split = SMALL.find(node, as_criterion(criterion, classification=True), 5)
        return None if split is None else (split.route(table.X).tolist(), node.n_evaluated)

    assert found(gini) == found("gini")


def test_the_walk_ends_after_the_unproductive_perturbations():
    X, y = make_ls10(300, random_state=0)
    rng = np.random.default_rng(0)
    noise = make_table(X, rng.permutation(y) - 1)
    criterion = as_criterion("entropy", classification=True)
    n_evaluated = {}
    for most in (1, 100, 10_000):
        node = root_of(noise, criterion)
        replace(SMALL, max_unproductive=most, temperature=0.0).find(node, criterion, 1)
        n_evaluated[most] = node.n_evaluated
    assert 2 <= n_evaluated[1] < n_evaluated[100] < n_evaluated[10_000]
    assert n_evaluated[10_000] > 10_000
    assert Annealing().max_unproductive == 10_000


def test_a_temperature_of_zero_never_climbs_and_a_high_one_wanders():
    X, y = make_pol(500, random_state=0)
    table, criterion = make_table(X, y - 1), as_criterion("gini", classification=True)
    scores = {}
    for temperature in (0.0, 1e9):
        search = Annealing(temperature=temperature, cooling=1.0, max_unproductive=300, univariate=False)
        split = search.find(root_of(table, criterion), criterion, 0)
        sides = [np.bincount(table.y[split.route(X) == child], minlength=2) for child in (0, 1)]
        scores[temperature] = criterion.score(sides)
    assert scores[0.0] < scores[1e9]


def test_a_univariate_split_is_taken_where_it_is_better():
    X = np.column_stack([np.arange(40.0), np.random.default_rng(0).normal(size=40)])
    table, criterion = make_table(X, np.arange(40) % 20 < 10), as_criterion("gini", classification=True)
    lazy = Annealing(max_unproductive=1, n_probes=1, temperature=0.0)
    assert lazy.find(root_of(table, criterion), criterion, 0).features.tolist() == [0]
    other = replace(lazy, univariate=False).find(root_of(table, criterion), criterion, 0)
    assert len(other.features) == 2


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_units_do_not_matter(scale):
    X, y = make_pol(400, random_state=1)
    tree = SADTClassifier(random_state=0, max_depth=3).fit(X, y)
    other = SADTClassifier(random_state=0, max_depth=3).fit(X * scale + 8 * scale, y)
    assert (tree.apply(X) == other.apply(X * scale + 8 * scale)).mean() > 0.99


@given(table=tables())
def test_a_weight_of_two_is_the_row_twice(table):
    weight = table.weight.astype(int)
    model = SADTClassifier(max_unproductive=100, max_depth=3, random_state=0)
    weighted = model.fit(table.X, table.y, weight).tree_
    repeated = model.fit(np.repeat(table.X, weight, axis=0), np.repeat(table.y, weight)).tree_
    for name in ("feature", "weight", "threshold", "value", "n_samples", "mass"):
        np.testing.assert_array_equal(getattr(weighted, name), getattr(repeated, name))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_numbers_are_learnt_no_worse_than_by_a_cut_of_one_feature(criterion):
    X, y = load_diabetes(return_X_y=True)
    power = 2 if criterion == "squared_error" else 1
    shared = {"criterion": criterion, "max_depth": 1, "random_state": 0}
    stump = (np.abs(CARTRegressor(**shared).fit(X, y).predict(X) - y) ** power).mean()
    plane = SADTRegressor(cooling=0.998, **shared).fit(X, y)
    assert (np.abs(plane.predict(X) - y) ** power).mean() <= stump
    alone = SADTRegressor(cooling=0.998, univariate=False, **shared).fit(X, y)
    assert np.diff(alone.tree_.feature_start)[0] == 10
    assert (np.abs(alone.predict(X) - y) ** power).mean() < (np.abs(np.median(y) - y) ** power).mean()


def test_three_classes_are_separated():
    X, y = load_wine(return_X_y=True)
    assert SADTClassifier(random_state=0).fit(X, y).get_n_leaves() <= 4
