import ctypes
import threading
import time

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.criterion import SCORES
from scipy import LowLevelCallable
from sklearn.datasets import load_diabetes, load_iris
from strategies import count_pairs, make_table
from threads import threads_on_small_data

from askew import CARTClassifier, CARTRegressor, InvalidParameterError, _core, save
from askew.grow.criterion import CLASSIFICATION, REGRESSION, as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.search import SEARCHES, as_search

SIGNATURE = numba.types.float64(
    numba.types.CPointer(numba.types.float64),
    numba.types.CPointer(numba.types.float64),
    numba.types.int64,
    numba.types.voidptr,
)


def gini(left, right):
    """Gini in the order of operations of core/score/criterion.hpp: rounded alike, so that ties are the same."""

    def mass(counts):
        n = counts.sum(axis=1)
        return n - (counts * counts).sum(axis=1) / n

    return (mass(left) + mass(right)) / (left.sum(axis=1) + right.sum(axis=1))


@numba.cfunc(SIGNATURE)
def compiled_gini(left, right, k, data):
    masses = 0.0
    weight = 0.0
    for side in range(2):
        counts = left if side == 0 else right
        n = 0.0
        squares = 0.0
        for c in range(k):
            n += counts[c]
            squares += counts[c] * counts[c]
        masses += n - squares / n
        weight += n
    return masses / weight


def squared_error(left, right):
    """Squared error from the moments (weight, sum of y, sum of y squared)."""

    def mass(moments):
        return moments[:, 2] - moments[:, 1] ** 2 / moments[:, 0]

    return (mass(left) + mass(right)) / (left[:, 0] + right[:, 0])


def low_level(function, signature="double (double *, double *, int64_t, void *)"):
    pointer_type = ctypes.CFUNCTYPE(
        ctypes.c_double,
        ctypes.POINTER(ctypes.c_double),
        ctypes.POINTER(ctypes.c_double),
        ctypes.c_int64,
        ctypes.c_void_p,
    )
    return LowLevelCallable(pointer_type(function.address), signature=signature)


@pytest.mark.parametrize("name", CLASSIFICATION)
@given(pair=count_pairs())
def test_each_criterion_equals_its_definition(name, pair):
    left, right = pair
    expected = SCORES[name](left, right)
    assert as_criterion(name, classification=True).score([left, right]) == pytest.approx(
        float(expected), rel=1e-10, abs=1e-12
    )


@given(sides=st.tuples(*[st.lists(st.integers(-20, 20), min_size=1, max_size=8)] * 2))
def test_squared_error_equals_its_definition(sides):
    moments = [[len(y), sum(y), sum(v * v for v in y)] for y in sides]
    criterion = as_criterion("squared_error", classification=False)
    assert criterion.score(moments) == pytest.approx(float(SCORES["squared_error"](*moments)), abs=1e-10)


@pytest.mark.parametrize("name", CLASSIFICATION)
@given(pair=count_pairs())
def test_the_order_of_the_classes_does_not_matter(name, pair):
    left, right = pair
    criterion = as_criterion(name, classification=True)
    mirrored = criterion.score([left[::-1], right[::-1]])
    assert mirrored == pytest.approx(criterion.score([left, right]), rel=1e-10, abs=1e-12)


@given(pair=count_pairs(max_classes=2))
def test_with_two_classes_twoing_is_twice_the_decrease_of_gini(pair):
    left, right = pair
    both = [a + b for a, b in zip(left, right, strict=True)]
    gini_criterion = as_criterion("gini", classification=True)
    decrease = gini_criterion.score([both]) - gini_criterion.score([left, right])
    twoing = SCORES["twoing"](left, right)
    if twoing:  # 0 where both sides are pure
        assert 1 / float(twoing) == pytest.approx(2 * decrease, abs=1e-12)


@pytest.mark.parametrize("name", [n for n in CLASSIFICATION if n not in ("twoing", "gain_ratio")])
def test_more_than_two_children_are_scored(name):
    criterion = as_criterion(name, classification=True)
    assert criterion.score([[4, 0, 0], [0, 3, 0], [0, 0, 2]]) == 0
    assert criterion.score([[4, 1, 0], [0, 3, 0], [1, 0, 2]]) > 0


def test_twoing_refuses_three_children():
    with pytest.raises(ValueError, match="twoing scores two children, got 3"):
        as_criterion("twoing", classification=True).score([[1, 0], [0, 1], [1, 1]])


@pytest.mark.parametrize(
    "own", [gini, compiled_gini, low_level(compiled_gini)], ids=["python", "cfunc", "LowLevelCallable"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_users_own_criterion_gives_the_tree_of_the_named_one(own, weighted):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(1, 4, size=y.size) if weighted else None
    named = CARTClassifier(criterion="gini").fit(X, y, weight)
    assert CARTClassifier(criterion=own).fit(X, y, weight).tree_ == named.tree_


@pytest.mark.parametrize("name", sorted(set(SEARCHES) - {"alopex", "c45", "id3", "linear_machine", "piecewise"}))
def test_a_python_criterion_is_called_from_every_thread(name):
    X, y = load_iris(return_X_y=True)
    threads, table = set(), make_table(X[::3], y[::3])

    def noted(left, right):
        threads.add(threading.get_ident())
        if len(threads) == 1:
            time.sleep(0.002)  # lets another thread take the next task
        return gini(left, right)

    one, own = (as_criterion(given, classification=True) for given in (gini, noted))
    expected = grow(table, as_search(name), one, Limits(max_depth=2), 7)
    with threads_on_small_data():
        for _ in range(20):  # which thread gets a task is left to chance
            assert grow(table, as_search(name), own, Limits(max_depth=2), 7, 3) == expected
            if len(threads) > 1:
                break
        assert len(threads) > 1


def test_what_a_python_criterion_raises_in_a_thread_reaches_the_caller():
    X, y = load_iris(return_X_y=True)

    def failing(left, right):
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("no score today")
        time.sleep(0.0002)  # lets another thread take the next task
        return gini(left, right)

    def fit_until_a_task_goes_to_another_thread():
        for _ in range(1000):
            CARTClassifier(criterion=failing, n_jobs=3).fit(X, y)

    with threads_on_small_data(), pytest.raises(RuntimeError, match="no score today"):
        fit_until_a_task_goes_to_another_thread()


def test_a_users_own_criterion_for_regression_sees_the_moments():
    X, y = load_diabetes(return_X_y=True)
    named = CARTRegressor(criterion="squared_error", max_depth=4).fit(X, y)
    own = CARTRegressor(criterion=squared_error, max_depth=4).fit(X, y)
    np.testing.assert_array_equal(own.tree_.feature, named.tree_.feature)
    np.testing.assert_allclose(own.predict(X), named.predict(X))


def test_the_data_pointer_of_a_low_level_callable_arrives():
    @numba.cfunc(SIGNATURE)
    def scaled(left, right, k, data):
        factor = numba.carray(data, (1,), dtype=np.float64)[0]
        return factor * left[0]

    factor = ctypes.c_double(3.0)
    pointer = ctypes.cast(ctypes.pointer(factor), ctypes.c_void_p)
    function = low_level(scaled)
    with_data = LowLevelCallable(function.function, pointer, "double (double *, double *, int64_t, void *)")
    assert as_criterion(with_data, classification=True).score([[2, 0], [0, 1]]) == 6.0


def test_a_python_criterion_is_called_once_for_all_cuts_of_a_feature():
    X, y = load_iris(return_X_y=True)
    calls = []

    def counting(left, right):
        calls.append(len(left))
        return gini(left, right)

    CARTClassifier(criterion=counting, max_depth=1).fit(X, y)
    assert calls == [np.unique(X[:, j]).size - 1 for j in range(4)]


@pytest.mark.parametrize(
    ("wrong", "shape"),
    [
        (lambda left, right: np.zeros((len(left), 1)), r"\(\d+, 1\)"),
        (lambda left, right: 0.0, r"\(1,\)|\(\)"),
        (lambda left, right: np.zeros(len(left) + 1), r"\(\d+,\)"),
    ],
    ids=["matrix", "scalar", "too long"],
)
def test_a_python_criterion_of_the_wrong_shape_is_refused(wrong, shape):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=rf"one score for each cut: expected shape \(\d+,\), got {shape}"):
        CARTClassifier(criterion=wrong).fit(X, y)


def test_the_error_of_a_python_criterion_reaches_the_user():
    X, y = load_iris(return_X_y=True)

    def broken(left, right):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        CARTClassifier(criterion=broken, n_jobs=2).fit(X, y)


def test_scores_that_are_not_a_number_make_a_leaf():
    X, y = load_iris(return_X_y=True)
    tree = CARTClassifier(criterion=lambda left, right: np.full(len(left), np.nan)).fit(X, y)
    assert tree.get_n_leaves() == 1


def test_a_low_level_callable_of_another_signature_is_refused():
    wrong = low_level(compiled_gini, "double (double, double)")
    with pytest.raises(InvalidParameterError, match=r"signature 'double \(double \*, double \*, int64_t, void \*\)'"):
        as_criterion(wrong, classification=True)


def test_a_cfunc_of_another_signature_is_refused():
    @numba.cfunc(numba.types.float64(numba.types.float64))
    def wrong(x):
        return x

    with pytest.raises(InvalidParameterError, match="signature"):
        as_criterion(wrong, classification=True)


@pytest.mark.parametrize("wrong", ["squared_error", "nonsense", 3, None])
def test_an_unknown_criterion_lists_the_known_ones(wrong):
    with pytest.raises(InvalidParameterError, match=r"'entropy', 'gain_ratio', 'gini'.*Got"):
        as_criterion(wrong, classification=True)
    with pytest.raises(InvalidParameterError, match="'absolute_error', 'squared_error'"):
        as_criterion("gini", classification=False)


def test_every_name_has_a_definition_in_the_reference():
    assert set(SCORES) == {*CLASSIFICATION, *REGRESSION}


# Rounding takes the Gini impurity of these counts below 0 by 1e-16.
NEARLY_PURE = np.array([2_000_000_011.6, 1e-9])


def test_the_impurity_of_a_node_that_is_nearly_pure_is_not_negative(tmp_path):
    kernel = as_criterion("gini", classification=True).kernel
    assert _core.impurity_of_counts(kernel, NEARLY_PURE, classification=True) == 0
    model = CARTClassifier().fit([[0.0], [0.0]], [0, 1], NEARLY_PURE)
    assert model.tree_.impurity[0] == 0
    save(model, tmp_path / "m.askew")  # it refuses what could not be loaded
