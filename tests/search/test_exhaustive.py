import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nodes import kernel_node, root_of
from reference import exhaustive as reference
from sklearn.datasets import load_wine
from strategies import make_table

from askew import _core
from askew.grow.criterion import CLASSIFICATION, REGRESSION, as_criterion
from askew.parameters import InvalidParameterError
from askew.search.exhaustive import Exhaustive, _warn_of_cost

KINDS = [(name, True) for name in CLASSIFICATION] + [(name, False) for name in REGRESSION]


@st.composite
def lattice_tables(draw, r, max_rows=9, max_features=None, classification=True, width=3, weighted=False):
    """Few small whole numbers: samples coincide, lie on lines and planes, and planes score equally."""
    n = draw(st.integers(1, max_rows))
    d = draw(st.integers(r, max_features or r + 1))
    row = st.lists(st.integers(0, width), min_size=d, max_size=d)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=np.float64)
    top = draw(st.integers(1, 2)) if classification else 4
    y = draw(st.lists(st.integers(0, top), min_size=n, max_size=n))
    weight = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)) if weighted else None
    return make_table(X, y, weight, n_classes=top + 1 if classification else 0)


def search_planes(
    table, name, side_tol, *, threads=1, units=0, seed=0, r=2, orientation="canonical", degenerate="skip", least=1.0
):
    """The compiled search; planes through two samples unless others are asked for."""
    both, eigen = orientation == "both", degenerate == "eigen"
    return _core.exhaustive(
        as_criterion(name, classification=table.classification).kernel,
        kernel_node(table, min_samples_leaf=least, threads=threads),
        _core.ExhaustiveRules(r=r, both=both, eigen=eigen, half_way=False, side_tol=side_tol),
        features=np.arange(table.n_features),
        units=units,
        seconds=np.inf,
        seed=seed,
        progress=None,
    )


def sweep(table, name="gini", **given):
    return search_planes(table, name, None, **given)


def one_by_one(table, name="gini", side_tol=1e-9, **given):
    """Every plane on every sample. With small whole numbers a small tolerance changes no side."""
    return search_planes(table, name, side_tol, **given)


def left_of(found, table):
    value = np.zeros(table.n_rows)
    for f in found.features:  # as the tree's walker sums it
        value += found.weights[f] * table.X[:, f]
    return frozenset(np.flatnonzero(value <= found.threshold).tolist())


def described(found, table):
    if found is None:
        return None
    assert found.exact
    samples, features = tuple(found.samples), tuple(found.features)
    return reference.Plane(found.score, samples, features, found.flipped, left_of(found, table))


def by_definition(table, name, r, orientation, degenerate, least):
    criterion = as_criterion(name, classification=True)

    def counts(rows):
        return np.bincount(table.y[rows], table.weight[rows], minlength=table.n_classes)

    def score(left, right):
        return criterion.score([counts(left), counts(right)])

    def samples_of(rows):
        return table.multiplicity[rows].sum() if rows else 0

    return reference.best_plane(table.X, r, score, least, orientation, degenerate, samples_of)


orientations = st.sampled_from(["canonical", "both"])
degenerates = st.sampled_from(["skip", "eigen"])


@pytest.mark.parametrize("r", [1, 2, 3])
@pytest.mark.parametrize("name", CLASSIFICATION)
@given(data=st.data(), orientation=orientations, degenerate=degenerates, least=st.integers(1, 3))
def test_the_sweep_finds_the_first_of_the_best_planes(r, name, data, orientation, degenerate, least):
    table = data.draw(lattice_tables(r, weighted=data.draw(st.booleans())))
    expected = by_definition(table, name, r, orientation, degenerate, least)
    for search in sweep, one_by_one:
        found = search(table, name, r=r, orientation=orientation, degenerate=degenerate, least=least)
        assert described(found, table) == expected


@st.composite
def tables_with_holes(draw, r):
    table = draw(lattice_tables(r, weighted=draw(st.booleans())))
    holes = draw(
        st.lists(st.tuples(st.integers(0, table.n_rows - 1), st.integers(0, table.n_features - 1)), max_size=6)
    )
    X = table.X.copy()
    for row, column in holes:
        X[row, column] = np.nan
    return make_table(X, table.y, table.weight, n_classes=table.n_classes)


@pytest.mark.parametrize("r", [1, 2, 3])
@pytest.mark.parametrize("name", ["gini", "entropy"])
@given(data=st.data(), orientation=orientations, degenerate=degenerates, least=st.integers(1, 3))
def test_a_row_that_lacks_a_feature_is_below_every_plane_in_it(r, name, data, orientation, degenerate, least):
    table = data.draw(tables_with_holes(r))
    expected = by_definition(table, name, r, orientation, degenerate, least)
    for search in sweep, one_by_one:
        found = search(table, name, r=r, orientation=orientation, degenerate=degenerate, least=least)
        assert described(found, table) == expected


@pytest.mark.parametrize(("name", "classification"), [("squared_error", False), ("absolute_error", False)])
@given(data=st.data(), orientation=orientations)
@settings(max_examples=15)
def test_a_row_that_lacks_a_feature_counts_for_numbers_too(name, classification, data, orientation):
    table = data.draw(lattice_tables(2, 10, classification=classification))
    X = table.X.copy()
    X[data.draw(st.lists(st.booleans(), min_size=table.n_rows, max_size=table.n_rows)), 0] = np.nan
    holed = make_table(X, table.y, n_classes=0)
    found, expected = (search(holed, name, orientation=orientation) for search in (sweep, one_by_one))
    assert described(found, holed) == described(expected, holed)


@given(table=lattice_tables(4, max_rows=8, max_features=4, width=2), orientation=orientations)
@settings(max_examples=15)
def test_planes_through_four_samples_are_the_first_of_the_best(table, orientation):
    expected = by_definition(table, "gini", 4, orientation, "skip", 1)
    assert described(sweep(table, r=4, orientation=orientation), table) == expected


def far_from_whole(X):
    """Columns that no power of ten makes whole, and one that a power of ten does; no side changes."""
    third = X[:, 0] / 3  # equal numbers stay equal; lines and planes do not
    return np.column_stack([third, X[:, 1] * 0.1, X[:, 2] * 2.0**-70 * (1 + 2.0**-50)])


@pytest.mark.parametrize("r", [2, 3])
@given(data=st.data(), orientation=orientations)
def test_sides_are_exact_for_every_kind_of_number(r, data, orientation):
    table = data.draw(lattice_tables(r, max_features=3))
    columns = np.column_stack([table.X, np.zeros((table.n_rows, 3 - table.n_features))])
    X = far_from_whole(columns)[:, : table.n_features]
    other = make_table(X, table.y, n_classes=table.n_classes)
    expected, found = (
        by_definition(other, "gini", r, orientation, "skip", 1),
        sweep(other, r=r, orientation=orientation),
    )
    if expected is None:
        assert found is None
        return
    assert (tuple(found.samples), tuple(found.features)) == (expected.samples, expected.features)
    assert found.flipped == expected.flipped
    # Beside a plane by less than a sum of doubles can tell: the best cut along the same weights takes its place.
    assert found.score == expected.score if found.exact else found.score >= expected.score
    assert not found.exact or left_of(found, other) == expected.left


@pytest.mark.parametrize(("times", "over"), [(1, 10), (1, 1e5), (7, 1), (1e9, 1), (2.0**-990, 1), (2.0**990, 1)])
@given(table=lattice_tables(2, max_rows=20))
@settings(max_examples=15)
def test_scale_changes_nothing(times, over, table):
    scaled = make_table(table.X * times / over, table.y, n_classes=table.n_classes)
    found, other = sweep(table), sweep(scaled)
    if found is None:
        assert other is None
        return
    assert left_of(found, table) == left_of(other, scaled)
    assert found.score == other.score


@given(far=st.integers(20, 51), near=st.integers(1, 3), label=st.integers(0, 2))
def test_a_hair_beside_the_line_is_not_on_it(far, near, label):
    """Three samples on a line and one beside it by a part in 2^far."""
    X = np.array([[0, 0], [1, 1], [2, 2], [1, 1 + near * 2.0**-far]])
    y = np.array([0, 1, 1, 0]) if label == 0 else np.array([label - 1, 0, 1, 1])
    table = make_table(X, y, n_classes=2)
    assert described(sweep(table), table) == by_definition(table, "gini", 2, "canonical", "skip", 1)


@pytest.mark.parametrize(("name", "classification"), KINDS)
@pytest.mark.parametrize("r", [1, 2, 3])
@given(data=st.data(), orientation=orientations, degenerate=degenerates)
@settings(max_examples=10)
def test_the_sweep_finds_the_best_of_all_planes(r, name, classification, data, orientation, degenerate):
    table = data.draw(lattice_tables(r, 14, classification=classification, width=4, weighted=True))
    rules = {"r": r, "orientation": orientation, "degenerate": degenerate}
    found, expected = (search(table, name, **rules) for search in (sweep, one_by_one))
    assert described(found, table) == described(expected, table)


@pytest.mark.parametrize("r", [2, 3])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_weights_that_are_not_whole_add_up_in_any_order(r, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(6, size=(25, r))
    for y, n_classes, name in (rng.integers(3, size=25), 3, "entropy"), (rng.normal(size=25), 0, "squared_error"):
        table = make_table(X, y, rng.random(25) + 0.1, np.ones(25), n_classes)
        assert described(sweep(table, name, r=r), table) == described(one_by_one(table, name, r=r), table)


@pytest.mark.extended
@pytest.mark.parametrize("r", [2, 3])
@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_many_samples_agree_with_trying_every_plane(r, n_classes):
    """Enough for the sort by buckets and, with the second set, for long runs of equal directions."""
    rng = np.random.default_rng(r)
    n = 120 if r == 2 else 45
    y = rng.integers(n_classes, size=n) if n_classes else rng.normal(size=n)
    for X in rng.normal(size=(n, r + 1)), rng.integers(5, size=(n, r + 1)):
        table = make_table(X, y, n_classes=n_classes)
        name = "gini" if n_classes else "squared_error"
        assert described(sweep(table, name, r=r), table) == described(one_by_one(table, name, r=r), table)


@pytest.mark.extended
def test_numbers_of_very_different_size_are_swept_exactly():
    rng = np.random.default_rng(2)
    table = make_table(np.exp(20 * rng.normal(size=(34, 3))), rng.integers(3, size=34), n_classes=3)
    found, expected = sweep(table), by_definition(table, "gini", 2, "canonical", "skip", 1)
    assert (tuple(found.samples), tuple(found.features)) == (expected.samples, expected.features)
    assert found.score == expected.score


@pytest.mark.parametrize("r", [1, 2, 3])
@pytest.mark.parametrize("name", ["gini", "entropy"])
def test_every_number_of_threads_finds_the_same_plane(r, name):
    X, y = load_wine(return_X_y=True)
    table = make_table(X[::3, :4], y[::3])
    one = sweep(table, name, r=r)
    for threads in (2, 3, 5):
        other = sweep(table, name, r=r, threads=threads)
        for name_of in ("weights", "threshold", "score", "samples", "features", "flipped", "exact"):
            assert np.array_equal(getattr(other, name_of), getattr(one, name_of))


# --- the search


def find(search, table, criterion="gini", seed=7, threads=1):
    node = root_of(table, threads=threads)
    return search.find(node, as_criterion(criterion, classification=True), seed), node


def lines(n=200, d=5):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, d))
    return make_table(X, X[:, 0] > 0.3 * X[:, -1] + 0.1, n_classes=2)


def test_the_plane_goes_through_its_samples():
    table = lines()
    split, _ = find(Exhaustive(r=2), table)
    value = table.X[:, split.features] @ split.weights
    assert np.isclose(value, split.threshold, rtol=0, atol=1e-12).sum() == 2


def test_half_way_parts_the_same_rows_and_touches_none():
    table = lines()
    at, between = (find(Exhaustive(threshold=where), table)[0] for where in ("sample", "midpoint"))
    np.testing.assert_array_equal(at.route(table.X), between.route(table.X))
    value = table.X[:, between.features] @ between.weights
    assert np.abs(value - between.threshold).min() > 1e-12


def test_a_user_s_criterion_is_asked_about_every_plane():
    table = lines(40, 3)

    def gini(left, right):
        sizes = np.stack([left.sum(axis=1), right.sum(axis=1)])
        squares = np.stack([(left**2).sum(axis=1), (right**2).sum(axis=1)])
        return (sizes - squares / sizes).sum(axis=0) / sizes.sum(axis=0)

    own, named = find(Exhaustive(), table, gini)[0], find(Exhaustive(), table)[0]
    np.testing.assert_array_equal(own.route(table.X), named.route(table.X))


def test_a_constant_column_hides_nothing():
    X = np.column_stack([np.ones(20), np.arange(20.0)])
    split, _ = find(Exhaustive(r=2), make_table(X, np.arange(20) > 8))
    np.testing.assert_array_equal(split.route(X) != split.route(X)[0], np.arange(20) > 8)


def test_more_features_than_there_are_mean_all_of_them():
    table = lines(30, 2)
    np.testing.assert_array_equal(find(Exhaustive(r=9), table)[0].weights, find(Exhaustive(r=2), table)[0].weights)


def test_rows_on_one_line_are_parted_by_one_feature():
    X = np.column_stack([np.arange(10.0), 2 * np.arange(10.0)])
    split, _ = find(Exhaustive(r=2), make_table(X, np.arange(10) > 3))
    assert split.weights.size == 1


def test_a_row_whose_missing_feature_has_no_weight_is_below_the_plane_all_the_same():
    X = np.array([[0.0, 0.0], [1.0, 5.0], [1.0, 7.0], [2.0, np.nan]])  # the line x0 = 1 tests x1 with weight 0
    split, _ = find(Exhaustive(r=2), make_table(X, [1, 0, 0, 1]))
    assert split.route(X).tolist() == [1, 0, 0, 1]
    np.testing.assert_array_equal(np.sort(split.weights), [-1.0, 0.0])


def test_a_tolerance_counts_near_samples_as_on_the_plane():
    X = np.array([[0.0, 0.0], [4.0, 0.0], [1.0, -1e-4], [2.0, -1.0], [3.0, -1.0]])
    table = make_table(X, [0, 0, 0, 1, 1])
    near = frozenset({0, 1, 2})
    assert left_of(one_by_one(table, side_tol=1e-3), table) == near
    assert not any(
        set(plane.samples) == {0, 1} and plane.left == near
        for plane in reference.all_planes(X, 2, lambda left, right: 0.0)
    )
    split, _ = find(Exhaustive(side_tol=1e-3), table)
    assert split.route(X).tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("search", [Exhaustive(max_candidates=2000), Exhaustive(r=3, max_candidates=2000)])
def test_a_budget_of_planes_is_kept_and_seeded(search):
    table = lines()
    (split, node), (again, _), (threaded, _) = (find(search, table, threads=t) for t in (1, 1, 3))
    assert 1000 <= node.n_evaluated <= 2000
    for other in again, threaded:
        np.testing.assert_array_equal(split.weights, other.weights)
        assert split.threshold == other.threshold
    others = [find(search, table, seed=seed)[0] for seed in range(5)]
    assert len({other.threshold for other in others}) > 1


def test_a_budget_beyond_all_planes_is_no_budget():
    table = lines(30, 3)
    full, free = find(Exhaustive(max_candidates=10**9), table)[0], find(Exhaustive(), table)[0]
    np.testing.assert_array_equal(full.weights, free.weights)


@pytest.mark.parametrize("r", [2, 3])
def test_random_candidates_cover_every_plane(r):
    rng = np.random.default_rng(0)
    table = make_table(rng.normal(size=(15, 4)), rng.integers(2, size=15))
    assert sweep(table, r=r, units=10**9, seed=5).score == sweep(table, r=r).score


def test_a_time_limit_ends_the_search_with_a_plane():
    split, node = find(Exhaustive(r=4, time_limit=0.05), lines(300, 8))
    assert split is not None
    assert 0 < node.n_evaluated < 10**8


def test_a_budget_lists_no_combinations_that_it_does_not_look_at():
    rng = np.random.default_rng(0)
    table = make_table(rng.normal(size=(40, 3000)), rng.integers(2, size=40))  # C(3000, 3): 250 GB of them
    split, node = find(Exhaustive(r=3, max_candidates=1, time_limit=0.01), table)
    assert split is not None
    assert node.n_evaluated < 100


@pytest.mark.filterwarnings("ignore:The exact search")
@pytest.mark.parametrize("r", [8, 50])
def test_more_combinations_than_a_number_can_hold_are_drawn_one_by_one(r):
    rng = np.random.default_rng(0)
    table = make_table(rng.normal(size=(100, 1000)), rng.integers(2, size=100))  # C(1000, 8) is 2.4e19
    search = Exhaustive(r=r, max_candidates=400)
    (split, node), (again, _), (other, _) = (find(search, table, seed=seed) for seed in (1, 1, 2))
    assert 0 < node.n_evaluated <= 400
    np.testing.assert_array_equal(split.weights, again.weights)
    assert set(split.features) != set(other.features)
    assert split.features.max() > 200  # not the first combinations alone


def test_a_search_that_would_take_for_ever_is_announced():
    with pytest.warns(UserWarning, match="years"):
        _warn_of_cost(3000, 1000, 500, 0, 1, None, one_by_one=True)


def test_a_long_search_is_announced():
    with pytest.warns(UserWarning, match=r"through 4 of 300 samples in 4 of 8 features takes about \d"):
        _warn_of_cost(300, 8, 4, 0, 1, None, one_by_one=False)


def test_of_equal_planes_that_through_the_least_values_wins_whatever_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    X, y = rng.random((12, 5)), np.arange(12) % 2
    orders = [rng.permutation(12) for _ in range(5)]
    by_values, by_rows = (
        {find(Exhaustive(ties=ties), make_table(X[order], y[order]))[0].weights.tobytes() for order in orders}
        for ties in ("values", "rows")
    )
    assert len(by_values) == 1
    assert len(by_rows) > 1


@pytest.mark.filterwarnings("ignore:The exact search")
def test_a_search_can_be_stopped_within_the_sweeps_around_its_first_sample():
    told = []

    def stop(done):
        told.append(done)
        if len(told) == 2:
            raise KeyboardInterrupt

    node = root_of(lines(60_000, 40))  # 780 pairs of features a sample
    node.progress = stop
    with pytest.raises(KeyboardInterrupt):
        Exhaustive().find(node, as_criterion("gini", classification=True), 0)
    assert told == [0.0, 0.0]


def test_a_search_with_a_tolerance_can_be_stopped_within_the_planes_through_its_first_sample():
    told = []

    def stop(done):
        told.append(done)
        raise KeyboardInterrupt

    node = root_of(lines(20_000, 2))  # all planes through the first sample take half a second
    node.progress = stop
    with pytest.warns(UserWarning, match="The exact search"), pytest.raises(KeyboardInterrupt):
        Exhaustive(side_tol=1e-3).find(node, as_criterion("gini", classification=True), 0)
    assert told == [0.0]


@pytest.mark.extended
def test_a_search_tells_how_far_it_is():
    table, told = lines(2000, 6), []
    node = root_of(table)
    node.progress = told.append
    Exhaustive().find(node, as_criterion("entropy", classification=True), 0)
    assert told == sorted(told)
    assert 0 < told[-1] <= 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("r", 0),
        ("orientation", "up"),
        ("degenerate", None),
        ("side_tol", -1.0),
        ("max_candidates", 0),
        ("time_limit", 0),
        ("ties", "lots"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(name, value):
    with pytest.raises(InvalidParameterError, match=name):
        Exhaustive(**{name: value})
