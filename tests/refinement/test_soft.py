import numpy as np
import pytest
from handmade import tree_of
from reference import linear as reference
from sklearn.datasets import load_diabetes, load_iris, load_wine
from strategies import make_table

from askew import C45Classifier, CARTClassifier, CARTRegressor, CEDTClassifier, LMDTClassifier, _core
from askew.grow.criterion import as_criterion
from askew.model.split import Hyperplane
from askew.parameters import InvalidParameterError
from askew.prune.cost_complexity import loss_at
from askew.refinement.soft import SoftRefiner

GINI = as_criterion("gini", classification=True)
SQUARED = as_criterion("squared_error", classification=False)

# plane 0 has planes 1 and 2 below; 1 has leaves 0 and 1; 2 has plane 3 and leaf 4; 3 has leaves 2 and 3
LEFT, RIGHT = np.array([1, -1, 3, -3]), np.array([2, -2, -5, -4])


def soft_problem(classes, n=137, d=5):
    rng = np.random.default_rng(3)
    X, weight = rng.normal(size=(n, d)), rng.random(n)
    label = rng.integers(0, 3, n).astype(np.int32) if classes else None
    y = None if classes else rng.normal(size=n)
    leaves = rng.normal(size=(5, 3 if classes else 1))
    return X, label, y, weight / weight.sum(), rng.normal(size=(4, d + 1)), leaves


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("sharpness", [1.0, 4.0])
def test_the_loss_and_its_gradient_are_those_of_the_definition(classes, sharpness):
    X, label, y, weight, planes, leaves = soft_problem(classes)
    tree = _core.SoftTree(X=X, label=label, y=y, weight=weight, left=LEFT, right=RIGHT, n_outputs=leaves.shape[1])
    loss, of_planes, of_leaves = _core.soft_loss(tree, planes, leaves, sharpness=sharpness, threads=1)

    def plain(planes, leaves):
        return reference.soft_loss(X, label, y, weight, LEFT, RIGHT, planes, leaves, sharpness)

    assert loss == pytest.approx(plain(planes, leaves), rel=1e-12)
    np.testing.assert_allclose(of_planes, reference.slopes(lambda at: plain(at, leaves), planes), atol=1e-8)
    np.testing.assert_allclose(of_leaves, reference.slopes(lambda at: plain(planes, at), leaves), atol=1e-8)


@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_the_fit_lowers_the_penalised_loss_as_far_as_it_goes(l1):
    X, label, _, weight, planes, leaves = soft_problem(True)
    tree = _core.SoftTree(X=X, label=label, y=None, weight=weight, left=LEFT, right=RIGHT, n_outputs=3)

    def penalised(planes, leaves):
        loss, *_ = _core.soft_loss(tree, planes, leaves, sharpness=1.0, threads=1)
        weights = planes[:, :-1]
        return loss + 0.005 * (weights**2).sum() + l1 * np.abs(weights).sum()

    given = {"sharpness": 1.0, "l2": 0.01, "l1": l1, "max_iter": 2000, "threads": 1, "progress": None}
    found = _core.soft_fit(tree, planes, leaves, **given)
    assert penalised(*found) < penalised(planes, leaves)
    for sign in (-1e-3, 1e-3):
        for i in np.ndindex(planes.shape):
            moved = found[0].copy()
            moved[i] += sign
            assert penalised(moved, found[1]) > penalised(*found) - 1e-5
    assert (np.count_nonzero(found[0][:, :-1]) < planes[:, :-1].size) == (l1 > 0)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_do_not_change_a_bit_of_the_loss(threads):
    rng = np.random.default_rng(0)
    n, d = 3000, 20
    X, label, weight = rng.normal(size=(n, d)), rng.integers(0, 3, n).astype(np.int32), np.full(n, 1 / n)
    planes, leaves = rng.normal(size=(4, d + 1)), rng.normal(size=(5, 3))
    tree = _core.SoftTree(X=X, label=label, y=None, weight=weight, left=LEFT, right=RIGHT, n_outputs=3)
    one, other = (_core.soft_loss(tree, planes, leaves, sharpness=1.0, threads=t) for t in (1, threads))
    assert one[0] == other[0]
    assert np.array_equal(one[1], other[1])


def hard_loss(tree, table):
    return table.weight @ loss_at(tree, tree.apply(table.X), table)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("l2", [1e-4, 0.1, 10.0])
def test_a_refined_tree_is_never_worse_on_its_rows_nor_larger(load, l2):
    X, y = load(return_X_y=True)
    table = make_table(X, y)
    for depth in (1, 2, 3):
        tree = CARTClassifier(max_depth=depth).fit(X, y).tree_
        refined = SoftRefiner(l2=l2).refine(tree, table, GINI, 0)
        assert hard_loss(refined, table) <= hard_loss(tree, table)
        assert refined.n_leaves <= tree.n_leaves


def test_regression_is_refined_too():
    X, y = load_diabetes(return_X_y=True)
    table = make_table(X, y, n_classes=0)
    tree = CARTRegressor(max_leaf_nodes=4).fit(X, y).tree_
    refined = SoftRefiner().refine(tree, table, SQUARED, 0)
    assert hard_loss(refined, table) < hard_loss(tree, table)


def test_planes_that_were_greedy_become_good():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, 2))
    y = np.digitize(X.sum(axis=1), [-0.3, 0.3])  # three slanted stripes
    table = make_table(X, y)
    tree = CARTClassifier(max_leaf_nodes=3).fit(X, y).tree_
    refined = SoftRefiner(l2=1e-5, max_iter=500).refine(tree, table, GINI, 0)
    assert hard_loss(refined, table) < 0.2 * hard_loss(tree, table)


def test_the_counts_of_a_refined_tree_are_those_of_the_rows():
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    table = make_table(X, y, weight=weight)
    refined = SoftRefiner().refine(CEDTClassifier(random_state=0).fit(X, y, weight).tree_, table, GINI, 0)
    leaf = refined.apply(X)
    assert refined.n_leaves > 1
    for node in np.flatnonzero(refined.is_leaf):
        assert refined.mass[node] == weight[leaf == node].sum() > 0
        assert np.array_equal(refined.value[node], np.bincount(y[leaf == node], weight[leaf == node], minlength=3))


def test_an_absolute_penalty_leaves_features_out():
    X, y = load_wine(return_X_y=True)
    table = make_table(X, y)
    tree = CEDTClassifier(random_state=0, max_leaf_nodes=3).fit(X, y).tree_
    dense, sparse = (SoftRefiner(l1=l1).refine(tree, table, GINI, 0) for l1 in (0.0, 0.01))
    assert sparse.feature.size < dense.feature.size


def test_trees_without_a_hyperplane_to_refine_stay_as_they_are():
    X, y = load_iris(return_X_y=True)
    table = make_table(X, y)
    for tree in (
        CARTClassifier(min_samples_split=1000).fit(X, y).tree_,
        LMDTClassifier(random_state=0).fit(X, y).tree_,
        C45Classifier(categorical_features=[0]).fit(np.column_stack([X[:, 0].round(), X[:, 1]]), y).tree_,
    ):
        own = make_table(X[:, : tree.n_features], y) if tree.n_features < 4 else table
        assert SoftRefiner().refine(tree, own, GINI, 0) is tree


@pytest.mark.parametrize(
    "bad", [{"l2": -1.0}, {"l1": np.nan}, {"sharpness": ()}, {"sharpness": (0.0,)}, {"max_iter": 0}]
)
def test_parameters_out_of_range_are_refused(bad):
    with pytest.raises(InvalidParameterError, match=next(iter(bad))):
        SoftRefiner(**bad)


def test_features_that_a_plane_does_not_test_may_stay_out():
    X, y = load_wine(return_X_y=True)
    table, tree = make_table(X, y), CARTClassifier(max_leaf_nodes=4).fit(X, y).tree_
    kept = SoftRefiner(keep_zeros=True, guarded=False).refine(tree, table, GINI, 0)
    assert np.diff(kept.feature_start).max() == 1
    assert set(kept.feature.tolist()) <= set(tree.feature.tolist())


def test_without_the_guard_a_strong_penalty_may_cost_errors_on_the_rows():
    X, y = load_wine(return_X_y=True)
    table, tree = make_table(X, y), CARTClassifier().fit(X, y).tree_
    assert SoftRefiner(l2=1.0).refine(tree, table, GINI, 0) is tree
    assert SoftRefiner(l2=1.0, guarded=False).refine(tree, table, GINI, 0).n_leaves < tree.n_leaves


def test_columns_of_subnormal_numbers_are_refined_without_overflow():
    X, y = load_iris(return_X_y=True)
    table = make_table(X * 1e-309, y)
    tree = CARTClassifier(max_leaf_nodes=3).fit(table.X, y).tree_
    refined = SoftRefiner().refine(tree, table, GINI, 0)
    assert np.isfinite(refined.weight).all()
    assert hard_loss(refined, table) <= hard_loss(tree, table)


def test_weights_of_a_column_that_is_tiny_at_their_node_are_refined_without_overflow():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.repeat([0, 2], 30)
    y[:30] = X[:30].sum(axis=1) > 0
    X[:, 0] *= np.repeat([1e-290, 1e99], 30)
    X[30:, 0] = np.abs(X[30:, 0])
    table = make_table(X, y)
    own = np.bincount(y, minlength=3).astype(float)
    inside = own * [1, 1, 0]
    value = [own, inside, own - inside, inside * [1, 0, 0], inside * [0, 1, 0]]
    splits = [Hyperplane([0], [1.0], 1.0), Hyperplane([0, 1], [1e290, 1.0], 0.1), None, None, None]
    tree = tree_of(splits, [1, 3, 0, 0, 0], value, n_features=2)
    refined = SoftRefiner().refine(tree, table, GINI, 0)
    assert hard_loss(refined, table) <= hard_loss(tree, table)
