"""What a node tells the compiled searches is checked once, when it is made (core/bind.hpp)."""

import numpy as np
import pytest
from nodes import root_of
from strategies import make_table

from askew import _core
from askew.grow.criterion import as_criterion

TABLE = make_table(np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1]))


def node_with(**changed):
    given = {
        "target": TABLE.target,
        "X": TABLE.X,
        "rows": np.arange(4, dtype=np.uint32),
        "min_samples_leaf": 1.0,
        "min_weight_leaf": 0.0,
        "threads": 1,
    }
    return _core.Node(**{**given, **changed})


def test_a_row_number_beyond_the_table_is_refused():
    with pytest.raises(ValueError, match="'rows' must be below 4, got 4"):
        node_with(rows=np.array([0, 4], dtype=np.uint32))


def test_labels_for_other_rows_than_the_table_has_are_refused():
    with pytest.raises(ValueError, match="'label' must have 3 entries, got 4"):
        node_with(X=TABLE.X[:3], rows=np.arange(3, dtype=np.uint32))


def test_arguments_of_a_search_are_named():
    criterion = as_criterion("gini", classification=True)
    with pytest.raises(TypeError):
        _core.cart_lc(criterion.kernel, node_with(), np.arange(2), 0)


@pytest.mark.parametrize(
    ("features", "start", "message"),
    [
        ([0, 2], [1.0, 0.0, 0.0], "'features' must be below 2, got 2"),
        ([0, 1], [1.0, 0.0], "'start' must have 3 entries"),
    ],
)
def test_a_starting_plane_fits_its_features(features, start, message):
    criterion = as_criterion("gini", classification=True)
    node = root_of(TABLE, criterion)
    rules = _core.CycleRules(scaling=_core.Scaling.none, epsilon=0.0, max_cycles=1, keep_best=True, beta=-1.0)
    with pytest.raises(ValueError, match=message):
        _core.cart_lc(criterion.kernel, node.kernel, rules, features=np.array(features), start=np.array(start))
