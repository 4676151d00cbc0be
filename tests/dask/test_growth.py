"""Growth level by level, over partitions that lie in this process: what a cluster does, without one."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from strategies import make_table

from askew.dask.batched_queries import BatchedQueries
from askew.dask.growth import LevelGrowth
from askew.dask.partition import Partition
from askew.dask.quantiles import make_bins
from askew.dask.queries import merged
from askew.dask.rows import NodeRows
from askew.dask.table import PartitionedTable
from askew.grow.criterion import as_criterion
from askew.grow.grow import node_by_node
from askew.grow.limits import Limits
from askew.search.axis import AxisParallel


class Partitions:
    """Stands in for `askew.dask.cluster.Cluster`."""

    def __init__(self, table, pieces):
        self.parts = [Partition(table.take(rows), 1.0) for rows in np.array_split(table.all_rows, pieces)]
        self.traffic, self.n_rounds = [0], 0

    def ask(self, queries):
        self.n_rounds += 1
        return merged(queries, [[query.answer(part) for query in queries] for part in self.parts])

    def gathered(self, path, function, *given):
        return function(*given, *(part.at(path) for part in self.parts))

    def results(self, futures):
        return list(futures)


class Spy:
    """Remembers the depth of each node that is searched over all partitions."""

    def __init__(self):
        self.depths = []

    def find(self, node, criterion, seed):
        self.depths.append(node.depth)
        return AxisParallel().find(node, criterion, seed)


def grown(table, limits, local_rows, pieces=3, criterion="gini"):
    cluster = Partitions(table, pieces)
    queries = BatchedQueries(cluster.ask)
    bins = make_bins(queries.ask, table.n_features, table.n_rows, 1024, 1000)
    cluster.parts = [part.binned(bins) for part in cluster.parts]
    extent = (0.0, 0.0) if table.classification else (table.y.min(), table.y.max())
    spread = PartitionedTable(
        queries, table.n_rows, table.n_features, table.n_classes, 1.0, table.weight.max(), extent, bins, 1024, 1
    )
    spy, messages = Spy(), []
    root = NodeRows.root(spread, limits)
    growth = LevelGrowth(root, cluster, spy, AxisParallel(), criterion, local_rows, messages.append)
    return growth.run(3), spy.depths, messages


def wine():
    X, y = load_wine(return_X_y=True)
    return make_table(X, np.random.default_rng(5).permutation(y))  # a deep tree


LIMITS = [Limits(), Limits(max_leaf_nodes=6), Limits(min_samples_leaf=5), Limits(min_impurity_decrease=0.01)]


@pytest.mark.parametrize("local_rows", [0, 40])
@pytest.mark.parametrize("limits", LIMITS, ids=["all", "best first", "leaves of 5", "decrease"])
def test_a_tree_grown_level_by_level_is_the_one_grown_node_by_node(limits, local_rows):
    table = wine()
    tree, depths, messages = grown(table, limits, local_rows)
    expected = node_by_node(table, AxisParallel(), as_criterion("gini", classification=True), limits, 3)
    assert tree == expected
    assert tree.n_hyperplanes == expected.n_hyperplanes > 0
    assert limits.best_first or depths == sorted(depths)
    assert messages[0] == "level 1, 1 nodes, 2 rounds so far"


def test_a_tree_of_numbers_is_the_same_for_any_partitioning():
    X, y = load_diabetes(return_X_y=True)
    table, limits = make_table(X, np.round(y), n_classes=0), Limits(max_depth=4)
    one, other = (grown(table, limits, 50, pieces, "squared_error")[0] for pieces in (1, 7))
    assert one == other
    expected = node_by_node(table, AxisParallel(), as_criterion("squared_error", classification=False), limits, 3)
    np.testing.assert_array_equal(one.first_child, expected.first_child)
    np.testing.assert_allclose(one.value, expected.value)


def test_only_nodes_with_many_rows_are_searched_over_all_partitions():
    _, depths, _ = grown(wine(), Limits(), 0)
    _, fewer, _ = grown(wine(), Limits(), 100)
    assert len(fewer) < 5 < len(depths)
