from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import c45 as reference
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from strategies import make_table, noisy_data, seeds, tables

from askew import C45Classifier, CARTClassifier, CARTRegressor, InvalidParameterError, OC1Classifier
from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.grow.recipe import Recipe
from askew.model.split import Hyperplane
from askew.model.tree import Tree
from askew.prune import ErrorBased
from askew.prune.error_based import estimated_errors
from askew.search.axis import AxisParallel

GINI = as_criterion("gini", classification=True)


def grown(table, **limits):
    return grow(table, AxisParallel(), GINI, Limits(**limits), 0)


def pruned(table, pruner, **limits):
    return Recipe(AxisParallel(), GINI, Limits(**limits), pruner).fit(table, 0)


# --- the estimate


@given(
    n=st.floats(0.1, 500),
    share=st.floats(0, 1),
    confidence=st.sampled_from([0.001, 0.003, 0.01, 0.05, 0.1, 0.25, 0.4, 0.7, 1.0]),
)
def test_the_estimate_is_that_of_c45(n, share, confidence):
    for e in (0.0, n * share, min(n, float(round(n * share)))):
        expected = e + reference.added_errors(n, e, confidence)
        assert float(estimated_errors(n, e, confidence)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [1, 6, 30])
def test_without_errors_it_is_the_limit_of_the_binomial_distribution(n):
    rate = float(estimated_errors(n, 0, 0.25)) / n
    assert binom.cdf(0, n, rate) == pytest.approx(0.25)


def test_a_higher_confidence_expects_fewer_errors():
    estimates = [float(estimated_errors(50, 7, confidence)) for confidence in (0.01, 0.1, 0.25, 0.5, 1.0)]
    assert estimates == sorted(estimates, reverse=True)
    assert estimates[-1] > 7


# --- pruning


def nodes_of(tree):
    return reference.read(tree)


@pytest.mark.parametrize("raising", [True, False])
@given(seed=seeds, confidence=st.sampled_from([0.05, 0.25, 0.6]))
def test_the_tree_is_the_one_of_the_definition(raising, seed, confidence):
    X, y, _ = noisy_data(seed, n=80, n_classes=2)
    y = np.where(X[:, 0] + X[:, 1] > 600, y, 0)
    table = make_table(X, y, n_classes=2)
    expected = nodes_of(grown(table))
    reference.prune(expected, table.X, table.y, table.weight, confidence, raising)
    assert reference.same(expected, pruned(table, ErrorBased(confidence=confidence, raising=raising)))


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("raising", [True, False])
def test_the_trees_of_real_data_are_those_of_the_definition(load, raising):
    X, y = load(return_X_y=True)
    table = make_table(X, y)
    expected = nodes_of(grown(table))
    reference.prune(expected, table.X, table.y, table.weight, 0.25, raising)
    tree = pruned(table, ErrorBased(raising=raising))
    assert reference.same(expected, tree)
    assert 1 < tree.n_leaves < grown(table).n_leaves


def raised_table():
    """The left half needs no test of its own: what is right of the root is right for all."""
    X = np.array([[x0, x1] for x0 in range(4) for x1 in range(10)], dtype=float).repeat(5, axis=0)
    y = (X[:, 1] >= 5).astype(int)
    y[:2] = 1  # a little noise, for the root to cut off
    return make_table(X, y)


def test_a_branch_takes_the_place_of_its_parent():
    table = raised_table()
    kept = Recipe(_FirstThenSecond(), GINI, Limits(), ErrorBased(raising=False)).fit(table, 0)
    tree = Recipe(_FirstThenSecond(), GINI, Limits(), ErrorBased()).fit(table, 0)
    assert kept.n_leaves == 3
    assert tree.n_leaves == 2
    assert tree.test(0)[0].tolist() == [1]
    assert tree.n_samples.tolist() == [200, 100, 100]
    assert tree.value.tolist() == [[98, 102], [98, 2], [0, 100]]
    assert tree.impurity[0] == pytest.approx(1 - 0.49**2 - 0.51**2)


class _FirstThenSecond:
    """Cuts off a corner of the first feature that tells nothing, then the second where it tells all."""

    def find(self, node, criterion, seed):
        from askew.model.split import Hyperplane

        if node.depth == 0:
            return Hyperplane([0], [1.0], 0.5)
        return Hyperplane([1], [1.0], 4.5) if node.X[:, 0].max() > 0 and node.depth == 1 else None


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_a_pruned_tree_has_the_counts_of_its_nodes(seed, missing):
    X, y = make_classification(300, 6, n_informative=4, flip_y=0.2, random_state=seed)
    X[np.random.default_rng(seed).random(X.shape) < missing] = np.nan
    tree = C45Classifier().fit(X, y).tree_
    row, leaf, part = tree.spread(X)
    value = np.zeros_like(tree.value)
    np.add.at(value, (leaf, y[row]), part)
    np.testing.assert_allclose(value[tree.is_leaf], tree.value[tree.is_leaf], atol=1e-9)
    assert C45Classifier(pruning=None).fit(X, y).get_n_leaves() > tree.n_leaves > 1


@given(table=tables(max_rows=40))
def test_a_weight_of_two_is_the_row_twice(table):
    weight = table.weight.astype(int)
    again = table.take(np.repeat(np.arange(table.n_rows), weight))
    again = replace(again, weight=np.ones(again.n_rows), multiplicity=np.ones(again.n_rows))
    assert pruned(table, ErrorBased()) == pruned(again, ErrorBased())


def test_weights_that_are_no_repetitions_are_taken_as_shares():
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.full(len(y), 1 / len(y))
    sizes = [CARTClassifier(pruning="error_based").fit(X, y, w).get_n_leaves() for w in (None, weight)]
    assert sizes[0] == sizes[1]


def test_every_method_can_be_pruned_by_it():
    X, y = load_iris(return_X_y=True)
    for cls in (CARTClassifier, OC1Classifier):
        whole, small = cls(pruning=None, random_state=0), cls(pruning="error_based", random_state=0)
        assert whole.fit(X, y).get_n_leaves() >= small.fit(X, y).get_n_leaves() >= 3


def test_a_chain_of_many_nodes_is_no_hindrance():
    X = np.arange(500.0)[:, None]
    y = np.arange(500) % 2
    assert CARTClassifier(pruning="error_based").fit(X, y).get_n_leaves() >= 1


def test_regression_is_refused_before_any_work():
    with pytest.raises(InvalidParameterError, match="Error-based pruning supports classification only"):
        CARTRegressor(pruning="error_based").fit([[1.0], [2.0]], [0.5, 1.5])


@pytest.mark.parametrize("wrong", [{"confidence": 0.0}, {"confidence": 1.5}, {"raising": "yes"}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(InvalidParameterError, match=f"'{next(iter(wrong))}' parameter of ErrorBased"):
        ErrorBased(**wrong)


def test_a_chain_of_many_nodes_is_pruned_in_one_pass():
    # Rows leave the chain one by one; with a confidence near 1 no node is given up, with a low one all are.
    n = 3000
    table = make_table(np.arange(n, dtype=float)[:, None], np.arange(n) % 2, n_classes=2)
    first = [0] * (2 * n - 1)
    tests = [None] * (2 * n - 1)
    value = np.zeros((2 * n - 1, 2))
    one = np.eye(2)[np.arange(n) % 2]
    rest = one[::-1].cumsum(axis=0)[::-1]
    value[0] = rest[0]
    for i in range(n - 1):
        tests[2 * i], first[2 * i] = Hyperplane([0], [1.0], i + 0.5), 2 * i + 1
        value[2 * i + 1], value[2 * i + 2] = one[i], rest[i + 1]
    mass = value.sum(axis=1)
    chain = Tree.from_nodes(tests, first, value, mass, mass, np.zeros(2 * n - 1), 1, 0)
    regrow = SimpleNamespace(criterion=GINI)
    assert ErrorBased(confidence=0.999).prune(chain, table, None, regrow, 0).node_count == chain.node_count
    assert ErrorBased(confidence=0.01).prune(chain, table, None, regrow, 0).node_count == 1
