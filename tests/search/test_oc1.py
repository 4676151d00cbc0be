"""OC1's search against its plain version, and what its parameters promise."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodes import check_plane, root_of
from reference import line
from reference import oc1 as reference
from sklearn.datasets import load_diabetes, load_wine
from strategies import make_table, scattered_tables, seeds

from askew import CARTClassifier, OC1Classifier, OC1Regressor, _core
from askew.datasets import make_ls10, make_pol
from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.prune.cost_complexity import CostComplexity
from askew.search.axis import AxisParallel, best_axis_cut
from askew.search.oc1 import OC1

SMALL = OC1(n_restarts=3, n_jumps=2, oblique_min_samples=1, axis_bias=0.0)


ANY = line.Leaf()
leaves = st.builds(line.Leaf, st.integers(1, 3), st.sampled_from([0.0, 0.0, 2.5, 5.0]))


def node_of(table, criterion, leaf=ANY):
    return root_of(table, criterion, min_samples_leaf=leaf.samples, min_weight_leaf=leaf.weight)


def check_node(table, search, name, seed, leaf=ANY):
    """The compiled search finds the plane of the plain version, and looks at as many hyperplanes."""
    criterion = as_criterion(name, classification=table.classification)
    axis = best_axis_cut(node_of(table, criterion, leaf), criterion)
    if axis is None or axis.score <= 0:
        return  # an axis-parallel split that is perfect, or none at all
    score = line.kernel(criterion, table.n_classes)
    plain = reference.search_node(table, search, axis, seed, score, leaf)
    weights, threshold, right, lowest, n_evaluated = plain
    node = node_of(table, criterion, leaf)
    split = search.find(node, criterion, seed)
    if lowest == np.inf:  # nothing but rounding parted the rows: the axis-parallel split is left
        assert (split.features.tolist(), split.threshold) == ([axis.feature], axis.threshold)
        return
    np.testing.assert_array_equal(split.route(table.X) == 1, right)
    assert node.n_evaluated == table.n_features + n_evaluated
    check_plane(split, table.n_features, weights, threshold)


searches = st.builds(
    OC1,
    n_restarts=st.integers(1, 3),
    n_jumps=st.integers(0, 3),
    order=st.sampled_from(["sequential", "best", "random"]),
    n_random_moves=st.integers(1, 12),
    stagnation=st.sampled_from(["counter", "exponential"]),
    max_stagnant=st.integers(0, 4),
    perturb_bias=st.booleans(),
    normalize=st.sampled_from([None, "minmax", "standard", "robust"]),
    centre=st.booleans(),
    oblique_min_samples=st.just(1),
    axis_bias=st.just(0.0),
)


@pytest.mark.parametrize("name", ["gini", "twoing", "sum_minority", "entropy"])
@settings(max_examples=20)
@given(table=scattered_tables(), search=searches, seed=seeds, leaf=leaves)
def test_a_node_is_searched_as_the_paper_says(name, table, search, seed, leaf):
    check_node(table, search, name, seed, leaf)


@pytest.mark.parametrize("order", ["sequential", "best", "random"])
@pytest.mark.parametrize("stagnation", ["counter", "exponential"])
def test_a_node_of_real_data_is_searched_as_the_paper_says(order, stagnation):
    X, y = load_wine(return_X_y=True)
    table = make_table(X[20:110:2, [0, 6, 9]], y[20:110:2], n_classes=3)
    check_node(table, replace(SMALL, order=order, stagnation=stagnation, perturb_bias=True), "twoing", 5)


@pytest.mark.extended
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_node_whose_lines_are_counted_into_bins_is_searched_as_the_paper_says(noise):
    X, y = make_pol(120, noise=noise, random_state=8)
    check_node(make_table(X, y - 1), SMALL, "twoing", 9)


@pytest.mark.parametrize("seed", [301, 437, 564])
def test_a_scale_that_is_rounded_otherwise_would_count_other_hyperplanes(seed):
    """A coefficient that is where it should be moves by 0, and stays, or by a rounding error, and counts as changed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 25))
    table = make_table(rng.normal(size=(n, 1)), rng.integers(2, size=n), n_classes=2)
    search = replace(SMALL, n_jumps=1, order="random", n_random_moves=3, max_stagnant=1, normalize="robust")
    check_node(table, search, "gini", seed)


def test_rows_that_only_rounding_parts_are_not_parted_in_the_data():
    """Two rows lie on the plane, on either side of it by 1e-17; in the units of the data both are at 0."""
    X = [[-1, 1, 2], [-1, 1, -1], [0, 0, 0], [-1, 1, 1], [2, -2, 0], [1, -1, -1], [0, -1, -1], [-1, -2, -1], [1, 1, -1]]
    table = make_table(X, [2, 0, 0, 2, 2, 2, 1, 1, 1])
    search = replace(SMALL, n_jumps=3, order="random", n_random_moves=11, max_stagnant=2)
    check_node(table, search, "twoing", 890373736, leaf=line.Leaf(3))


@pytest.mark.parametrize("leaf", [line.Leaf(12), line.Leaf(weight=9.5), line.Leaf(4, 7.0)])
def test_no_side_of_a_plane_has_less_than_a_leaf_must(leaf):
    """Not even that of a random plane from which no move leads on: the cut that scores best has one row on a side."""
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(40, 2)), rng.uniform(0.2, 2.0, size=40)
    y = rng.permutation(40) < 3
    table = make_table(X, y, weight, multiplicity=np.ones(40))
    criterion = as_criterion("gini", classification=True)
    for seed in range(10):
        split = replace(SMALL, n_restarts=20).find(node_of(table, criterion, leaf), criterion, seed)
        assert split.features.size == 2
        assert leaf.allows(table, split.route(X) == 1)


# --- the same tree


@pytest.mark.parametrize("max_loss", [None, 0.1])
def test_every_number_of_threads_grows_the_same_tree(max_loss):
    X, y = make_ls10(300, noise=0.05, random_state=0)
    table, criterion = make_table(X, y - 1), as_criterion("twoing", classification=True)
    search = OC1(n_restarts=8, max_loss=max_loss)
    one, *others = (grow(table, search, criterion, Limits(), 3, threads) for threads in (1, 2, 3, 8))
    assert all(other == one for other in others)


@pytest.mark.parametrize("parameters", [{}, {"max_loss": 0.1}, {"perturb_bias": True, "normalize": "robust"}])
@pytest.mark.parametrize("threads", [1, 2])
def test_recomputed_columns_give_the_same_tree_as_stored_columns(parameters, threads, monkeypatch):
    X, y = load_wine(return_X_y=True)
    X[:, 3] = 1.0  # a feature that takes no part, among those that are not kept
    table, criterion = make_table(X[:, ::-1], y), as_criterion("twoing", classification=True)
    search = OC1(n_restarts=5, **parameters)
    kept = grow(table, search, criterion, Limits(), 3, threads)
    monkeypatch.setattr(_core, "oc1", partial(_core.oc1, n_kept=0))
    assert grow(table, search, criterion, Limits(), 3, threads) == kept


@pytest.mark.parametrize("criterion", ["gini", "twoing", "entropy"])
def test_a_class_without_rows_changes_nothing(criterion):
    X, y = load_wine(return_X_y=True)
    present = y != 1
    scored = as_criterion(criterion, classification=True)
    three = replace(make_table(X[present], y[present]), n_classes=3)
    two = make_table(X[present], np.minimum(y[present], 1))
    found = [grow(table, OC1(n_restarts=3), scored, Limits(), 3) for table in (three, two)]
    np.testing.assert_array_equal(found[0].weight, found[1].weight)
    np.testing.assert_array_equal(found[0].threshold, found[1].threshold)
    assert found[0].n_hyperplanes == found[1].n_hyperplanes


@pytest.mark.parametrize("normalize", ["standard", "minmax", "robust"])
@pytest.mark.parametrize("change", [lambda X: X + 1000, lambda X: X * 1000, lambda X: X * 1e-200, lambda X: X * 1e200])
def test_pol_moved_and_stretched_is_parted_the_same(normalize, change):
    X, y = make_pol(400, random_state=1)
    trees = [OC1Classifier(normalize=normalize, pruning=None, random_state=0).fit(Z, y) for Z in (X, change(X))]
    first, second = (tree.apply(Z) for tree, Z in zip(trees, (X, change(X)), strict=True))
    np.testing.assert_array_equal(first, second)
    assert trees[0].get_n_leaves() < CARTClassifier().fit(X, y).get_n_leaves() / 2


def test_one_start_without_jumps_leaves_nothing_to_chance():
    X, y = load_wine(return_X_y=True)
    trees = [OC1Classifier(n_restarts=1, n_jumps=0, pruning=None, random_state=seed).fit(X, y) for seed in range(4)]
    assert all(tree.tree_ == trees[0].tree_ for tree in trees)


def test_without_oblique_splits_the_tree_is_the_axis_parallel_one():
    X, y = load_wine(return_X_y=True)
    axis = OC1Classifier(oblique=False, pruning=None).fit(X, y).tree_
    np.testing.assert_array_equal(axis.threshold, CARTClassifier(criterion="twoing").fit(X, y).tree_.threshold)
    assert (np.diff(axis.feature_start) <= 1).all()
    X, y = load_diabetes(return_X_y=True)
    table, criterion = make_table(X[:80], y[:80], n_classes=0), as_criterion("absolute_error", classification=False)
    plain, axis = (grow(table, search, criterion, Limits(), 0) for search in (AxisParallel(), OC1(oblique=False)))
    assert plain == axis


# --- parameters


def test_an_oblique_split_is_taken_if_its_score_times_the_bias_is_lower():
    X, y = make_pol(300, random_state=2)
    table, criterion = make_table(X, y - 1), as_criterion("twoing", classification=True)
    axis = best_axis_cut(node_of(table, criterion), criterion)
    plane = OC1(axis_bias=0.0).find(node_of(table, criterion), criterion, 1)
    sides = [np.bincount(table.y[plane.route(X) == child], minlength=2) for child in (0, 1)]
    ratio = axis.score / criterion.score(sides)
    assert ratio > 1
    for bias, oblique in ((1.0, True), (ratio * 0.999, True), (ratio * 1.001, False), (1e9, False)):
        split = OC1(axis_bias=bias).find(node_of(table, criterion), criterion, 1)
        assert (split.features.size > 1) == oblique


@pytest.mark.parametrize(("least", "oblique"), [("2d", True), (8, True), (9, False), (1, True)])
def test_fewer_samples_than_asked_get_an_axis_parallel_split(least, oblique):
    table = make_table(np.random.default_rng(3).normal(size=(8, 4)), np.arange(8) % 2)
    criterion = as_criterion("gini", classification=True)
    split = OC1(oblique_min_samples=least, axis_bias=0.0).find(node_of(table, criterion), criterion, 1)
    assert (split.features.size > 1) == oblique


@pytest.mark.parametrize(("max_features", "most"), [(1, 1), (3, 3), (0.5, 6), ("sqrt", 3), ("log2", 3), (None, 13)])
def test_a_split_uses_no_more_features_than_allowed(max_features, most):
    X, y = load_wine(return_X_y=True)
    tree = OC1Classifier(max_features=max_features, pruning=None, axis_bias=0.0, random_state=0).fit(X, y).tree_
    used = np.diff(tree.feature_start)
    assert used.max() == most


@pytest.mark.parametrize("max_loss", [0.0, 0.1, 0.5])
def test_features_are_dropped_within_the_loss_that_is_allowed(max_loss):
    X, y = make_ls10(200, noise=0.1, random_state=4)
    table, criterion = make_table(X, y - 1), as_criterion("gini", classification=True)
    axis = best_axis_cut(node_of(table, criterion), criterion)

    def score(split):
        sides = [np.bincount(table.y[split.route(X) == child], minlength=2) for child in (0, 1)]
        return criterion.score(sides)

    full, sparse = (
        OC1(max_loss=loss, axis_bias=0.0).find(node_of(table, criterion), criterion, 1) for loss in (None, max_loss)
    )
    assert score(sparse) <= score(full) + max_loss * (axis.score - score(full)) + 1e-12
    assert sparse.features.size <= full.features.size - (2 if max_loss == 0.5 else 0)


def test_enough_restarts_and_jumps_separate_ls10():
    """As footnote 8 of OC1-94 has it, on fewer rows."""
    X, y = make_ls10(200, random_state=0)
    tree = OC1Classifier(n_restarts=10, n_jumps=200, pruning=None, random_state=0).fit(X, y)
    assert tree.get_n_leaves() == 2
    assert OC1Classifier(n_restarts=1, n_jumps=0, pruning=None).fit(X, y).get_n_leaves() > 2


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_slanted_step_is_learnt_by_a_regression_tree(criterion):
    X = np.random.default_rng(0).uniform(-1, 1, size=(150, 3))
    y = np.where(X @ [1.0, -2.0, 1.0] > 0.1, 5.0, -5.0)
    tree = OC1Regressor(criterion=criterion, pruning=None, n_jumps=20, random_state=0).fit(X, y)
    assert tree.get_n_leaves() == 2
    np.testing.assert_allclose(tree.predict(X), y)


def test_a_criterion_in_python_grows_the_tree_of_the_compiled_one():
    X, y = make_pol(150, random_state=5)

    def gini(left, right):
        def mass(counts):
            n = counts.sum(axis=1)
            return n - (counts * counts).sum(axis=1) / np.where(n > 0, n, 1)

        return (mass(left) + mass(right)) / (left.sum(axis=1) + right.sum(axis=1))

    own, named = (
        OC1Classifier(criterion=c, n_restarts=4, pruning=None, random_state=0).fit(X, y) for c in (gini, "gini")
    )
    np.testing.assert_array_equal(own.apply(X), named.apply(X))


def test_the_score_is_that_of_the_plane_after_rounding_to_the_units_of_the_data():
    """Values so near each other, so far from 0, that a sum of two of them forgets the order of the rows."""
    rng = np.random.default_rng(6)
    X = 2.0**52 + rng.integers(0, 40, size=(60, 2))
    y = ((X[:, 0] + X[:, 1]) % 2**52 > 40).astype(int)
    table, criterion = make_table(X, y), as_criterion("gini", classification=True)
    axis = best_axis_cut(node_of(table, criterion), criterion)
    split = OC1(normalize="minmax").find(node_of(table, criterion), criterion, 1)
    sides = [np.bincount(y[split.route(X) == child], minlength=2) for child in (0, 1)]
    assert criterion.score(sides) <= axis.score


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_huge_target_gives_the_tree_of_the_same_target_in_other_units(criterion):
    X, y = load_diabetes(return_X_y=True)
    search = OC1Regressor(criterion=criterion, pruning=None, n_restarts=2, random_state=0)
    unit = 2.0**455  # 2^455 x 346 is below 1e140, and a power of two rounds nothing
    small, huge = (search.fit(X[:90], y[:90] * scale).tree_ for scale in (1.0, unit))
    np.testing.assert_array_equal(huge.weight, small.weight)
    np.testing.assert_array_equal(huge.threshold, small.threshold)
    np.testing.assert_array_equal(huge.value, small.value * unit)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("pruning", [CostComplexity(cv=3), CostComplexity(tolerance=1.0)])
def test_a_huge_target_is_pruned_without_a_warning(criterion, pruning):
    X, y = load_diabetes(return_X_y=True)
    tree = OC1Regressor(criterion=criterion, pruning=pruning, n_restarts=2, random_state=0).fit(X[:90], y[:90] * 1e137)
    assert np.isfinite(tree.predict(X)).all()


def test_a_column_of_many_categories_does_not_turn_the_oblique_search_off():
    """A feature of categories counts once among the features of the data, not once a column."""
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.uniform(size=(120, 3)), columns=["a", "b", "c"])
    y = frame.a + 0.7 * frame.b > 0.8
    frame["when"] = [f"day {i}" for i in rng.integers(0, 84, 120)]
    assert OC1Classifier(pruning=None, random_state=0).fit(frame, y).get_n_leaves() == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_tells_how_far_it_is(threads):
    rng, told = np.random.default_rng(0), []
    node = root_of(make_table(rng.normal(size=(2000, 8)), rng.integers(4, size=2000)), threads=threads)
    node.progress = told.append
    OC1(n_restarts=200).find(node, as_criterion("twoing", classification=True), 0)
    assert told == sorted(told)
    assert 0 < told[-1] < 1
