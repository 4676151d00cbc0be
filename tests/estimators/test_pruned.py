"""Pruning a fitted tree."""

import numpy as np
import pandas as pd
import pytest
from registry import CLASSIFIERS, plain, takes
from sklearn.datasets import load_iris

from askew import C45Classifier, CARTClassifier
from askew.prune import CostComplexity, ErrorBased


def with_missing_values(X, share, seed=0):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


@pytest.mark.parametrize("pruner", [ErrorBased(), ErrorBased(raising=False)], ids=["raising", "no raising"])
def test_rows_with_missing_values_are_divided_as_in_fit(pruner):
    X, y = load_iris(return_X_y=True)
    X = with_missing_values(X, 0.3)
    at_once = C45Classifier(pruning=pruner).fit(X, y)
    later = C45Classifier(pruning=None).fit(X, y).pruned(pruner, X, y)
    np.testing.assert_array_equal(later.apply(X), at_once.apply(X))
    assert later.tree_ == at_once.tree_


def test_the_held_out_set_is_divided_too():
    X, y = load_iris(return_X_y=True)
    X = with_missing_values(X, 0.3)
    seen = []

    class Spy(CostComplexity):
        def prune(self, tree, grown_on, held_out, regrow, seed):
            seen.append((grown_on.divides, held_out.divides))
            return super().prune(tree, grown_on, held_out, regrow, seed)

    C45Classifier(pruning=None).fit(X[::2], y[::2]).pruned(Spy(), X[1::2], y[1::2])
    assert seen == [(True, True)]


@pytest.mark.parametrize("cls", [cls for cls in CLASSIFIERS if takes(cls, "pruning")], ids=lambda cls: cls.__name__)
def test_weights_and_categories_are_read_as_in_fit(cls):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=60), "colour": rng.choice(["red", "blue"], 60)})
    y = np.where((frame["size"] > 0) ^ (rng.random(60) < 0.2), "a", "b")
    weight = rng.integers(0, 3, 60)
    pruner = ErrorBased(raising=False)
    at_once = plain(cls, pruning=pruner, class_weight={"a": 2.0}).fit(frame, y, weight)
    later = plain(cls, class_weight={"a": 2.0}).fit(frame, y, weight).pruned(pruner, frame, y, weight)
    assert later.tree_ == at_once.tree_


def test_rows_that_cannot_be_read_are_refused():
    X, y = load_iris(return_X_y=True)
    tree = CARTClassifier().fit(X, y)
    before = dict(tree.__dict__)
    with pytest.raises(ValueError, match="y contains a class not in the training data: 7"):
        tree.pruned(CostComplexity(), X, np.where(y == 2, 7, y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        tree.pruned(CostComplexity(), X, y[1:])
    with pytest.raises(ValueError, match="Input y contains None"):
        tree.pruned(CostComplexity(), X, [None, *y[1:]])
    with pytest.raises(ValueError, match="requires y"):
        tree.pruned(CostComplexity(), X, None)
    assert tree.__dict__ == before
