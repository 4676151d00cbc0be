import numpy as np
import pytest
from nodes import kernel_node
from reference import cross_entropy as reference
from sklearn.datasets import load_iris
from sphere import planes_of, unit
from strategies import make_table

from askew import _core
from askew.grow.criterion import CLASSIFICATION, as_criterion


def normalised(table, shift=None, scale=None):
    d = table.n_features
    return {
        "features": np.arange(d),
        "shift": np.zeros(d) if shift is None else shift,
        "inverse": np.ones(d) if scale is None else 1.0 / scale,
    }


def score_planes(table, criterion, planes, shift=None, scale=None, mean=None, portable=False, **options):
    kernel = as_criterion(criterion, classification=table.classification).kernel
    given = {**normalised(table, shift, scale), "planes": planes, "mean": mean, "portable": portable}
    return _core.score_planes(kernel, kernel_node(table, **options), **given)


@pytest.mark.parametrize("portable", [False, True])
@pytest.mark.parametrize(("n", "d", "k"), [(4, 1, 2), (97, 2, 2), (300, 5, 3), (211, 33, 26)])
def test_scores_of_planes_are_those_of_float64_to_the_last_bit(n, d, k, portable):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d), rng.integers(0, k, n)
    planes = planes_of(d + 1, 150, 9)
    shift, scale = reference.normalisation(X, "robust")
    expected = reference.scores((X - shift) * (1 / scale), y, np.ones(n), k, planes, reference.gini)
    found = score_planes(make_table(X, y, n_classes=k), "gini", planes, shift, scale, portable=portable)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_rows_on_or_next_to_a_plane_are_counted_as_float64_has_them():
    rng = np.random.default_rng(0)
    planes = planes_of(4, 64, 1)
    # Points on the planes up to float64's rounding: in float32 every sign is a matter of luck.
    flat = rng.normal(size=(64, 3))
    flat -= (
        ((flat * planes[:, :3]).sum(axis=1) + planes[:, 3])[:, None]
        * planes[:, :3]
        / (planes[:, :3] ** 2).sum(axis=1, keepdims=True)
    )
    X = np.concatenate([flat, flat + 1e-12, flat - 1e-12, rng.normal(size=(20, 3))])
    y = rng.integers(0, 2, len(X))
    expected = reference.scores(X, y, np.ones(len(X)), 2, planes, reference.gini)
    np.testing.assert_allclose(score_planes(make_table(X, y, n_classes=2), "gini", planes), expected, rtol=1e-14)


def columns_with_few_values(rng, n):
    """One-hot columns, binary ones, small whole numbers, a column with two large values, and two with many."""
    colour = np.eye(4)[rng.integers(0, 4, n)]
    switches, marks = rng.integers(0, 2, (n, 9)), rng.integers(0, 5, (n, 4))
    return np.column_stack([colour, switches, marks, rng.integers(0, 2, n) * 1e9, rng.normal(size=(n, 2))])


@pytest.mark.parametrize("portable", [False, True])
@pytest.mark.parametrize("n", [50, 120, 700, 1100])  # each has tables of another size, 50 none
def test_columns_with_few_values_are_summed_by_table_to_the_same_counts(n, portable):
    rng = np.random.default_rng(n)
    X, y = columns_with_few_values(rng, n), rng.integers(0, 3, n)
    planes = planes_of(X.shape[1] + 1, 200, 9)
    planes[::3, 4:] = 0  # many rows exactly on the plane
    planes[::3, 0], planes[::3, 1] = 1, -1
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    shift, scale = reference.normalisation(X, "robust")
    expected = reference.scores((X - shift) * (1 / scale), y, np.ones(n), 3, planes, reference.gini)
    found = score_planes(make_table(X, y, n_classes=3), "gini", planes, shift, scale, portable=portable)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("criterion", ["entropy", "squared_error", "absolute_error"])
def test_tables_serve_weights_all_criteria_threads_and_rows_that_no_plane_divides(criterion):
    rng = np.random.default_rng(2)
    n = 900
    X = columns_with_few_values(rng, n)
    y = rng.integers(0, 3, n) if criterion == "entropy" else rng.normal(size=n)
    table = make_table(X, y, n_classes=3 if criterion == "entropy" else 0, weight=rng.uniform(1, 2, n))
    mu = unit(rng, X.shape[1] + 1)
    planes = planes_of(mu.size, 300, 1, 2000.0, mu)
    # A column of noise for each that has few values: no tables. Their weight is 0, the sums are the same.
    noise, none = rng.normal(size=(n, 60)), np.zeros((300, 60))
    wide = make_table(np.column_stack([X, noise]), y, n_classes=table.n_classes, weight=table.weight)
    plain = score_planes(wide, criterion, np.column_stack([planes[:, :-1], none, planes[:, -1]]))
    for threads in (1, 3):
        for mean in (None, mu):
            found = score_planes(table, criterion, planes, threads=threads, mean=mean)
            np.testing.assert_allclose(found, plain, rtol=1e-13)


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_scores_with_weights_are_those_of_the_reference(criterion):
    rng = np.random.default_rng(4)
    X, w = rng.normal(size=(150, 4)), rng.uniform(0.5, 3, 150)
    planes = planes_of(5, 100, 2)
    if criterion == "gini":
        y, k, score = rng.integers(0, 3, 150), 3, reference.gini
        expected = reference.scores(X, y, w, k, planes, score)
    else:
        y, k = rng.normal(size=150) + 1e6, 0
        expected = reference.scores(X, y - y.mean(), w, k, planes, reference.squared_error)
        if criterion == "absolute_error":
            upper = [reference.values(X, plane) >= 0 for plane in planes]
            sums = [sum(reference.mean_absolute_deviation(y[s], w[s]) for s in (u, ~u)) for u in upper]
            expected = np.where(np.isinf(expected), np.inf, np.array(sums) / w.sum())
    table = make_table(X, y, n_classes=k, weight=w)
    np.testing.assert_allclose(score_planes(table, criterion, planes), expected, rtol=1e-8)


@pytest.mark.parametrize("criterion", [*CLASSIFICATION, "squared_error", "absolute_error"])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_that_no_plane_divides_are_counted_once_without_a_change(criterion, weighted):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(400, 6))
    k = 4 if criterion in CLASSIFICATION else 0
    y = rng.integers(0, 4, 400)
    table = make_table(X, y, n_classes=k, weight=rng.integers(1, 4, 400).astype(float) if weighted else None)
    mu = unit(rng, 7)
    for kappa in (20.0, 500.0, 1e5):
        planes = planes_of(7, 100, 1, kappa, mu)
        found = score_planes(table, criterion, planes, mean=mu)
        np.testing.assert_allclose(found, score_planes(table, criterion, planes), rtol=1e-13)


@pytest.mark.parametrize("criterion", ["entropy", "squared_error", "absolute_error"])
def test_scores_are_the_same_for_every_number_of_threads(criterion):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 9))
    y = rng.integers(0, 3, 3000) if criterion == "entropy" else rng.normal(size=3000)
    table = make_table(X, y, n_classes=3 if criterion == "entropy" else 0, weight=rng.uniform(1, 2, 3000))
    planes = planes_of(10, 500)
    one = score_planes(table, criterion, planes)
    for threads in (2, 3, 7):
        np.testing.assert_array_equal(one, score_planes(table, criterion, planes, threads=threads))


def test_a_node_too_large_to_keep_in_float32_is_scored_alike():
    rng = np.random.default_rng(1)
    n = 110_000  # more than 8 MB with 20 columns
    X, y = rng.normal(size=(n, 20)), rng.integers(0, 2, n)
    planes = planes_of(21, 3)
    expected = reference.scores(X, y, np.ones(n), 2, planes, reference.gini)
    np.testing.assert_allclose(score_planes(make_table(X, y, n_classes=2), "gini", planes), expected, rtol=1e-14)


def test_a_side_with_too_few_samples_scores_infinity():
    X = np.arange(10.0)[:, None]
    planes = np.array([[1.0, -t] for t in (-1.0, 0.5, 1.5, 2.5, 8.5)])
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    repeated = np.array([3.0] + 9 * [1.0])
    table = make_table(X, np.arange(10) % 2, n_classes=2, weight=repeated, multiplicity=repeated)
    assert np.isfinite(score_planes(table, "gini", planes)).tolist() == [False, True, True, True, True]
    three = score_planes(table, "gini", planes, min_samples_leaf=3)
    assert np.isfinite(three).tolist() == [False, True, True, True, False]


def test_samples_on_each_side_are_counted_for_absolute_error_too():
    X, y = np.arange(10.0)[:, None], np.arange(10) % 4
    repeated = np.where(np.arange(10) < 2, 3.0, 1.0)
    table = make_table(X, y, n_classes=0, weight=repeated)
    planes = np.array([[1.0, -1.5], [1.0, -0.5], [1.0, -4.5]]) / np.sqrt(30)
    scores = score_planes(table, "absolute_error", planes, min_samples_leaf=6)
    assert np.isfinite(scores).tolist() == [True, False, False]


def test_the_order_of_rows_changes_no_bit_of_a_score_of_whole_numbers():
    rng = np.random.default_rng(0)
    X, y, order = rng.normal(size=(51, 2)), rng.integers(-8, 9, 51), rng.permutation(51)
    planes = planes_of(3, 100)
    scores = score_planes(make_table(X, y, n_classes=0), "squared_error", planes)
    again = score_planes(make_table(X[order], y[order], n_classes=0), "squared_error", planes)
    np.testing.assert_array_equal(scores, again)


def test_a_python_criterion_is_called_once_for_all_planes():
    calls = []

    def own(left, right):
        calls.append(len(left))
        assert (left.sum(axis=1) > 0).all()
        assert (right.sum(axis=1) > 0).all()
        return np.array([reference.gini(*pair) for pair in zip(left, right, strict=True)])

    X, y = load_iris(return_X_y=True)
    X = X - X.mean(axis=0)
    table, planes = make_table(X, y, n_classes=3), planes_of(5, 200)
    found = score_planes(table, own, planes)
    assert len(calls) == 1
    np.testing.assert_allclose(found, score_planes(table, "gini", planes), rtol=1e-13)


# --- counts apart from scores


def weights_of(kind, n, rng):
    return {"unit": None, "whole": rng.integers(1, 5, n).astype(float), "uneven": rng.uniform(0.5, 2, n)}[kind]


def counted(table, planes, rows=None, **options):
    counter = _core.PlaneCounter(kernel_node(table, rows), **normalised(table), **options)
    return counter.count(planes), counter.all


@pytest.mark.parametrize("weights", ["unit", "whole"])
@pytest.mark.parametrize(("criterion", "k"), [("gini", 3), ("entropy", 2), ("squared_error", 0)])
def test_counts_of_two_halves_add_up_to_the_scores_of_the_whole_to_the_last_bit(criterion, k, weights):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(301, 4)), rng.integers(0, k or 9, 301)
    table = make_table(X, y, weights_of(weights, 301, rng), n_classes=k)
    planes, kernel = planes_of(5, 70, 2), as_criterion(criterion, classification=k > 0).kernel
    whole, first, second = (
        counted(table, planes, rows, centre=0.0 if k else 4.0)
        for rows in (np.arange(301), np.arange(120), np.arange(120, 301))
    )
    for one, two, both in zip(first, second, whole, strict=True):
        np.testing.assert_array_equal(one + two, both)
    limits = {"classification": k > 0, "min_samples_leaf": 20.0}
    scores = _core.score_counts(kernel, first[0] + second[0], first[1] + second[1], **limits)
    np.testing.assert_array_equal(scores, _core.score_counts(kernel, *whole, **limits))
    assert np.isfinite(scores).any()
    if k:  # of squared error, a node takes its moments about its own centre
        np.testing.assert_array_equal(scores, score_planes(table, criterion, planes, min_samples_leaf=20.0))
    else:
        np.testing.assert_allclose(scores, score_planes(table, criterion, planes, min_samples_leaf=20.0), rtol=1e-12)


@pytest.mark.parametrize("weights", ["unit", "whole", "uneven"])
def test_the_counts_of_planes_are_those_of_their_upper_sides(weights):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(150, 3)), rng.integers(0, 3, 150)
    table = make_table(X, y, weights_of(weights, 150, rng), np.ones(150), n_classes=3)
    planes = planes_of(4, 20, 5)
    above, everything = counted(table, planes)
    for plane, counts in [*zip(planes, above, strict=True), (np.array([0.0, 0.0, 0.0, 1.0]), everything)]:
        up = X @ plane[:-1] + plane[-1] >= 0
        np.testing.assert_allclose(counts[:3], np.bincount(y[up], table.weight[up], minlength=3))
        np.testing.assert_array_equal(counts[3:6], np.bincount(y[up], minlength=3))
        assert counts[6] == up.sum()


def test_absolute_error_has_no_counts():
    kernel = as_criterion("absolute_error", classification=False).kernel
    with pytest.raises(ValueError, match="absolute_error has no counts"):
        _core.score_counts(kernel, np.ones((1, 5)), np.ones(5), classification=False)


def test_counts_of_another_kind_of_target_are_refused():
    with pytest.raises(ValueError, match="not counts of this kind"):
        _core.score_counts(
            as_criterion("gini", classification=True).kernel, np.ones((1, 6)), np.ones(6), classification=True
        )
