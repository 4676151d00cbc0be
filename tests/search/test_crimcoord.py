import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.crimcoord import crimcoord
from registry import ESTIMATORS, grows_the_whole_tree, plain
from strategies import seeds

from askew import CARTClassifier, CARTRegressor, HHCARTClassifier, ObliqueTreeClassifier
from askew.model.split import CategoryTable, LinearMachine
from askew.search.crimcoord import Crimcoord, discriminant_coordinate
from askew.search.householder import Householder


def counts_of(code, y, weight, shape):
    counts = np.zeros(shape)
    np.add.at(counts, (code, y), weight)
    return counts


def mixed(seed, n=60):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"size": rng.normal(size=n), "colour": rng.choice(list("abcde"), n), "shape": rng.choice(["o", "x"], n)}
    )
    noisy = frame["size"] + frame["colour"].isin(["a", "c"]) + rng.normal(scale=0.5, size=n)
    return frame, (noisy > 0.3).astype(int).to_numpy() + (frame["shape"] == "o").to_numpy() * rng.integers(0, 2, n)


# --- the values of the categories


@given(seed=seeds, m=st.integers(2, 7), k=st.integers(2, 4))
def test_the_values_are_those_of_the_definition_but_for_their_scale(seed, m, k):
    rng = np.random.default_rng(seed)
    code, y, weight = rng.integers(m, size=80), rng.integers(k, size=80), rng.uniform(0.5, 2, size=80)
    scores, mean = crimcoord(code, y, weight, m)
    values = discriminant_coordinate(counts_of(code, y, weight, (m, k)))
    present = np.unique(code)
    expected = scores[present] - mean
    expected *= np.sign(expected @ values[present]) / np.sqrt(np.average((scores[code] - mean) ** 2, weights=weight))
    np.testing.assert_allclose(values[present], expected, atol=1e-6)


@given(seed=seeds)
def test_they_have_mean_zero_and_variance_one_and_the_most_frequent_is_not_negative(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, size=(5, 3)).astype(float)
    counts[0] += [20, 0, 0]
    values, mass = discriminant_coordinate(counts), counts.sum(axis=1)
    np.testing.assert_allclose(values @ mass, 0, atol=1e-9)
    np.testing.assert_allclose((values**2 @ mass) / mass.sum(), 1)
    assert values[0] >= 0


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=6).filter(
        lambda rows: any(map(any, rows))
    )
)
def test_with_two_classes_the_values_are_in_the_order_of_their_shares(rows):
    counts = np.array(rows, dtype=float)
    values = discriminant_coordinate(counts)
    present = counts.any(axis=1)
    share = counts[present, 1] / counts[present].sum(axis=1)
    sign = np.sign((share - share.mean()) @ values[present])
    for a in range(share.size):
        for b in range(share.size):
            assert (sign * values[present][a] < sign * values[present][b]) == (share[a] < share[b])


@given(seed=seeds)
def test_the_order_of_the_categories_does_not_change_a_bit(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, size=(6, 3)).astype(float)
    order = rng.permutation(6)
    np.testing.assert_array_equal(discriminant_coordinate(counts)[order], discriminant_coordinate(counts[order]))


@pytest.mark.parametrize(
    "counts",
    [[[3, 4]], [[0, 0], [3, 4]], [[2, 4], [1, 2]], [[5, 0], [3, 0]], [[0, 0]]],
    ids=["one category", "one present", "equal shares", "one class", "none"],
)
def test_categories_that_tell_nothing_count_zero(counts):
    assert not discriminant_coordinate(np.array(counts, dtype=float)).any()


# --- the search


# AutoTree chooses by folds, which are drawn by the values of the rows, the codes of categories among them.
@pytest.mark.parametrize("cls", [*filter(grows_the_whole_tree, ESTIMATORS)], ids=lambda cls: cls.__name__)
def test_names_of_categories_do_not_change_a_prediction(cls):
    frame, y = mixed(1)
    new, _ = mixed(2)
    other = dict(zip("abcde", "cedba", strict=True))
    model = plain(cls, categorical_encoding="crimcoord", max_depth=2)
    before = model.fit(frame, y).predict(new)
    renamed = [part.assign(colour=part["colour"].map(other)) for part in (frame, new)]
    np.testing.assert_array_equal(model.fit(renamed[0], y).predict(renamed[1]), before)


def test_a_node_splits_its_rows_as_the_search_did_in_the_coordinates():
    frame, y = mixed(3, n=200)
    seen = []

    class Spy(Householder):
        def find(self, node, criterion, seed):
            split = super().find(node, criterion, seed)
            if split is not None:
                seen.append(np.bincount(split.route(node.X), minlength=2).tolist())
            return split

    tree = ObliqueTreeClassifier(search=Spy(), categorical_encoding="crimcoord", max_depth=3).fit(frame, y).tree_
    inner = np.flatnonzero(~tree.is_leaf)
    children = [tree.n_samples[tree.first_child[i] : tree.first_child[i] + 2].tolist() for i in inner]
    assert len(seen) >= len(children) > 1
    assert all(pair in seen for pair in children)


def test_the_values_are_those_of_the_node():
    frame = pd.DataFrame({"size": [0, 0, 0, 1, 1, 1.0], "colour": ["a", "b", "c", "a", "b", "c"]})
    y = [0, 1, 1, 1, 0, 2]  # above, a goes with nothing; below, with the others' opposite
    tree = plain(CARTClassifier, categorical_encoding="crimcoord").fit(frame, y)
    np.testing.assert_array_equal(tree.predict(frame), y)


def test_for_regression_a_category_is_the_mean_of_its_rows():
    frame, y = pd.DataFrame({"colour": list("aabbccdd")}), np.array([1, 3, 9, 11, 4, 6, 20, 22.0])
    tree = CARTRegressor(categorical_encoding="crimcoord", max_leaf_nodes=2).fit(frame, y).tree_
    values = np.zeros(4)
    values[tree.test(0)[0]] = tree.test(0)[1]
    means = np.array([2, 10, 5, 21.0])
    np.testing.assert_allclose(values, (means - means.mean()) / means.std())
    assert sorted(tree.n_samples.tolist()) == [2, 6, 8]


def test_a_category_that_is_not_at_the_node_counts_as_the_mean():
    frame = pd.DataFrame({"size": [0.0, 1, 2, 10, 11, 12], "colour": ["a", "b", "a", "c", "c", "c"]})
    tree = plain(CARTClassifier, categorical_encoding="crimcoord").fit(frame, ["p", "q", "p", "r", "r", "r"])
    assert "c" in tree.encoder_.categories[1]
    below = np.flatnonzero(~tree.tree_.is_leaf)[1:]
    assert all(3 not in tree.tree_.test(node)[0] for node in below)  # column 3 is colour=c


def test_a_linear_machine_is_mapped_back():
    frame, y = mixed(5)

    class Machine:
        def find(self, node, criterion, seed):
            d = node.table.n_features
            weights = np.vstack([np.append(np.arange(d), 0.1), np.append(-np.arange(d), 0.0)])
            seen.append(LinearMachine(np.arange(d), weights).route(node.X))
            return LinearMachine(np.arange(d), weights)

    seen = []
    tree = ObliqueTreeClassifier(search=Machine(), categorical_encoding="crimcoord", max_depth=1).fit(frame, y)
    np.testing.assert_array_equal(tree.apply(frame) - 1, seen[0])


def test_a_category_table_cannot_be_expressed_in_coordinates():
    class Table:
        def find(self, node, criterion, seed):
            return CategoryTable(0, [0, 1])

    frame, y = mixed(5)
    with pytest.raises(TypeError, match="CategoryTable"):
        ObliqueTreeClassifier(search=Table(), categorical_encoding="crimcoord").fit(frame, y)


def test_hhcart_uses_crimcoord_by_default():
    frame, y = mixed(7)
    model = HHCARTClassifier(max_depth=1)
    tree = model.fit(frame, y).tree_
    crimcoord = ObliqueTreeClassifier(search=Crimcoord(Householder(), model.encoder_.groups), max_depth=1)
    assert crimcoord.set_params(criterion="twoing").fit(frame, y).tree_ == tree
    assert HHCARTClassifier(max_depth=1, categorical_encoding="onehot").fit(frame, y).tree_ != tree
