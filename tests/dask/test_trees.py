"""Trees on a cluster: the same for any partitioning, and those of one machine where both are exact."""

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from askew import CARTClassifier, CARTRegressor, CEDTClassifier, CEDTRegressor, ObliqueTreeClassifier
from askew.dask import (
    DaskCARTClassifier,
    DaskCARTRegressor,
    DaskCEDTClassifier,
    DaskCEDTRegressor,
    DaskObliqueTreeClassifier,
    DaskObliqueTreeRegressor,
    queries,
)
from askew.dask.exact_sums import Grid
from askew.dask.partition import NodePath, Partition
from askew.dask.queries import Planes
from askew.data.table import Table
from askew.search.axis import AxisParallel
from askew.search.cross_entropy import CrossEntropy
from askew.search.linear import LinearPlanes


def parted(X, y, sizes, weight=None):
    """The data as Dask arrays whose chunks have these sizes."""
    arrays = [da.from_array(X, chunks=(sizes, X.shape[1])), da.from_array(y, chunks=(sizes,))]
    return arrays if weight is None else [*arrays, da.from_array(weight, chunks=(sizes,))]


def cut(n, *shares):
    """Sizes of parts of n rows."""
    ends = [round(n * share) for share in (*shares, 1.0)]
    return tuple(b - a for a, b in zip([0, *ends[:-1]], ends, strict=True))


CUTS = [(), (0.5,), (0.02, 0.3, 0.31, 0.9)]
WHOLE = np.random.default_rng(0).integers(0, 4, 1000)


@pytest.mark.parametrize("shares", CUTS, ids=["one", "halves", "five"])
@pytest.mark.parametrize(("local_rows", "weighted"), [(0, True), (60, False)])
def test_40_cart_is_the_tree_of_one_machine(client, shares, local_rows, weighted):
    X, y = load_wine(return_X_y=True)
    weight = WHOLE[: y.size].astype(float) if weighted else None
    tree = DaskCARTClassifier(local_rows=local_rows).fit(*parted(X, y, cut(y.size, *shares), weight))
    expected = CARTClassifier().fit(X, y, weight)
    assert tree.tree_ == expected.tree_
    assert tree.to_local().tree_ == expected.tree_


@pytest.mark.parametrize("shares", CUTS[1:], ids=["halves", "five"])
@pytest.mark.parametrize("options", [{}, {"normalize": None, "criterion": "twoing"}, {"univariate": False}], ids=str)
def test_40_ce_dt_is_the_tree_of_one_machine(client, shares, options):
    X, y = load_breast_cancer(return_X_y=True)
    X, given = X[:, :6], {"random_state": 3, "max_depth": 2, "n_samples": 60, "patience": 1, **options}
    tree = DaskCEDTClassifier(local_rows=100, **given).fit(*parted(X, y, cut(y.size, *shares)))
    assert tree.tree_ == CEDTClassifier(**given).fit(X, y).tree_


@pytest.mark.parametrize("limits", [{"max_leaf_nodes": 5}, {"min_impurity_decrease": 0.02}, {"min_samples_leaf": 9}])
@pytest.mark.parametrize("local_rows", [0, 60])
def test_limits_are_those_of_one_machine(client, limits, local_rows):
    X, y = load_wine(return_X_y=True)
    tree = DaskCARTClassifier(local_rows=local_rows, **limits).fit(*parted(X, y, cut(y.size, 0.4)))
    assert tree.tree_ == CARTClassifier(**limits).fit(X, y).tree_


def test_the_order_of_rows_and_partitions_changes_nothing(client):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(1).uniform(0.1, 2.0, y.size)
    order = np.random.default_rng(2).permutation(y.size)
    given = {"random_state": 0, "local_rows": 60, "class_weight": "balanced", "n_samples": 50, "patience": 1}
    one = DaskCEDTClassifier(**given).fit(*parted(X, y, cut(y.size), weight))
    other = DaskCEDTClassifier(**given).fit(*parted(X[order], y[order], cut(y.size, 0.1, 0.5, 0.55), weight[order]))
    assert one.tree_ == other.tree_


def test_the_number_of_workers_changes_nothing(client):
    X, y = load_iris(return_X_y=True)
    given = {"search": "ce_dt", "local_search": "oc1", "random_state": 0, "local_rows": 60, "max_depth": 3}
    trees = []
    for n_workers in (1, 3, 2):
        client.cluster.scale(n_workers)
        client.wait_for_workers(n_workers, timeout=600)
        trees.append(DaskObliqueTreeClassifier(**given).fit(*parted(X, y, cut(y.size, 0.3, 0.4))).tree_)
    assert trees[0] == trees[1] == trees[2]


def test_rows_are_counted_in_chunks_that_stay_packed(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    part = Partition(Table(X, y.astype(np.int32), np.ones(y.size), np.ones(y.size), 2, tuple("x" * X.shape[1])), 1.0)
    d = X.shape[1]
    where = {"features": np.arange(d), "shift": X.mean(axis=0), "inverse": 1 / X.std(axis=0)}
    query = Planes(NodePath(), Grid(), **where, mu=np.eye(1, d + 1)[0], kappa=0.0, n=50, seed=3, threads=1)
    (expected,) = query.answer(part)
    monkeypatch.setattr(queries, "_PACKED", 4 * (d + 1) * 100)
    again = Partition(part.table, 1.0)
    (counts,) = query.answer(again)
    assert len(again.cached(NodePath(), "planes", list)) == 6
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize(
    ("dask_class", "plain"), [(DaskCARTRegressor, CARTRegressor), (DaskCEDTRegressor, CEDTRegressor)]
)
def test_regression_on_whole_numbers_is_that_of_one_machine(client, dask_class, plain):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:, [1, 2, 3]], np.rint(y)
    given = {"random_state": 0, "max_depth": 2}
    tree = dask_class(local_rows=0, **given).fit(*parted(X, y, cut(y.size, 0.3, 0.35)))
    assert tree.tree_ == plain(**given).fit(X, y).tree_


@pytest.mark.parametrize("dask_class", [DaskCARTRegressor, DaskCEDTRegressor])
def test_regression_on_any_numbers_is_the_same_for_any_partitioning(client, dask_class):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:, :4], y / 7 + 1e6
    weight = np.random.default_rng(1).uniform(0.1, 2.0, y.size)
    order = np.random.default_rng(2).permutation(y.size)
    given = {"random_state": 0, "max_depth": 2, "local_rows": 200}
    one = dask_class(**given).fit(*parted(X, y, cut(y.size), weight))
    other = dask_class(**given).fit(*parted(X[order], y[order], cut(y.size, 0.2, 0.9), weight[order]))
    assert one.tree_ == other.tree_
    assert one.score(X, y) > 0.2


@pytest.mark.parametrize("normalize", ["minmax", "standard"])
def test_means_and_deviations_are_the_same_for_any_partitioning(client, normalize):
    X, y = load_iris(return_X_y=True)
    given = {"random_state": 0, "normalize": normalize, "local_rows": 0, "max_depth": 1, "patience": 1}
    trees = [DaskCEDTClassifier(**given).fit(*parted(X, y, cut(y.size, *shares))).tree_ for shares in CUTS]
    assert trees[0] == trees[1] == trees[2]


def test_few_bins_cut_at_quantiles(client):
    X = np.random.default_rng(0).normal(size=(4000, 3))
    y = (X[:, 1] > 0.4).astype(int)
    given = {"local_rows": 500, "max_bins": 16, "max_depth": 6}
    one, other = (DaskCARTClassifier(**given).fit(*parted(X, y, cut(y.size, *shares))) for shares in [(), (0.1, 0.7)])
    assert one.tree_ == other.tree_
    assert one.score(X, y) == 1.0
    assert one.tree_ != CARTClassifier(max_depth=6).fit(X, y).tree_


@pytest.mark.parametrize(
    ("search", "kind"), [("axis", AxisParallel), ("ce_dt", CrossEntropy), ("linear", LinearPlanes)]
)
def test_searches_have_the_names_of_the_guide(search, kind):
    for tree in (DaskObliqueTreeClassifier(search=search), DaskObliqueTreeRegressor(search=search)):
        assert type(tree._searches()[0]) is kind
        assert type(tree.plain()._new_search()) is kind


@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 4}], ids=["level by level", "best first"])
def test_oc1_finishes_what_fits_on_one_worker(client, options):
    X, y = load_iris(return_X_y=True)
    given = {"random_state": 0, "local_rows": 110, **options}
    tree = DaskObliqueTreeClassifier(search="axis", local_search="oc1", **given)
    tree.fit(*parted(X, y, cut(y.size, 0.3, 0.5)))
    assert len(tree.tree_.test(0)[0]) == 1
    assert max(len(tree.tree_.test(node)[0]) for node in np.flatnonzero(~tree.tree_.is_leaf)) > 1
    alone = ObliqueTreeClassifier(search="oc1", random_state=0, **options).fit(X, y)
    assert tree.score(X, y) >= alone.score(X, y) - 0.05
