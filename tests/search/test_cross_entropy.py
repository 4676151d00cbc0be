from __future__ import annotations

import numpy as np
import pytest
from reference import cross_entropy as reference
from scipy.stats import ks_2samp
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_blobs

from askew import CEDTClassifier, CEDTRegressor, InvalidParameterError, ObliqueTreeClassifier, _core
from askew.criterion import CLASSIFICATION, as_criterion
from askew.grow import Node
from askew.search.cross_entropy import CrossEntropy, denormalised
from askew.table import Table


def make_table(X, y, n_classes, weight=None, multiplicity=None):
    X = np.ascontiguousarray(X, dtype=np.float64)
    y = np.asarray(y, dtype=np.int32 if n_classes else np.float64)
    ones = np.ones(len(y))
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return Table(
        X, y, ones if weight is None else weight, ones if multiplicity is None else multiplicity, n_classes, names
    )


def planes_of(p, n, seed=0, kappa=0.0, mu=None):
    return _core.draw_directions(np.zeros(p) if mu is None else mu, kappa, n, seed, 1, False)


def score_planes(table, criterion, planes, shift=None, scale=None, **options):
    given = {"mean": None, "min_samples_leaf": 1, "threads": 1, "portable": False, **options}
    d = table.n_features
    shift = np.zeros(d) if shift is None else shift
    inverse = np.ones(d) if scale is None else 1.0 / scale
    kernel = as_criterion(criterion, classification=table.classification).kernel
    rows, features = np.arange(table.n_rows, dtype=np.uint32), np.arange(d)
    return _core.score_planes(kernel, table.target, table.X, rows, features, shift, inverse, planes, *given.values())


def make_node(table, seed=0, threads=1, min_samples_leaf=1):
    return Node(
        table,
        np.arange(table.n_rows, dtype=np.uint32),
        0,
        seed,
        np.zeros(1),
        float(table.multiplicity.sum()),
        float(table.weight.sum()),
        1.0,
        False,
        min_samples_leaf,
        threads,
    )


def unit(rng, p):
    mu = rng.normal(size=p)
    return mu / np.linalg.norm(mu)


# --- the distribution


@pytest.mark.parametrize("p", [2, 3, 17, 257, 2001])
@pytest.mark.parametrize("kappa", [0.0, 0.5, 30.0, 1e4, 1e8])
def test_directions_have_unit_length_and_the_mean_cosine_of_the_distribution(p, kappa):
    mu = unit(np.random.default_rng(p), p)
    cosine = planes_of(p, 4000, 5, kappa, mu) @ mu
    expected = _core.mean_cosine(p, kappa)
    assert abs(cosine.mean() - expected) < 4 * cosine.std() / np.sqrt(cosine.size) + 1e-15
    lengths = np.linalg.norm(planes_of(p, 100, 6, kappa, mu), axis=1)
    np.testing.assert_allclose(lengths, 1.0, rtol=1e-13)


@pytest.mark.parametrize(("p", "kappa"), [(2, 3.0), (3, 0.3), (5, 12.0), (12, 100.0)])
def test_directions_are_distributed_as_by_wood_s_algorithm_as_the_text_has_it(p, kappa):
    rng = np.random.default_rng(3)
    mu = unit(rng, p)
    ours, theirs = planes_of(p, 3000, 11, kappa, mu), reference.wood(mu, kappa, 3000, rng)
    for axis in (mu, unit(rng, p), np.eye(p)[0]):
        assert ks_2samp(ours @ axis, theirs @ axis).pvalue > 1e-3


def test_directions_around_the_last_axis_and_its_opposite_are_around_them():
    for sign in (1.0, -1.0):
        mu = sign * np.eye(6)[5]
        assert ((planes_of(6, 500, 0, 1e6, mu) @ mu) > 0.9999).all()


def test_directions_are_the_same_for_every_number_of_threads_and_every_processor():
    mu = unit(np.random.default_rng(0), 65)
    one = _core.draw_directions(mu, 7.5, 3000, 42, 1, False)
    np.testing.assert_array_equal(one, _core.draw_directions(mu, 7.5, 3000, 42, 3, False))
    np.testing.assert_array_equal(one, _core.draw_directions(mu, 7.5, 3000, 42, 1, True))
    np.testing.assert_array_equal(one[:10], _core.draw_directions(mu, 7.5, 10, 42, 1, False))


@pytest.mark.parametrize("p", [2, 3, 10, 101, 400])
@pytest.mark.parametrize("kappa", [0.01, 1.0, 20.0, 500.0, 3e4, 1e7])
def test_the_mean_cosine_is_the_ratio_of_bessel_functions(p, kappa):
    expected = reference.mean_cosine(p, kappa) if p < 400 or kappa >= 500 else kappa / (p + kappa**2 / (p + 2))
    rtol = 1e-11 if p < 400 or kappa >= 500 else 1e-3  # the Bessel functions underflow there: a bound instead
    np.testing.assert_allclose(_core.mean_cosine(p, kappa), expected, rtol=rtol)


@pytest.mark.parametrize("p", [2, 5, 50, 1000])
@pytest.mark.parametrize("r", [1e-3, 0.3, 0.9, 0.9999])
def test_newton_s_kappa_gives_the_mean_length_back(p, r):
    total = np.zeros(p)
    total[0] = 40 * r
    newton, banerjee = (_core.likeliest_kappa(total, 40, newton) for newton in (True, False))
    assert abs(_core.mean_cosine(p, newton) - r) <= abs(_core.mean_cosine(p, banerjee) - r) + 1e-14
    np.testing.assert_allclose(_core.mean_cosine(p, newton), r, rtol=1e-4)
    np.testing.assert_allclose(banerjee, r * (p - r**2) / (1 - r**2), rtol=1e-10)


def test_kappa_is_capped_for_equal_vectors_and_zero_for_vectors_that_cancel():
    assert _core.likeliest_kappa(np.array([10.0, 0.0]), 10, True) == 1e8
    assert _core.likeliest_kappa(np.zeros(3), 10, True) == 0.0


# --- scores of planes


@pytest.mark.parametrize("portable", [False, True])
@pytest.mark.parametrize(("n", "d", "k"), [(4, 1, 2), (97, 2, 2), (300, 5, 3), (211, 33, 26)])
def test_scores_of_planes_are_those_of_float64_to_the_last_bit(n, d, k, portable):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d), rng.integers(0, k, n)
    planes = planes_of(d + 1, 150, 9)
    shift, scale = reference.normalisation(X, "robust")
    expected = reference.scores((X - shift) * (1 / scale), y, np.ones(n), k, planes, reference.gini)
    found = score_planes(make_table(X, y, k), "gini", planes, shift, scale, portable=portable)
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
    np.testing.assert_allclose(score_planes(make_table(X, y, 2), "gini", planes), expected, rtol=1e-14)


def columns_with_few_values(rng, n):
    """One-hot columns, binary ones, small whole numbers, a column with two large values, and two with many."""
    colour = np.eye(4)[rng.integers(0, 4, n)]
    switches, marks = rng.integers(0, 2, (n, 9)), rng.integers(0, 5, (n, 4))
    return np.column_stack([colour, switches, marks, rng.integers(0, 2, n) * 1e9, rng.normal(size=(n, 2))])


@pytest.mark.parametrize("portable", [False, True])
@pytest.mark.parametrize("n", [50, 120, 700])
def test_columns_with_few_values_are_summed_by_table_to_the_same_counts(n, portable):
    rng = np.random.default_rng(n)
    X, y = columns_with_few_values(rng, n), rng.integers(0, 3, n)
    planes = planes_of(X.shape[1] + 1, 200, 9)
    planes[::3, 4:] = 0  # many rows exactly on the plane
    planes[::3, 0], planes[::3, 1] = 1, -1
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    shift, scale = reference.normalisation(X, "robust")
    expected = reference.scores((X - shift) * (1 / scale), y, np.ones(n), 3, planes, reference.gini)
    found = score_planes(make_table(X, y, 3), "gini", planes, shift, scale, portable=portable)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("criterion", ["entropy", "squared_error", "absolute_error"])
def test_tables_serve_weights_all_criteria_threads_and_rows_that_no_plane_divides(criterion):
    rng = np.random.default_rng(2)
    n = 900
    X = columns_with_few_values(rng, n)
    y = rng.integers(0, 3, n) if criterion == "entropy" else rng.normal(size=n)
    table = make_table(X, y, 3 if criterion == "entropy" else 0, weight=rng.uniform(1, 2, n))
    mu = unit(rng, X.shape[1] + 1)
    planes = planes_of(mu.size, 300, 1, 2000.0, mu)
    # A column of noise for each that has few values: no tables. Their weight is 0, the sums are the same.
    noise, none = rng.normal(size=(n, 60)), np.zeros((300, 60))
    wide = make_table(np.column_stack([X, noise]), y, table.n_classes, weight=table.weight)
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
    table = make_table(X, y, k, weight=w)
    np.testing.assert_allclose(score_planes(table, criterion, planes), expected, rtol=1e-8)


@pytest.mark.parametrize("criterion", [*CLASSIFICATION, "squared_error", "absolute_error"])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_that_no_plane_divides_are_counted_once_without_a_change(criterion, weighted):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(400, 6))
    k = 4 if criterion in CLASSIFICATION else 0
    y = rng.integers(0, 4, 400)
    table = make_table(X, y, k, weight=rng.integers(1, 4, 400).astype(float) if weighted else None)
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
    table = make_table(X, y, 3 if criterion == "entropy" else 0, weight=rng.uniform(1, 2, 3000))
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
    np.testing.assert_allclose(score_planes(make_table(X, y, 2), "gini", planes), expected, rtol=1e-14)


def test_a_side_with_too_few_samples_scores_infinity():
    X = np.arange(10.0)[:, None]
    planes = np.array([[1.0, -t] for t in (-1.0, 0.5, 1.5, 2.5, 8.5)])
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    repeated = np.array([3.0] + 9 * [1.0])
    table = make_table(X, np.arange(10) % 2, 2, weight=repeated, multiplicity=repeated)
    assert np.isfinite(score_planes(table, "gini", planes)).tolist() == [False, True, True, True, True]
    three = score_planes(table, "gini", planes, min_samples_leaf=3)
    assert np.isfinite(three).tolist() == [False, True, True, True, False]


def test_a_python_criterion_is_called_once_for_all_planes():
    calls = []

    def own(left, right):
        calls.append(len(left))
        assert (left.sum(axis=1) > 0).all()
        assert (right.sum(axis=1) > 0).all()
        return np.array([reference.gini(*pair) for pair in zip(left, right, strict=True)])

    X, y = load_iris(return_X_y=True)
    X = X - X.mean(axis=0)
    table, planes = make_table(X, y, 3), planes_of(5, 200)
    found = score_planes(table, own, planes)
    assert len(calls) == 1
    np.testing.assert_allclose(found, score_planes(table, "gini", planes), rtol=1e-13)


# --- the search


def searched(table, criterion, seed, n_samples=100, **options):
    traces = []
    search = CrossEntropy(n_samples=n_samples, univariate=False, callback=traces.append, **options)
    split = search.find(make_node(table, seed), as_criterion(criterion, classification=table.classification), seed)
    return split, traces[0]


@pytest.mark.parametrize("normalize", ["robust", "minmax", "standard", None])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_search_is_that_of_the_reference_iteration_by_iteration(normalize, seed):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:] - 1
    split, trace = searched(make_table(X, y, 2), "gini", seed, normalize=normalize)
    shift, scale = reference.normalisation(X, normalize)
    scaled = (X - shift) * (1 / scale)

    def draw(t, mu, kappa, n):
        return planes_of(5, n, reference.child_seed(seed, t), kappa, mu)

    def score(planes):
        return reference.scores(scaled, y, np.ones(len(y)), 2, planes, reference.gini)

    best, best_score, records = reference.search(score, draw, 5, 100)
    np.testing.assert_allclose(trace.shift, shift, rtol=1e-12)
    np.testing.assert_allclose(trace.scale, scale, rtol=1e-12)
    np.testing.assert_allclose(trace.gamma, [gamma for _, _, gamma in records], rtol=1e-12)
    np.testing.assert_allclose(trace.kappa, [kappa for _, kappa, _ in records], rtol=1e-6)
    np.testing.assert_allclose(trace.mu, [mu for mu, _, _ in records], atol=1e-9)
    np.testing.assert_allclose(trace.plane, best, atol=1e-9)
    upper = split.route(X) == 0
    np.testing.assert_array_equal(upper, reference.values(scaled, best) >= 0)
    assert reference.gini(np.bincount(y[upper], minlength=2), np.bincount(y[~upper], minlength=2)) == best_score


def test_the_search_finds_the_plane_that_divides_two_clouds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = (X @ [1.0, -2.0, 0.5, 0.0, 1.0] > 0.3).astype(int)
    X[:, 2] *= 1e6
    split, trace = searched(make_table(X, y, 2), "gini", 0, n_samples=400)
    child = split.route(X)
    assert min((child == y).mean(), (child != y).mean()) < 0.02
    assert trace.kappa[-1] > trace.kappa[1]
    assert trace.gamma[-1] < trace.gamma[0]


def test_denormalisation_divides_the_rows_as_the_normalised_plane_does():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 3)) * [1e-5, 1.0, 1e7] + [3.0, -1e3, 1e8]
    shift, scale = reference.normalisation(X, "robust")
    for plane in planes_of(4, 50):
        split = denormalised(plane, np.arange(3), shift, scale)
        expected = reference.values((X - shift) / scale, plane)
        clear = np.abs(expected) > 1e-6
        np.testing.assert_array_equal((split.route(X) == 0)[clear], (expected >= 0)[clear])


def test_a_univariate_split_is_taken_where_it_is_as_good():
    X = np.array([[0.0, 5.0], [1.0, 1.0], [2.0, 3.0], [3.0, 2.0]])
    model = CEDTClassifier(random_state=0).fit(X, [0, 0, 1, 1])
    assert model.tree_.coef.tolist() == [[1.0, 0.0]]
    assert model.tree_.threshold[0] == 1.5
    oblique = CEDTClassifier(univariate=False, random_state=0).fit(X, [0, 0, 1, 1])
    assert np.count_nonzero(oblique.tree_.coef[0]) == 2


def test_features_that_others_determine_are_left_out_the_worst_univariate_ones_first():
    rng = np.random.default_rng(2)
    base = rng.normal(size=(60, 2))
    y = (base[:, 0] + 0.3 * base[:, 1] > 0).astype(int)
    X = np.column_stack([base[:, 1], base.sum(axis=1), base[:, 0], np.full(60, 7.0), 2 * base[:, 0] - 1])
    _, trace = searched(make_table(X, y, 2), "gini", 0, feature_reduction=True)
    assert trace.features.size == 2
    _, scores = _core.axis_cuts(
        as_criterion("gini", classification=True).kernel,
        make_table(X, y, 2).target,
        X,
        np.arange(60, dtype=np.uint32),
        1,
        0.0,
        1,
    )
    assert int(np.argmin(scores)) in trace.features
    everything = searched(make_table(X, y, 2), "gini", 0, feature_reduction=False)[1]
    assert everything.features.tolist() == [0, 1, 2, 4]


@pytest.mark.parametrize("when", [True, "auto"])
def test_fewer_features_than_rows_are_kept(when):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12, 30))
    _, trace = searched(make_table(X, np.arange(12) % 3, 3), "gini", 0, feature_reduction=when)
    assert trace.features.size == 11
    # Lemma 1: with the features kept, every labelling of the rows is still a matter of a plane.
    kept = np.column_stack([np.ones(12), X[:, trace.features]])
    assert np.linalg.matrix_rank(kept) == 12


def test_the_number_of_samples_grows_with_features_and_rows_from_a_hundred():
    X, y = load_wine(return_X_y=True)
    model = CEDTClassifier(trace=True, random_state=0).fit(X, y)
    for trace in model.trace_:
        assert trace.n_drawn == max(100, int(np.ceil(2 * trace.features.size * np.log2(trace.n_samples))))


def test_as_many_features_are_kept_as_the_rank_allows():
    rng = np.random.default_rng(0)
    for n, d in ((200, 12), (40, 60), (9, 9)):
        codes = rng.integers(0, 3, size=(n, d // 3))
        X = np.concatenate([codes == value for value in range(3)], axis=1).astype(float)
        order, shift, scale = rng.permutation(X.shape[1]), np.zeros(X.shape[1]), np.ones(X.shape[1])
        kept = _core.independent_features(X, np.arange(n, dtype=np.uint32), order, shift, scale)
        rank = np.linalg.matrix_rank(np.column_stack([np.ones(n), X]))
        assert np.linalg.matrix_rank(np.column_stack([np.ones(n), X[:, kept]])) == kept.size + 1 == rank


def test_features_are_reduced_where_rows_are_few_and_everywhere_if_so_asked():
    X = np.repeat(np.arange(20.0)[:, None], 3, axis=1)
    y = np.arange(20) % 2
    assert searched(make_table(X, y, 2), "gini", 0)[1].features.size == 3
    assert searched(make_table(X, y, 2), "gini", 0, feature_reduction=True)[1].features.size == 1


# --- the estimators


@pytest.mark.parametrize("criterion", CLASSIFICATION)
def test_the_tree_is_the_same_for_every_n_jobs(criterion):
    X, y = make_blobs(2500, 12, centers=5, cluster_std=6.0, random_state=0)
    one, three = (
        CEDTClassifier(criterion=criterion, max_depth=4, random_state=1, n_jobs=n).fit(X, y).tree_ for n in (1, 3)
    )
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, three.arrays()[name], err_msg=name)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_regression_tree_is_better_than_its_first_leaf(criterion):
    X, y = load_diabetes(return_X_y=True)
    model = CEDTRegressor(criterion=criterion, max_depth=3, random_state=0).fit(X, y)
    loss = np.mean if criterion == "squared_error" else np.median
    alone = np.abs(y - loss(y)).mean()
    assert np.abs(y - model.predict(X)).mean() < 0.8 * alone
    leaf = model.apply(X)
    for number in np.unique(leaf):
        value, inside = model.tree_.value[number, 0], np.sort(y[leaf == number])
        expected = inside.mean() if criterion == "squared_error" else inside[(inside.size - 1) // 2]
        np.testing.assert_allclose(value, expected)


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    X, y = load_wine(return_X_y=True)
    times = rng.integers(1, 4, len(y))
    weighted = CEDTClassifier(random_state=3).fit(X, y, sample_weight=times)
    repeated = CEDTClassifier(random_state=3).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_array_equal(weighted.tree_.coef, repeated.tree_.coef)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "absolute_error"])
def test_no_leaf_is_below_the_limits_on_samples_and_weight(criterion):
    X, y = load_wine(return_X_y=True)
    made = CEDTClassifier if criterion == "gini" else CEDTRegressor
    weight = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    limits = {"min_samples_leaf": 9, "min_weight_fraction_leaf": 0.08}
    tree = made(criterion=criterion, random_state=0, **limits).fit(X, y, sample_weight=weight).tree_
    assert tree.n_leaves > 2
    assert tree.n_samples.min() >= 9
    assert tree.mass.min() >= 0.08 * weight.sum()


def test_nodes_below_four_samples_are_leaves():
    X, y = load_iris(return_X_y=True)
    tree = CEDTClassifier(random_state=0).fit(X, y).tree_
    assert tree.n_samples[~tree.is_leaf].min() >= 4


def test_pruning_holds_rows_out():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    noisy = np.where(rng.uniform(size=y.size) < 0.2, rng.integers(0, 3, y.size), y)
    whole, pruned = (CEDTClassifier(pruning=p, random_state=0).fit(X, noisy) for p in (None, "cost_complexity"))
    assert pruned.get_n_leaves() < whole.get_n_leaves()


def test_no_trace_is_kept_unless_asked_for():
    X, y = load_iris(return_X_y=True)
    model = CEDTClassifier(trace=True, random_state=0).fit(X, y)
    assert len(model.trace_) >= model.get_n_leaves() - 1
    first = model.trace_[0]
    assert first.kappa[0] == 0
    assert not first.mu[0].any()
    assert first.mu.shape == (first.gamma.size, first.features.size + 1)
    assert not hasattr(model.set_params(trace=False).fit(X, y), "trace_")


def test_a_search_by_name_is_the_estimator_s():
    X, y = load_iris(return_X_y=True)
    named = ObliqueTreeClassifier(search="cross_entropy", min_samples_split=4, random_state=5).fit(X, y)
    np.testing.assert_array_equal(named.tree_.coef, CEDTClassifier(random_state=5).fit(X, y).tree_.coef)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_samples", 1),
        ("rho", 0.0),
        ("rho", 1.0),
        ("alpha", 0.0),
        ("alpha", 1.5),
        ("patience", 0),
        ("kappa_estimator", "sra"),
        ("normalize", "other"),
        ("feature_reduction", "always"),
        ("univariate", 1),
        ("trace", "yes"),
    ],
)
def test_a_parameter_out_of_range_is_named(name, value):
    with pytest.raises(InvalidParameterError, match=name):
        CEDTClassifier(**{name: value}).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("normalize", ["robust", "minmax", "standard", None])
@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e-308, 1.0])
def test_values_at_the_ends_of_the_range_give_finite_weights(normalize, scale):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(40, 3)) * [scale, 1.0, 1e12]
    y = rng.integers(0, 2, 40)
    model = CEDTClassifier(normalize=normalize, random_state=0).fit(X, y)
    assert np.isfinite(model.tree_.weight).all()
    assert np.isfinite(model.tree_.threshold).all()
    assert model.get_n_leaves() > 1


@pytest.mark.parametrize("normalize", ["robust", "minmax", "standard", None])
def test_rows_that_cannot_be_told_apart_are_a_leaf(normalize):
    model = CEDTClassifier(normalize=normalize).fit(np.full((10, 2), 3.0), np.arange(10) % 2)
    assert model.get_n_leaves() == 1
