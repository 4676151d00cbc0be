"""The line search of OC1 and CART-LC against brute force (core/line/line_search.hpp and what it includes)."""

from math import inf, isfinite

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference import line as reference
from strategies import make_table, seeds

from askew import _core
from askew.grow.criterion import CLASSIFICATION, REGRESSION, as_criterion

KINDS = [(name, True) for name in CLASSIFICATION] + [(name, False) for name in REGRESSION]
TALLIED = ["gini", "twoing"]


def criterion_of(name, table):
    return as_criterion(name, classification=table.classification)


ANY = reference.Leaf()
leaves = st.builds(reference.Leaf, st.integers(1, 5), st.sampled_from([0.0, 2.5, 6.0]))


def line_search(table, name, V, s, leaf=ANY):
    limits = {"min_samples_leaf": leaf.samples, "min_weight_leaf": leaf.weight}
    return _core.line_search(criterion_of(name, table).kernel, table.target, V, s, **limits)


def labelled(y, n_classes=None, weight=None):
    """A table whose features do not matter."""
    return make_table(np.zeros((len(y), 1)), y, weight, n_classes=n_classes)


def check_best(table, name, V, s, leaf=ANY):
    """The score is the lowest of all candidates, and t lies where a candidate has it."""
    t, score = line_search(table, name, V, s, leaf)
    found = reference.candidates(table, V, s, leaf, reference.definition(name))
    if not found:
        assert score == inf
        return
    lowest = float(min(c.score for c in found))
    assert score == pytest.approx(lowest, rel=1e-10, abs=1e-10)
    (own,) = (c for c in found if c.t == t)
    assert float(own.score) == pytest.approx(lowest, rel=1e-10, abs=1e-10)


def check_first(table, name, V, s, leaf=ANY):
    """Exactly the first of the best candidates, as the criterion rounds."""
    score = reference.kernel(criterion_of(name, table), table.n_classes)
    best = reference.best(table, V, s, leaf, score)
    found = line_search(table, name, V, s, leaf)
    assert found == ((0.0, inf) if best is None else (best.t, best.score))


# Signs mixed, zeros among the steps, values that repeat: crossings coincide.
values = (
    st.integers(-3, 3).map(float) | st.floats(-4, 4).map(lambda v: round(v, 3)) | st.sampled_from([-0.0, 0.5, 1e-3])
)


@st.composite
def lines(draw, classification=True, n_classes=None, weighted=True, max_rows=24):
    n = draw(st.integers(1, max_rows))
    V, s = (np.array(draw(st.lists(values, min_size=n, max_size=n))) for _ in "Vs")
    k = draw(st.integers(1, 4)) if n_classes is None else n_classes
    y = np.array(draw(st.lists(st.integers(0, k - 1 if classification else 9), min_size=n, max_size=n)))
    weight = draw(st.none() | st.lists(st.integers(1, 4), min_size=n, max_size=n)) if weighted else None
    return labelled(y, k if classification else 0, weight), V, s


@pytest.mark.parametrize(("name", "classification"), KINDS)
@given(data=st.data(), leaf=leaves)
def test_the_move_is_the_best_of_all_candidates(name, classification, data, leaf):
    check_best(name=name, leaf=leaf, **named(data.draw(lines(classification))))


def named(line):
    return dict(zip(("table", "V", "s"), line, strict=True))


@pytest.mark.parametrize("name", CLASSIFICATION)
@given(line=lines(), leaf=leaves)
def test_of_equally_good_moves_the_lowest_wins(name, line, leaf):
    check_first(name=name, leaf=leaf, **named(line))


@pytest.mark.parametrize("n_classes", [2, 3, 8, 9, 16, 17, 128, 130, 500])
@pytest.mark.parametrize("name", TALLIED)
@given(data=st.data())
def test_whole_counts_lead_to_the_move_that_scoring_all_leads_to(name, n_classes, data):
    """Beyond 128 classes the label of a row is looked up."""
    check_first(name=name, **named(data.draw(lines(n_classes=n_classes, weighted=False, max_rows=40))))


@given(line=lines(weighted=False))
def test_a_criterion_in_python_finds_what_the_compiled_one_finds(line):
    table, V, s = line

    def gini(left, right):
        return sum(n.sum(axis=1) - (n * n).sum(axis=1) / n.sum(axis=1) for n in (left, right)) / len(V)

    criterion = as_criterion(gini, classification=True)
    t, score = _core.line_search(criterion.kernel, table.target, V, s)
    expected = line_search(table, "gini", V, s)
    assert (t, score) == (expected[0], pytest.approx(expected[1], rel=1e-12, abs=1e-15))


def test_rows_that_do_not_move_are_counted_on_their_side():
    V = np.array([-1.0, -2.0, 3.0, 0.0, 1.0, -1.0])
    s = np.array([0.0, 0.0, 0.0, -0.0, 1.0, 1.0])
    # Four rows stay: left, left, right, and left, for a row on the plane is not above it.
    t, score = line_search(labelled([0, 0, 1, 0, 1, 0]), "gini", V, s)
    assert (t, score) == (0.0, 0.0)
    t, score = line_search(labelled([0, 0, 1, 1, 1, 0]), "gini", V, s)
    assert score == pytest.approx(4 / 6 * (1 - (3 / 4) ** 2 - (1 / 4) ** 2))


def test_nothing_moves_along_zeros():
    V = np.array([-1.0, 1.0])
    assert line_search(labelled([0, 1]), "gini", V, np.zeros(2)) == (0.0, 0.0)
    assert line_search(labelled([0, 1]), "gini", np.ones(2), np.zeros(2)) == (0.0, inf)


@st.composite
def wide_lines(draw):
    """Values of every magnitude."""
    n = draw(st.integers(2, 24))
    magnitude = st.floats(-300, 140) | st.sampled_from([-323.0, -310.0, -160.0, 0.0])
    number = st.builds(lambda sign, m, x: sign * x * 10.0**m, st.sampled_from([-1, 1]), magnitude, st.floats(1, 9))
    V, s = (np.array(draw(st.lists(number | st.just(0.0), min_size=n, max_size=n))) for _ in "Vs")
    return labelled(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), 3), V, s


def check_reach(table, name, V, s):
    """As `check_first`, where a move by 1e100 or more is out of reach."""
    best = reference.best(table, V, s, ANY, reference.kernel(criterion_of(name, table), table.n_classes))
    none = best is None or abs(best.t) >= 1e100
    assert line_search(table, name, V, s) == ((0.0, inf) if none else (best.t, best.score))


@pytest.mark.parametrize("name", ["gini", "twoing", "entropy"])
@settings(max_examples=50)
@given(line=wide_lines())
def test_huge_and_tiny_values_are_put_in_their_order(name, line):
    check_reach(line[0], name, line[1], line[2])


@pytest.mark.parametrize(
    "exponents",
    [(-320, -140), (-260, -149), (-323, 0), (-140, -140), (140, 140), (-60, -149), (-220, -320), (-320, -320)],
)
def test_products_that_underflow_do_not_upset_the_order(exponents):
    rng = np.random.default_rng(5)
    for _ in range(50):
        V, s = (rng.choice([-1, 1], 12) * rng.uniform(1, 9, 12) * 10.0**e for e in exponents)
        V[rng.integers(12)] = 0
        check_reach(labelled(rng.integers(3, size=12), 3), "gini", V, s)


@pytest.mark.parametrize("size", [1e10, 1e16, 1e60])
def test_the_place_beyond_the_last_crossing_is_beyond_it(size):
    V, s = np.array([size, -1.0, 1.0]), np.array([-1.0, 0.0, 0.0])
    t, score = line_search(labelled([0, 0, 1]), "gini", V, s)
    assert score == 0
    assert V[0] + t * s[0] < 0


@pytest.mark.parametrize("n", [40, 3000])
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e3, 1e7, 1e12])
@given(seed=seeds)
@settings(max_examples=5)
def test_crossings_that_differ_in_their_last_bits_are_kept_apart(n, offset, seed):
    rng = np.random.default_rng(seed)
    t = offset + rng.integers(0, 6, size=n) * np.spacing(max(offset, 1.0))
    s = rng.choice([-2.0, -1.0, 0.5, 1.0, 4.0], size=n)  # powers of two: -V / s is t exactly
    y = (t > np.median(t)) ^ (s < 0)
    y[: n // 10] = rng.integers(2, size=n // 10)
    sweep_check(labelled(y, 2), "gini", -t * s, s)


SIZES = (1, 2, 23, 33, 63, 64, 65, 256, 600, 2047, 2048, 4096, 4097, 10_000, 20_000)


@pytest.mark.extended
@pytest.mark.parametrize("n", [*SIZES, pytest.param(70_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", ["even", "heavy tails", "one heap", "few values"])
@pytest.mark.parametrize(
    ("name", "n_classes"),
    [("gini", 2), ("gini", 8), ("gini", 200), ("twoing", 2), ("twoing", 3), ("twoing", 12), ("entropy", 2)],
)
def test_every_way_of_sorting_finds_the_best_move(n, shape, name, n_classes):
    rng = np.random.default_rng(n)
    V, s = rng.normal(size=(2, n))
    if shape == "heavy tails":  # keys crowd at both ends: the quick sort gives up
        s = s**9
    elif shape == "one heap":
        V = -s * (3 + 1e-9 * rng.normal(size=n))
        V[: n // 50] = rng.normal(size=n // 50) * 1e6
    elif shape == "few values":
        V, s = rng.integers(-4, 5, size=(2, n)).astype(float)
    y = (V + 0.3 * s + rng.normal(size=n) > 0) * (n_classes - 1)
    y[rng.random(n) < 0.2] = n_classes // 2
    sweep_check(labelled(y, n_classes), name, V, s)


def sweep_check(table, name, V, s):
    """As `check_best`, in n log n: counts by a running sum over the crossings in exact order."""
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = np.where(s != 0, -V / s, np.nan)
    moving = np.flatnonzero(s != 0)
    order = moving[np.argsort(crossing[moving], kind="stable")]
    one_hot = np.eye(table.n_classes)[table.y]
    start = one_hot[(s < 0) | ((s == 0) & (V > 0))].sum(axis=0)
    right = np.vstack([start, start + np.cumsum(np.sign(s[order])[:, None] * one_hot[order], axis=0)])
    ends = np.append(np.flatnonzero(np.diff(crossing[order]) > 0) + 1, len(order))
    right = right[np.concatenate(([0], ends))] if len(order) else right[:1]
    left = one_hot.sum(axis=0) - right
    proper = (left.sum(axis=1) > 0) & (right.sum(axis=1) > 0)
    criterion = criterion_of(name, table)
    scores = [criterion.score([a, b]) for a, b in zip(left[proper], right[proper], strict=True)]
    t, score = line_search(table, name, V, s)
    assert score == min(scores, default=inf)
    if isfinite(score):
        below = np.searchsorted(crossing[order], t, side="right")
        place = np.searchsorted(np.concatenate(([0], ends)), below)
        assert place == np.flatnonzero(proper)[int(np.argmin(scores))]


@example(n=1)
@given(n=st.integers(1, 5))
def test_rows_of_one_class_have_no_best_move_by_twoing(n):
    table = labelled([0] * n, 2)
    assert line_search(table, "twoing", np.arange(n, dtype=float), np.ones(n)) == (0.0, inf)


@pytest.mark.parametrize(("V", "s"), [(2, 3), (3, 2), (0, 0)])
def test_another_number_of_values_than_rows_is_refused(V, s):
    with pytest.raises(ValueError, match="value for each of the 3 rows"):
        line_search(labelled([0, 1, 0]), "gini", np.ones(V), np.ones(s))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1e150])
def test_values_that_could_overflow_are_refused(wrong):
    fine, bad = np.ones(2), np.array([0.0, wrong])
    for V, s in ((fine, bad), (bad, fine)):
        with pytest.raises(ValueError, match="below 1e150"):
            line_search(labelled([0, 1]), "gini", V, s)
