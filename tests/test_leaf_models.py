"""Linear leaves: what the models are, what they are shrunk to, and what must not change them."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_regression

from askew import CARTRegressor, CostComplexity


def test_one_leaf_is_a_ridge_line():
    X, y = load_diabetes(return_X_y=True)
    tree = CARTRegressor(max_leaf_nodes=2, leaf_model="linear", pruning=CostComplexity(ccp_alpha=1e9)).fit(X, y)
    assert tree.get_n_leaves() == 1
    assert tree.score(X, y) == pytest.approx(0.515, abs=0.01)


def test_a_linear_target_is_found_exactly():
    X, y = make_regression(200, 5, noise=0.0, random_state=0)
    tree = CARTRegressor(max_leaf_nodes=4, leaf_model="linear").fit(X, y)
    np.testing.assert_allclose(tree.predict(X), y, rtol=1e-3, atol=1e-3 * np.abs(y).max())
