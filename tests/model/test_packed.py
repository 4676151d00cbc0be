import numpy as np
import pytest
from handmade import chain_tree, mixed_tree

from askew import ObliqueForestClassifier
from askew.model.packed import PackedTrees

X = np.random.default_rng(0).integers(-2, 4, (5000, 3)).astype(float)  # more rows than a task of a thread


def trees():
    return [mixed_tree(), mixed_tree().collapse(np.array([1])), mixed_tree().collapse(np.array([0])), mixed_tree()]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_tree_sends_every_row_to_the_leaf_that_it_does_alone(threads):
    packed = PackedTrees.of(trees())
    assert packed.n_trees == 4
    alone = np.column_stack([tree.apply(X) for tree in trees()])
    assert np.array_equal(packed.apply(X, threads), alone)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_entries_of_the_leaves_are_summed_in_the_order_of_the_trees(threads):
    rng = np.random.default_rng(1)
    entries = [rng.normal(size=(tree.node_count, 2)) for tree in trees()]
    expected = np.zeros((len(X), 2))
    for tree, entry in zip(trees(), entries, strict=True):
        expected += entry[tree.apply(X)]
    assert np.array_equal(PackedTrees.of(trees()).sums(entries, X, threads), expected)


def test_axis_parallel_trees_alone_are_walked_too():
    chains = [chain_tree(5), chain_tree(3)]
    rows = np.linspace(-1, 6, 200)[:, None]
    packed = PackedTrees.of(chains)
    assert np.array_equal(packed.apply(rows), np.column_stack([tree.apply(rows) for tree in chains]))


def test_trees_over_other_columns_and_rows_of_other_columns_are_refused():
    with pytest.raises(ValueError, match="same columns"):
        PackedTrees.of([mixed_tree(), chain_tree(2)])
    with pytest.raises(ValueError, match="same columns"):
        PackedTrees.of([])
    packed = PackedTrees.of(trees())
    for call in (packed.apply, lambda rows: packed.sums([np.ones((t.node_count, 1)) for t in trees()], rows)):
        with pytest.raises(ValueError, match="3 columns"):
            call(X[:, :2])


def test_entries_that_are_not_one_for_each_node_are_refused():
    with pytest.raises(ValueError, match="entry"):
        PackedTrees.of(trees()).sums([np.ones((2, 1))], X)


def plain_walk(tree, rows):
    """Send each row down by the rule of sides alone."""
    leaf = np.zeros(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        while not tree.is_leaf[leaf[i]]:
            side = tree.split(int(leaf[i])).route(rows, np.array([i], dtype=np.uint32))
            leaf[i] = tree.first_child[leaf[i]] + side[0]
    return leaf


@pytest.mark.parametrize(("n_columns", "terms"), [(2, 2), (3, 3), (6, 5), (9, 6), (9, 7), (9, 8), (12, 9), (300, 4)])
def test_planes_of_any_number_of_terms_are_walked_by_the_rule_of_sides(n_columns, terms):
    random = np.random.default_rng(terms)
    rows = random.normal(size=(150, n_columns))
    y = (rows[:, -terms:].sum(axis=1) > 0).astype(int)  # tested features are the last ones
    forest = ObliqueForestClassifier(n_estimators=2, max_features=terms, n_draws=4, random_state=0).fit(rows, y)
    widest = max(int(np.diff(tree.feature_start).max()) for tree in forest.trees_)
    assert widest == terms
    assert n_columns < 256 or max(tree.feature.max() for tree in forest.trees_) > 255
    rows[0, :] = np.nan  # not comparable: the second child everywhere
    expected = np.column_stack([plain_walk(tree, rows) for tree in forest.trees_])
    assert np.array_equal(PackedTrees.of(forest.trees_).apply(rows), expected)
    assert np.array_equal(forest.trees_[0].apply(rows), expected[:, 0])
