from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import cost_complexity as reference
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeRegressor
from strategies import make_table, tables

from askew import CARTClassifier, CARTRegressor, InvalidParameterError, ObliqueTreeClassifier, ObliqueTreeRegressor
from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.model.split import Hyperplane
from askew.prune import CostComplexity
from askew.prune.cost_complexity import PruningPath, _clearly_above
from askew.search.axis import AxisParallel


def grown(table, name="gini", **limits):
    criterion = as_criterion(name, classification=table.classification)
    return grow(table, AxisParallel(), criterion, Limits(**limits), 0)


def random_table(seed, n=60, n_classes=3):
    rng = np.random.default_rng(seed)
    return make_table(rng.integers(8, size=(n, 2)), rng.integers(n_classes, size=n), rng.integers(1, 4, size=n))


@given(table=tables(max_rows=40))
def test_the_path_is_that_of_the_weakest_links(table):
    tree = grown(table)
    expected = reference.path(tree, reference.classification_risk(tree))
    path = PruningPath.of(tree, classification=True)
    assert path.alphas.tolist() == pytest.approx([float(alpha) for alpha, _ in expected])
    assert path.risks.tolist() == pytest.approx([float(subtree.total_risk()) for _, subtree in expected])
    for step, (_, subtree) in enumerate(expected):
        assert path.subtree(step).n_leaves == len(subtree.leaves())
        assert np.array_equal(
            path.subtree(step).value[path.subtree(step).is_leaf], tree.value[sorted(subtree.leaves())]
        )


@pytest.mark.parametrize("k", [0.0, 0.5, 1.0, 2.0])
@given(table=tables(max_rows=40), other=tables(max_rows=20))
def test_the_smallest_tree_within_k_standard_errors_is_chosen(k, table, other):
    rows = np.arange(other.n_rows)
    columns = np.zeros((rows.size, table.n_features))
    shared = min(table.n_features, other.n_features)
    columns[:, :shared] = other.X[:, :shared]
    held_out = make_table(columns, other.y % table.n_classes, other.weight, n_classes=table.n_classes)
    tree = grown(table)
    steps = reference.path(tree, reference.classification_risk(tree))
    passed = [np.flatnonzero(row).tolist() for row in tree.decision_path(held_out.X).toarray()]
    n = sum(map(Fraction, held_out.weight))
    errors = [
        sum(
            Fraction(w)
            for nodes, y, w in zip(passed, held_out.y, held_out.weight, strict=True)
            if tree.value[subtree.leaf_of(nodes)].argmax() != y
        )
        / n
        for _, subtree in steps
    ]
    chosen, closest = reference.choose(errors, float(n), k)
    assume(k == 0 or closest > 1e-9)  # the root of the standard error is no fraction
    pruned = CostComplexity(tolerance=k).prune(tree, table, held_out, regrow=None, seed=0)
    assert pruned.n_leaves == len(steps[chosen][1].leaves())


@given(table=tables(max_rows=40), alpha=st.sampled_from([0.0, 0.01, 0.03, 0.1, 1.0]))
def test_a_fixed_alpha_cuts_every_weaker_link(table, alpha):
    tree = grown(table)
    steps = reference.path(tree, reference.classification_risk(tree))
    assume(all(abs(float(a) - alpha) > 1e-9 for a, _ in steps[1:]))
    subtree = [subtree for a, subtree in steps if a <= alpha][-1]
    pruned = CostComplexity(ccp_alpha=alpha).prune(tree, table, None, regrow=None, seed=0)
    assert pruned.n_leaves == len(subtree.leaves())


def test_the_path_of_regression_is_that_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    ours = CARTRegressor(max_depth=5).cost_complexity_pruning_path(X, y)
    theirs = DecisionTreeRegressor(max_depth=5, random_state=0).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, atol=1e-9)
    np.testing.assert_allclose(ours.impurities, theirs.impurities)


def test_the_path_is_the_same_with_and_without_pruning():
    X, y = load_breast_cancer(return_X_y=True)
    plain = CARTClassifier().cost_complexity_pruning_path(X, y)
    pruned = CARTClassifier(pruning="cost_complexity").cost_complexity_pruning_path(X, y)
    np.testing.assert_array_equal(plain.ccp_alphas, pruned.ccp_alphas)
    assert not hasattr(CARTClassifier(), "tree_")


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize("fraction", [0.1, 0.3])
def test_the_asked_share_of_the_rows_is_held_out(fraction, stratify):
    X, y = load_breast_cancer(return_X_y=True)
    table = make_table(X, y)
    growing, held_out = CostComplexity(fraction=fraction, stratify=stratify).hold_out(table, 1)
    assert growing.n_rows + held_out.n_rows == table.n_rows
    assert held_out.n_rows == pytest.approx(fraction * table.n_rows, abs=1)
    of_class = np.bincount(held_out.y) - fraction * np.bincount(y)
    assert not stratify or abs(of_class).max() < 1
    rows = {row.tobytes() for row in held_out.X}
    assert not any(row.tobytes() in rows for row in growing.X)


def test_cross_validation_grows_on_all_rows_and_prunes():
    X, y = load_breast_cancer(return_X_y=True)
    whole = CARTClassifier().fit(X, y)
    pruned = CARTClassifier(pruning=CostComplexity(cv=5), random_state=0).fit(X, y)
    assert pruned.tree_.mass[0] == len(y)
    assert 1 < pruned.get_n_leaves() < whole.get_n_leaves()


def test_noise_is_pruned_to_the_root_and_a_law_is_kept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    noise = rng.random(400) < 0.3
    one_se = CostComplexity(fraction=0.4, tolerance=1)
    assert CARTClassifier(pruning=one_se, random_state=0).fit(X, noise).get_n_leaves() == 1
    assert CARTClassifier(pruning=one_se, random_state=0).fit(X, X[:, 1] > 0).get_n_leaves() == 2


def test_more_standard_errors_never_give_a_larger_tree():
    X, y = load_breast_cancer(return_X_y=True)
    leaves = [
        CARTClassifier(pruning=CostComplexity(fraction=0.3, tolerance=k), random_state=1).fit(X, y).get_n_leaves()
        for k in (0, 1, 2, 4)
    ]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] < leaves[0]


def test_one_row_is_never_held_out():
    tree = CARTClassifier(pruning="cost_complexity", random_state=0).fit([[1.0]], [3])
    assert tree.tree_.mass[0] == 1


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("fraction", 0), ("fraction", 1.0), ("tolerance", -1), ("cv", 1), ("ccp_alpha", -1), ("stratify", 2)],
)
def test_a_parameter_out_of_range_is_refused(parameter, value):
    with pytest.raises(InvalidParameterError, match=f"'{parameter}' parameter of CostComplexity must be"):
        CostComplexity(**{parameter: value})


class UnluckyOnce:
    """Cuts a feature at 0, but at -0.4 where it sees all rows: a search that fails at one root of six."""

    def __init__(self, n_rows):
        self.n_rows = n_rows

    def find(self, node, criterion, seed):
        all_rows = node.n_samples == self.n_rows
        return Hyperplane([0], [1.0], -0.4 if all_rows else 0.0)


@pytest.mark.parametrize("numbers", [False, True])
def test_other_trees_do_not_speak_for_one_whose_search_was_unlucky(numbers):
    X = np.random.default_rng(0).uniform(-1, 1, size=(200, 1))
    kind = ObliqueTreeRegressor if numbers else ObliqueTreeClassifier
    y = np.where(X[:, 0] > 0, 1.0, 0.0) if numbers else X[:, 0] > 0
    tree = kind(search=UnluckyOnce(len(X)), pruning=CostComplexity(cv=5), random_state=0).fit(X, y)
    # With two leaves the other trees make no error at all; this one needs three.
    assert tree.get_n_leaves() == 3
    assert tree.score(X, y) == 1.0


def test_a_few_rows_more_than_the_other_trees_have_wrong_change_nothing():
    own, other = np.zeros((2, 3, 100))
    own[1, :3] = 1.0
    own[2, :5] = 1.0
    assert _clearly_above(own, other, np.ones(100)).tolist() == [False, False, True]
    assert not _clearly_above(other, own, np.ones(100)).any()
