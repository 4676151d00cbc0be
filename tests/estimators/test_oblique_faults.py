"""Bad and odd input to the trees with a compiled climb: what a user gets."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification

from askew import (
    CARTLCClassifier,
    CARTLCRegressor,
    LMDTClassifier,
    OC1Classifier,
    OC1Regressor,
    SADTClassifier,
)

CLASSIFIERS = [OC1Classifier, CARTLCClassifier]
every_tree = pytest.mark.parametrize("tree", [*CLASSIFIERS, OC1Regressor, CARTLCRegressor])
every_classifier = pytest.mark.parametrize("tree", CLASSIFIERS)


def fit(tree, X, y, **parameters):
    fitted = tree(pruning=None, random_state=0, **parameters).fit(X, y)
    assert np.isfinite(fitted.tree_.weight).all()
    assert np.isfinite(fitted.tree_.threshold).all()
    assert np.isfinite(fitted.predict(X)).all()
    return fitted


@every_tree
def test_one_row_one_class_and_equal_rows_make_one_leaf(tree):
    assert fit(tree, [[1.0, 2.0]], [3]).get_n_leaves() == 1
    assert fit(tree, np.arange(20.0).reshape(10, 2), np.ones(10)).get_n_leaves() == 1
    assert fit(tree, np.full((9, 2), 0.1), np.arange(9) % 3).get_n_leaves() == 1


@every_tree
def test_more_features_than_rows_are_no_trouble(tree):
    X = np.random.default_rng(0).normal(size=(12, 40))
    assert fit(tree, X, np.arange(12) % 2, **fewest(tree)).get_n_leaves() > 1


def fewest(tree):
    return {"oblique_min_samples": 1} if tree in (OC1Classifier, OC1Regressor) else {}


@every_tree
def test_collinear_columns_are_no_trouble(tree):
    x = np.random.default_rng(1).normal(size=(60, 2))
    X = np.column_stack([x, x[:, 0], -3 * x[:, 1], x.sum(axis=1), np.ones(60)])
    assert fit(tree, X, x @ [1, 2] > 0.3).get_n_leaves() == 2


SCALES = [1e300, 1e306, 1e-300, 1e-308, 5e-324, [1e300, 1e-300, 1.0], [1e-310, 1.0, 1e150]]


def normalisations(tree):
    return (True, False) if tree in (CARTLCClassifier, CARTLCRegressor) else ("standard", "minmax", "robust", None)


@every_tree
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_values_of_any_size_give_finite_weights(tree, scale):
    rng = np.random.default_rng(2)
    X = rng.integers(-9, 10, size=(60, 3)) / (1.0 if scale == 5e-324 else 10.0) * np.array(scale)
    y = rng.integers(3, size=60)
    for normalize in normalisations(tree):
        fitted = fit(tree, X, y, normalize=normalize, max_depth=4)
        assert fitted.get_n_leaves() > 1
        # What the tree was told of its leaves is what its tests do.
        counts = np.bincount(fitted.apply(X), minlength=fitted.tree_.node_count)
        leaves = fitted.tree_.kind == 0
        np.testing.assert_array_equal(counts[leaves], fitted.tree_.n_samples[leaves])


@every_tree
@pytest.mark.parametrize("column", [[0.0, 5e-324, 1.0, 1e-300], [0.0, 1e-200, 1e200, 1e300], [1.0, 1 + 2.0**-52]])
def test_a_column_of_every_size_gives_finite_weights(tree, column):
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.choice(column, size=50), rng.normal(size=50), rng.choice(column, size=50)])
    for normalize in normalisations(tree):
        fit(tree, X, rng.integers(2, size=50), normalize=normalize, max_depth=4)


@every_classifier
@pytest.mark.parametrize(
    "labels",
    [["ä", "ß", "漢"], [True, False, True], [-1, 0, 7], ["a", "b", "b"]],
    ids=["unicode", "bool", "int", "str"],
)
def test_labels_come_back_as_given(tree, labels):
    X, y = load_iris(return_X_y=True)
    given = np.array(labels)[y]
    predicted = tree(random_state=0).fit(X, given).predict(X)
    assert predicted.dtype == given.dtype
    assert (predicted == given).mean() > 0.9


@every_classifier
def test_the_layout_of_the_input_does_not_matter(tree):
    X, y = load_iris(return_X_y=True)
    expected = tree(random_state=0).fit(X, y).tree_
    locked = X.copy()
    locked.flags.writeable = False
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X.astype(">f8"), locked):
        assert tree(random_state=0).fit(same, y).tree_ == expected
    np.testing.assert_array_equal(X, load_iris().data)
    assert (
        tree(random_state=0).fit(X.astype(np.float32), y).tree_
        == tree(random_state=0).fit(X.astype(np.float32).astype(float), y).tree_
    )


LONG = {
    OC1Classifier: {"n_restarts": 40, "n_jumps": 50},
    CARTLCClassifier: {"epsilon": 0.0, "max_cycles": 10_000},
    SADTClassifier: {"max_unproductive": 10**9},
    LMDTClassifier: {"max_passes": 10**9, "beta_factor": 1.0, "beta_decrement": 0.0},
}


@pytest.mark.extended
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("tree", LONG)
def test_ctrl_c_ends_a_fit_and_leaves_the_tree_as_it_was(tree, n_jobs):
    X, y = make_classification(150_000, 20, n_informative=10, flip_y=0.3, random_state=0)
    estimator = tree(n_jobs=n_jobs, random_state=0).fit(X[:100], y[:100]).set_params(**LONG[tree])
    before = estimator.tree_
    threads = threading.enumerate()
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    timer.join()
    assert estimator.tree_ is before
    assert set(threading.enumerate()) <= set(threads)


@pytest.mark.extended
@every_classifier
def test_out_of_memory_is_a_memory_error_and_the_tree_can_be_fitted_again(tree):
    code = f"""
        import resource
        import numpy as np
        from askew import {tree.__name__} as Tree
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100_000, 20))
        y = (X @ rng.normal(size=20) > 0).astype(int)
        tree = Tree(random_state=0, max_depth=1, pruning=None).fit(X[:200], y[:200])
        before = tree.tree_
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 10_000_000, -1))
        try:
            tree.fit(X, y)
        except MemoryError:
            assert tree.tree_ is before
            print(tree.fit(X[:200], y[:200]).get_n_leaves())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr
