import numpy as np
from sklearn.datasets import load_iris
from strategies import make_table

from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.grow.rows import recounted
from askew.model.edit import rearranged
from askew.search.axis import AxisParallel

GINI = as_criterion("gini", classification=True)


def test_a_branch_that_takes_the_place_of_its_parent_gets_the_rows_of_its_parent():
    table = make_table(*load_iris(return_X_y=True))
    tree = grow(table, AxisParallel(), GINI, Limits(max_depth=2), 0)
    branch = int(tree.first_child[0]) + int(tree.is_leaf[tree.first_child[0]])
    now = np.where(tree.is_leaf, -1, np.arange(tree.node_count))
    now[0] = branch
    raised = recounted(rearranged(tree, now), table, GINI)
    assert raised.node_count == 3
    assert raised.threshold[0] == tree.threshold[branch]
    assert raised.n_samples.tolist() == [150, *np.bincount(tree.split(branch).route(table.X))]
