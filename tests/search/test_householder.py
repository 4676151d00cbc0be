from os import environ
from subprocess import run
from sys import executable

import numpy as np
import pytest
from hypothesis import given
from nodes import root_of
from sklearn.datasets import load_iris, load_wine, make_blobs
from strategies import make_table, seeds

from askew import HHCARTClassifier, HHCARTRegressor, _core
from askew.grow.criterion import as_criterion
from askew.parameters import InvalidParameterError
from askew.search.axis import AxisParallel
from askew.search.householder import Householder


def find(search, table, criterion="gini"):
    return search.find(root_of(table, criterion), as_criterion(criterion, classification=table.classification), 7)


def directions(X, y, variant):
    """Eigenvectors by the covariance's definition, through the SVD of the centred rows."""
    for c in np.unique(y):
        rows = X[y == c]
        if len(rows) < 2:
            continue
        _, lengths, vectors = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
        kept = [v for s, v in zip(lengths, vectors, strict=True) if s**2 > 1e-12 * lengths[0] ** 2]
        yield from kept[:1] if variant == "D" else kept


def reflection(q):
    """The mirror that takes q to the first axis; the largest component of q positive."""
    q = q if q[np.abs(q).argmax()] > 0 else -q
    e = np.eye(len(q))[0]
    u = (e - q) / np.linalg.norm(e - q)
    return np.eye(len(q)) - 2 * np.outer(u, u)


def best_score(X, y, spaces, criterion="gini"):
    score = as_criterion(criterion, classification=True).score
    best = np.inf
    for H in spaces:
        for column in (X @ H).T:
            for t in np.unique(column)[:-1]:
                sides = [np.bincount(y[side], minlength=y.max() + 1) for side in (column <= t, column > t)]
                best = min(best, score(sides))
    return best


def score_of(split, table, criterion="gini"):
    route = split.route(table.X)
    counts = [np.bincount(table.y[route == child], minlength=table.n_classes) for child in (0, 1)]
    return as_criterion(criterion, classification=True).score(counts)


@pytest.mark.parametrize("variant", ["A", "D"])
@pytest.mark.parametrize("identity", [True, False])
@given(seed=seeds)
def test_the_split_is_the_best_cut_of_all_reflected_spaces(variant, identity, seed):
    X, y = make_blobs(40, 3, centers=3, cluster_std=4.0, random_state=seed)
    X = X @ np.random.default_rng(seed).normal(size=(3, 3))
    table = make_table(X, y)
    split = find(Householder(variant=variant, include_identity=identity), table)
    spaces = [reflection(q) for q in directions(X, y, variant)] + identity * [np.eye(3)]
    assert score_of(split, table) == pytest.approx(best_score(X, y, spaces), rel=1e-12)


def test_an_eigenvector_becomes_the_test():
    """Two long, narrow, parallel classes: the cut between them lies along their common direction."""
    rng = np.random.default_rng(0)
    along, across = np.array([3.0, 4.0]) / 5, np.array([-4.0, 3.0]) / 5
    y = np.arange(200) % 2
    X = np.outer(rng.uniform(-10, 10, 200), along) + np.outer(y + rng.uniform(-0.1, 0.1, 200), across)
    tree = HHCARTClassifier().fit(X, y)
    assert tree.get_n_leaves() == 2
    w = tree.tree_.coef[0]
    assert abs(w @ across) / np.linalg.norm(w) > 0.999


@pytest.mark.parametrize("variant", ["A", "D"])
def test_data_as_they_are_win_among_equals(variant):
    X = np.column_stack([np.arange(10.0), np.arange(10.0)])
    split = find(Householder(variant=variant), make_table(X, X[:, 0] > 4))
    assert split.weights.tolist() == [1.0]
    assert split.threshold == 4.5


def test_an_eigenvector_on_the_first_axis_needs_no_mirror():
    X = np.column_stack([np.arange(10.0), np.zeros(10)])
    table = make_table(X, X[:, 0] > 4)
    split = find(Householder(include_identity=False), table)
    assert split.features.tolist() == [0]
    assert score_of(split, table) == 0


def test_a_threshold_may_lie_on_a_row():
    table = make_table(load_iris().data, load_iris().target)
    on, between = (find(Householder(threshold=where), table) for where in ("sample", "midpoint"))
    np.testing.assert_array_equal(on.route(table.X), between.route(table.X))
    values = [sum(w * row[f] for f, w in zip(on.features, on.weights, strict=True)) for row in table.X]
    assert on.threshold in values
    assert between.threshold not in values


def test_a_class_of_one_row_has_no_direction():
    table = make_table([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    assert find(Householder(include_identity=False), table) is None
    assert find(Householder(), table) is not None


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_large_and_small_numbers_are_parted(scale):
    X, y = load_wine(return_X_y=True)
    tree = HHCARTClassifier().fit(X * scale / 2000, y)
    assert np.isfinite(tree.tree_.weight).all()
    assert tree.score(X * scale / 2000, y) == 1


def test_the_reflections_never_lose_to_the_axes():
    X, y = load_wine(return_X_y=True)
    table = make_table(X, y)
    assert score_of(find(Householder(), table), table) <= score_of(find(AxisParallel(), table), table)


def test_for_regression_rows_above_the_mean_are_a_class():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=300), rng.normal(size=300)]) @ [[5.0, 5.0], [-0.5, 0.5]]
    y = np.where(X[:, 0] - X[:, 1] > 0, 10.0, 0.0)
    two = find(Householder(), make_table(X, (y > y.mean()).astype(int)))
    split = find(Householder(), make_table(X, y, n_classes=0), "squared_error")
    np.testing.assert_array_equal(split.route(X), two.route(X))
    assert HHCARTRegressor().fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("n", [3, 8, 40])
@pytest.mark.parametrize("d", [1, 2, 7, 30])
def test_the_mirrors_are_those_of_the_covariance_s_eigenvectors(n, d):
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d)) @ np.diag(0.7 ** np.arange(d))
    normals, on_axis = _core.householder_mirrors(X, np.ones(n), dominant_alone=False, spread=1e-12, tau=1e-6)
    first = np.eye(d)[0]
    found = [first - 2 * u[0] * u for u in normals]  # what each mirror takes to the first axis
    expected = [q if q[np.abs(q).argmax()] > 0 else -q for q in directions(X, np.zeros(n), "A")]
    expected = [q for q in expected if np.linalg.norm(q - first) > 1e-6]
    assert on_axis == (d == 1)
    np.testing.assert_allclose(np.array(found).reshape(-1, d), np.array(expected).reshape(-1, d), atol=1e-9)


def test_equal_eigenvalues_still_give_a_basis():
    X = np.vstack([np.eye(4), -np.eye(4)])
    normals, on_axis = _core.householder_mirrors(X, np.ones(8), dominant_alone=False, spread=1e-12, tau=1e-6)
    assert on_axis
    found = np.array([np.eye(4)[0]] + [np.eye(4)[0] - 2 * u[0] * u for u in normals])
    np.testing.assert_allclose(found @ found.T, np.eye(4), atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@given(seed=seeds)
def test_the_order_of_the_rows_and_repetition_do_not_matter(weighted, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)).round(1), rng.integers(3, size=40)
    order, weight = rng.permutation(40), rng.integers(1, 4, size=40) if weighted else np.ones(40, dtype=int)
    trees = [
        HHCARTClassifier().fit(X, y, weight).tree_,
        HHCARTClassifier().fit(X[order], y[order], weight[order]).tree_,
        HHCARTClassifier().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).tree_,
    ]
    for other in trees[1:]:
        np.testing.assert_array_equal(other.weight, trees[0].weight)
        np.testing.assert_array_equal(other.threshold, trees[0].threshold)


@pytest.mark.extended
@pytest.mark.parametrize("kernels", ["Prescott", "Haswell"])
def test_the_tree_does_not_depend_on_the_kernels_of_the_linear_algebra_library(kernels):
    script = (
        "from sklearn.datasets import load_digits\n"
        "from askew import HHCARTClassifier\n"
        "X, y = load_digits(return_X_y=True)\n"
        "tree = HHCARTClassifier(max_depth=3).fit(X[:150, 20:40], y[:150]).tree_\n"
        "print(tree.weight.tobytes().hex(), tree.threshold.tobytes().hex())"
    )
    outputs = {
        run([executable, "-c", script], env={**environ, **more}, capture_output=True, text=True, check=True).stdout
        for more in ({}, {"OPENBLAS_CORETYPE": kernels})
    }
    assert len(outputs) == 1


def test_the_cost_of_many_features_is_bounded_by_the_rows():
    """With 5,000 features the covariance of one class alone would fill 200 MB and take minutes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 5000))
    split = find(Householder(), make_table(X, np.arange(12) % 2))
    assert split is not None


@pytest.mark.parametrize(
    ("name", "value"), [("variant", "B"), ("include_identity", 1), ("tau", -1.0), ("threshold", "")]
)
def test_a_wrong_parameter_is_refused_by_name(name, value):
    with pytest.raises(InvalidParameterError, match=name):
        Householder(**{name: value})
