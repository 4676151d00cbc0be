"""Any tree as an AND/OR network: the same answers, to the bit."""

import copy
import pickle

import numpy as np
import pytest
from handmade import chain_tree, mixed_tree, with_tree
from hypothesis import given
from reference.network import leaf_paths
from registry import CLASSIFIERS, ESTIMATORS, plain
from sklearn.datasets import load_diabetes, load_iris
from strategies import noisy_data, seeds

import askew
from askew import CARTClassifier, ModelFileError, RuleNetwork
from askew.store import container

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_a_network_answers_as_its_tree_does(cls):
    rows, target = (X, Y) if cls in CLASSIFIERS else (X[:60, :2], X[:60, 2])
    estimator = plain(cls, max_depth=4).fit(rows, target)
    rules = copy.copy(estimator)
    rules.tree_ = RuleNetwork.of(estimator)
    new = np.random.default_rng(0).normal(rows.mean(axis=0), 2 * rows.std(axis=0), size=(500, rows.shape[1]))
    for data in (rows, new):
        assert np.array_equal(rules.predict(data), estimator.predict(data))
        leaves = np.flatnonzero(estimator.tree_.is_leaf)
        assert np.array_equal(leaves[rules.apply(data)], estimator.apply(data))
    if cls in CLASSIFIERS:
        assert np.array_equal(rules.predict_proba(new), estimator.predict_proba(new))
    assert rules.get_n_leaves() == estimator.get_n_leaves()
    assert rules.n_hyperplanes_ == estimator.n_hyperplanes_


@given(seed=seeds)
def test_each_row_fulfils_the_conditions_of_its_own_region_alone(seed):
    rows, labels, weights = noisy_data(seed)
    network = RuleNetwork.of(CARTClassifier().fit(rows, labels, weights))
    held = network.decision_path(rows).toarray()
    assert (held.sum(axis=1) == 1).all()
    assert np.array_equal(held.argmax(axis=1), network.apply(rows))


def test_linear_machines_and_category_tables_become_conditions_too():
    tree = mixed_tree()
    network = RuleNetwork.of(tree)
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=(2000, 2)), rng.integers(-1, 5, size=2000)])
    leaves = np.flatnonzero(tree.is_leaf)
    assert np.array_equal(leaves[network.apply(rows)], tree.apply(rows))
    assert np.array_equal(network.apply(rows, threads=3), network.apply(rows))
    paths = leaf_paths(tree)
    nodes = np.flatnonzero(~tree.is_leaf).tolist()
    for region, leaf in enumerate(leaves.tolist()):
        assert [(nodes[split], side) for split, side in network.conditions(region)] == paths[leaf]


def test_equal_splits_are_one():
    tree = CARTClassifier().fit([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]).tree_
    network = RuleNetwork.of(tree)
    assert tree.node_count - tree.n_leaves == 3
    assert network.n_splits == 2
    assert network.coef.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert network.intercept.tolist() == [-0.5, -0.5]
    assert network.depth == 2


def test_a_network_of_one_leaf_has_one_region():
    estimator = CARTClassifier().fit([[1.0], [2.0]], ["a", "a"])
    network = RuleNetwork.of(estimator)
    assert (network.n_leaves, network.n_splits, network.depth) == (1, 0, 0)
    assert network.apply(np.zeros((3, 1))).tolist() == [0, 0, 0]


def test_a_regression_network_predicts_numbers_and_a_class_network_codes():
    rows, target = load_diabetes(return_X_y=True)
    tree = askew.CARTRegressor(max_depth=3).fit(rows, target)
    assert np.array_equal(RuleNetwork.of(tree).predict(rows), tree.predict(rows))
    assert np.array_equal(RuleNetwork.of(CARTClassifier().fit(X, Y)).predict(X), Y)


def test_rows_that_no_region_holds_are_in_the_last():
    network = RuleNetwork.of(CARTClassifier().fit([[1.0], [2.0], [3.0]], [0, 1, 0]))
    arrays = network.arrays()
    empty = {**arrays, "side": np.array([1, 0, 1, 0, 1]), "split": np.array([0, 0, 0, 1, 1])}
    bent = RuleNetwork.from_arrays({**empty, "region_start": np.array([0, 2, 3, 5])}, 1)
    assert bent.apply(np.array([[0.0]])).tolist() == [2]


def test_a_chain_too_deep_for_regions_is_refused_and_a_long_one_is_not():
    with pytest.raises(ValueError, match="max_depth"):
        RuleNetwork.of(chain_tree(100_000))
    network = RuleNetwork.of(chain_tree(500))
    assert network.n_leaves == 501
    assert network.apply(np.array([[-1.0], [250.5], [1e9]])).tolist() == [0, 251, 500]


def test_rows_with_another_number_of_features_are_refused():
    network = RuleNetwork.of(mixed_tree())
    for method in (network.apply, network.decision_path, network.sides):
        with pytest.raises(ValueError, match=r"X must have 3 columns, found shape \(2, 1\)"):
            method(np.zeros((2, 1)))


def test_what_is_no_tree_is_refused():
    with pytest.raises(TypeError, match="takes a tree"):
        RuleNetwork.of(3)
    network = RuleNetwork.of(mixed_tree())
    assert RuleNetwork.of(network) is network
    with pytest.raises(ValueError, match="3 columns"):
        network.apply(np.zeros((2, 2)))


def test_there_are_no_importances_but_a_word_of_what_to_use():
    estimator = with_tree(RuleNetwork.of(mixed_tree()))
    assert not hasattr(estimator, "feature_importances_")
    with pytest.raises(AttributeError, match="permutation_importance"):
        estimator.tree_.importance(np.ones(3))


# --- files


def rules_of(tree):
    return with_tree(RuleNetwork.of(tree))


@pytest.mark.parametrize("tree", [mixed_tree(), CARTClassifier().fit(X, Y % 2).tree_], ids=["mixed", "cart"])
def test_a_saved_network_is_the_same_to_the_bit(tree, tmp_path):
    estimator = rules_of(tree)
    askew.save(estimator, tmp_path / "m.askew")
    again = askew.load(tmp_path / "m.askew")
    assert again.tree_ == estimator.tree_
    askew.save(again, tmp_path / "again.askew")
    assert (tmp_path / "again.askew").read_bytes() == (tmp_path / "m.askew").read_bytes()
    assert pickle.loads(pickle.dumps(estimator)).tree_ == estimator.tree_
    assert copy.deepcopy(estimator).tree_ == estimator.tree_


def test_a_file_with_a_broken_network_is_refused(tmp_path):
    path = tmp_path / "m.askew"
    askew.save(rules_of(mixed_tree()), path)
    with path.open("rb") as file:
        arrays, document = container.read(file)
    container.write(path, container.to_bytes({**arrays, "network.side": arrays["network.side"] + 5}, document))
    with pytest.raises(ModelFileError, match="network: 'side'"):
        askew.load(path)
    container.write(path, container.to_bytes({**arrays, "tree.kind": arrays["network.kind"]}, document))
    with pytest.raises(ModelFileError, match=r"found 'tree\.kind'"):
        askew.load(path)
