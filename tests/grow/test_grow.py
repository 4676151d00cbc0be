import gc
import weakref
from math import inf, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import axis as reference
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from strategies import make_table, tables

from askew import _core
from askew.grow.criterion import CLASSIFICATION, REGRESSION, as_criterion
from askew.grow.grow import child_seed, grow, is_search, node_by_node
from askew.grow.limits import Limits
from askew.model.split import Hyperplane, LinearMachine
from askew.search.axis import AxisParallel

GINI = as_criterion("gini", classification=True)


class FindOnly:
    """The axis-parallel search without its own `grow`: the loop in Python has to do it."""

    def find(self, node, criterion, seed):
        return AxisParallel().find(node, criterion, seed)


limits = st.builds(
    Limits,
    max_depth=st.just(inf) | st.integers(1, 4),
    min_samples_split=st.integers(2, 8),
    min_samples_leaf=st.integers(1, 4),
    max_leaf_nodes=st.just(inf) | st.integers(2, 8),
    min_impurity_decrease=st.sampled_from([0.0, 0.01, 0.05]),
    impurity_threshold=st.sampled_from([0.0, 0.2]),
    min_weight_leaf=st.sampled_from([0.0, 2.0, 5.0]),
)
kinds = [(name, True) for name in CLASSIFICATION] + [(name, False) for name in REGRESSION]


def both_ways(table, name, bounds):
    criterion = as_criterion(name, classification=table.classification)
    return tuple(grow(table, search, criterion, bounds, 0) for search in (AxisParallel(), FindOnly()))


@pytest.mark.parametrize(("name", "classification"), kinds)
@given(data=st.data(), bounds=limits)
def test_the_compiled_growth_gives_the_tree_of_the_loop_in_python(name, classification, data, bounds):
    compiled, looped = both_ways(data.draw(tables(classification)), name, bounds)
    assert compiled == looped


@pytest.mark.parametrize(("name", "classification"), kinds)
@pytest.mark.parametrize("max_leaf_nodes", [inf, 12])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_two_growths_agree_on_real_data(name, classification, max_leaf_nodes, weighted):
    X, y = load_wine(return_X_y=True) if classification else load_diabetes(return_X_y=True)
    weight = np.random.default_rng(1).uniform(0.5, 2, size=y.size) if weighted else None
    table = make_table(X, y, weight, np.ones(y.size), 3 if classification else 0)
    compiled, looped = both_ways(table, name, Limits(max_leaf_nodes=max_leaf_nodes, max_depth=6))
    assert compiled == looped
    assert compiled.n_leaves > 2


@pytest.mark.parametrize("name", CLASSIFICATION)
@given(table=tables(), max_depth=st.just(inf) | st.integers(1, 3), min_samples_leaf=st.integers(1, 4))
def test_a_tree_is_the_one_of_plain_recursion(name, table, max_depth, min_samples_leaf):
    criterion = as_criterion(name, classification=True)
    bounds = Limits(max_depth=max_depth, min_samples_leaf=min_samples_leaf)
    tree = grow(table, AxisParallel(), criterion, bounds, 0)
    expected = reference.grow(
        table,
        np.arange(table.n_rows),
        name,
        min_samples_leaf,
        max_depth,
        score=lambda left, right: criterion.score([left, right]),
    )
    assert reference.read(tree, table) == expected


@pytest.mark.parametrize(("name", "classification"), kinds)
def test_every_number_of_threads_gives_the_same_tree(name, classification):
    X, y = load_breast_cancer(return_X_y=True)
    X = np.vstack([X, X + 0.01])  # more than 20,000 numbers: threads are used
    y = np.concatenate([y, y])
    table = make_table(X, y if classification else X[:, 0] * y, n_classes=2 if classification else 0)
    criterion = as_criterion(name, classification=classification)
    one, *others = (grow(table, AxisParallel(), criterion, Limits(max_depth=4), 0, threads) for threads in (1, 2, 3))
    assert all(other == one for other in others)


def test_the_counts_of_each_node_are_those_of_its_rows():
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(2).integers(1, 5, size=y.size)
    table = make_table(X, y, weight)
    tree = grow(table, FindOnly(), as_criterion("gini", classification=True), Limits(), 0)
    passed = tree.decision_path(table.X).toarray().astype(bool)
    for node in range(tree.node_count):
        here = passed[:, node]
        np.testing.assert_array_equal(tree.value[node], np.bincount(y[here], weight[here], minlength=3))
        assert tree.n_samples[node] == weight[here].sum() == tree.mass[node]


def test_a_node_may_have_more_than_two_children():
    class ByClass:
        def find(self, node, criterion, seed):
            return LinearMachine([0], [[0.0, 0.0], [1.0, -0.5], [2.0, -2.0]]) if node.depth == 0 else None

    table = make_table([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]], [0, 0, 1, 1, 2, 2])
    tree = grow(table, ByClass(), as_criterion("gini", classification=True), Limits(), 0)
    np.testing.assert_array_equal(tree.n_children, [3, 0, 0, 0])
    np.testing.assert_array_equal(tree.apply(table.X), [1, 1, 2, 2, 3, 3])


def test_a_split_of_so_many_ways_that_there_would_be_too_many_leaves_is_not_made():
    class InThree:
        def find(self, node, criterion, seed):
            low = float(node.X.min())
            return LinearMachine([0], [[0.0, 0.0], [1.0, -low - 0.5], [2.0, -2 * low - 2.0]])

    table = make_table(np.arange(9.0)[:, None], np.arange(9) % 2)
    for most, leaves in ((2, 1), (3, 3), (4, 3), (5, 5), (6, 5)):
        tree = grow(table, InThree(), as_criterion("gini", classification=True), Limits(max_leaf_nodes=most), 0)
        assert tree.n_leaves == leaves


def test_a_split_that_leaves_a_child_empty_is_refused():
    class Useless:
        def find(self, node, criterion, seed):
            return LinearMachine([0], [[0.0, 1.0], [0.0, 0.0]])

    table = make_table([[0.0], [1.0]], [0, 1])
    assert grow(table, Useless(), as_criterion("gini", classification=True), Limits(), 0).n_leaves == 1


def test_each_node_has_the_seed_of_its_path():
    seen = {}

    class Spy(FindOnly):
        def find(self, node, criterion, seed):
            seen[tuple(node.rows.tolist())] = seed
            return super().find(node, criterion, seed)

    table = make_table([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    for bounds in (Limits(), Limits(max_leaf_nodes=4)):  # the order of growth does not matter
        seen.clear()
        grow(table, Spy(), as_criterion("gini", classification=True), bounds, 11)
        assert seen[0, 1, 2, 3] == 11
        assert seen[1, 2, 3] == child_seed(11, 1)
        assert seen[2, 3] == child_seed(child_seed(11, 1), 1)


@pytest.mark.parametrize("bounds", [Limits(), Limits(max_leaf_nodes=3), Limits(max_depth=1)])
def test_progress_runs_to_one_and_says_so_once(bounds):
    told = []
    grow(make_table(*load_wine(return_X_y=True)), FindOnly(), GINI, bounds, 0, progress=told.append)
    assert told == sorted(told)
    assert [share for share in told if share == 1.0] == told[-1:]


def test_progress_is_told_after_every_node_and_in_even_steps():
    """Not first at the first leaf: the searches of the nodes above it are most of the work."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    told, nodes = [], []

    class Counting(FindOnly):
        def find(self, node, criterion, seed):
            nodes.append(len(told))
            return super().find(node, criterion, seed)

    criterion = as_criterion("gini", classification=True)
    grow(make_table(X, rng.integers(0, 3, 500)), Counting(), criterion, Limits(), 0, progress=told.append)
    assert nodes[:4] == [0, 1, 2, 3]
    assert told[0] == pytest.approx(1 / (1 + log2(500) / 2))  # a tree of n rows has some log2(n) / 2 levels
    assert max(np.diff(told)) < 0.3


def test_a_search_tells_how_far_it_is_in_the_share_of_its_node():
    class Telling(FindOnly):
        def find(self, node, criterion, seed):
            node.progress(0.5)
            return super().find(node, criterion, seed)

    told = []
    grow(make_table([[0.0], [1.0], [2.0]], [0, 1, 1]), Telling(), GINI, Limits(), 0, progress=told.append)
    root = 1 / (1 + log2(3) / 2)
    assert told == pytest.approx([root / 2, root, root + (1 - root) * 2 / 3, 1.0])  # the last child is the first


# --- what a search is given


SEEN = (
    "n_samples", "mass", "value", "pure", "rows", "grown_on", "min_samples_leaf", "min_weight_leaf", "threads",
    "progress",
)  # fmt: skip


class Spy(FindOnly):
    """Keeps what it is asked about."""

    def __init__(self):
        self.seen = []

    def find(self, node, criterion, seed):
        self.seen.append({name: getattr(node, name) for name in SEEN})
        assert (node.kernel, node.X.shape[0], node.y.size, node.weight.size) == (node.kernel, *[node.rows.size] * 3)
        return super().find(node, criterion, seed)


def wine():
    X, y = load_wine(return_X_y=True)
    return make_table(X, y, np.random.default_rng(3).integers(1, 4, size=y.size))


def test_a_search_sees_the_limits_the_threads_and_all_data():
    table, spy = wine(), Spy()
    grow(table, spy, GINI, Limits(min_samples_leaf=3, min_weight_leaf=2.5), 0, threads=2)
    assert len(spy.seen) > 3
    for seen in spy.seen:
        assert (seen["min_samples_leaf"], seen["min_weight_leaf"], seen["threads"]) == (3, 2.5, 2)
        assert seen["progress"] is None
        assert seen["pure"] is False
        assert seen["grown_on"] is table
        assert seen["mass"] == seen["n_samples"] == table.weight[seen["rows"]].sum() == seen["value"].sum()


@pytest.mark.parametrize("way", [grow, node_by_node])
def test_one_thread_is_used_and_no_progress_told_unless_they_are_asked_for(way):
    spy = Spy()
    way(wine(), spy, GINI, Limits(), 0)
    assert {(seen["threads"], seen["progress"]) for seen in spy.seen} == {(1, None)}


def test_a_growth_keeps_no_node_that_was_searched():
    searched = []

    class Watching(FindOnly):
        def find(self, node, criterion, seed):
            gc.collect()
            assert not any(known() for known in searched)
            searched.append(weakref.ref(node))
            return super().find(node, criterion, seed)

    grow(wine(), Watching(), GINI, Limits(), 0, progress=lambda share: None)
    assert len(searched) > 3


def test_a_growth_node_by_node_does_without_the_growth_of_the_search():
    class Both(Spy):
        def grow(self, *given):
            return given

    spy, table, limits = Both(), wine(), Limits()
    assert grow(table, spy, GINI, limits, 5, 2, print) == (table, GINI, limits, 5, 2, print)
    assert grow(table, spy, GINI, limits, 5) == (table, GINI, limits, 5, 1, None)
    assert node_by_node(wine(), spy, GINI, Limits(), 0) == grow(wine(), FindOnly(), GINI, Limits(), 0)


def test_seeds_are_those_of_splitmix64():
    assert [child_seed(0, child) for child in range(2)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    assert child_seed(2**64 - 1, 5) < 2**64


def test_an_object_with_find_is_a_search_and_a_string_or_a_class_is_none():
    assert is_search(FindOnly())
    assert not any(map(is_search, ("text", FindOnly, object(), None)))


# --- limits that the search does not keep


class Cut:
    """Cuts every node at its first value, whatever the limits say."""

    def find(self, node, criterion, seed):
        node.n_evaluated += 2
        return Hyperplane([0], [1.0], float(node.X.min()))


@pytest.mark.parametrize(
    ("limits", "leaves"),
    [
        (Limits(), 4),
        (Limits(min_samples_leaf=2), 1),
        (Limits(min_weight_leaf=0.25), 4),
        (Limits(min_weight_leaf=0.26), 1),
        (Limits(min_samples_split=3), 3),
        (Limits(max_depth=2), 3),
        (Limits(min_impurity_decrease=0.17), 1),  # the first cut lowers the impurity from 1/2 to 1/3
        (Limits(min_impurity_decrease=0.16), 2),
        (Limits(impurity_threshold=0.44), 4),
        (Limits(impurity_threshold=0.45), 2),  # three rows have 4/9
        (Limits(impurity_threshold=0.5), 1),
    ],
)
def test_a_split_that_the_limits_forbid_is_refused_whoever_found_it(limits, leaves):
    table = make_table(np.arange(4.0)[:, None], [0, 1, 0, 1], np.full(4, 0.25), np.ones(4))
    tree = grow(table, Cut(), GINI, limits, 0)
    assert tree.n_leaves == leaves
    assert tree.n_hyperplanes % 2 == 0


def test_a_split_that_makes_nothing_purer_is_made_unless_the_limits_ask_for_a_decrease():
    table = make_table(np.arange(4.0)[:, None], [0, 1, 1, 0], [1, 1, 1, 1])
    halves = type("Halves", (), {"find": lambda *_: Hyperplane([0], [1.0], 1.5)})()
    for limits, leaves in ((Limits(), 2), (Limits(max_leaf_nodes=4), 2), (Limits(min_impurity_decrease=1e-9), 1)):
        assert grow(table, halves, GINI, limits, 0).n_leaves == leaves


def test_a_gain_below_zero_by_rounding_is_no_reason_to_refuse_a_split():
    table = make_table(np.arange(21.0)[:, None], np.tile(np.arange(7), 3), np.full(21, 0.7), np.ones(21))
    third = type("Third", (), {"find": lambda *_: Hyperplane([0], [1.0], 6.5)})()  # the gain is -2e-16
    assert grow(table, third, GINI, Limits(max_leaf_nodes=2), 0).n_leaves == 2


def test_25_ctrl_c_is_heard_between_two_small_nodes_in_a_thread_of_a_team():
    flag, calls = _core.StopFlag(), []

    class Interrupted(FindOnly):
        def find(self, node, criterion, seed):
            calls.append(node)
            flag.set()
            return super().find(node, criterion, seed)

    _core.listen_to(flag)
    try:
        with pytest.raises(KeyboardInterrupt):
            node_by_node(make_table(*load_wine(return_X_y=True)), Interrupted(), GINI, Limits(), 0)
    finally:
        _core.listen_to(None)
    assert len(calls) == 1
