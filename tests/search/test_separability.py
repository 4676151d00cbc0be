import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from askew import _core
from askew.search.separability import LinearProgramme, Patterns

RULES = _core.PerceptronRules(
    iterations=1, passes=True, rho=0.6
)  # a perceptron that finds next to nothing, so that the programme has to


def patterns(X, label, weight=None):
    X = np.ascontiguousarray(X, dtype=float)
    one = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    return Patterns(np.arange(len(X), dtype=np.uint32), X, np.asarray(label, dtype=np.int32), one, one, 2)


@st.composite
def planar(draw):
    """Few places in the plane, so that points coincide, lie on lines, and touch."""
    place = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 1))
    points = sorted(draw(st.sets(place, min_size=2, max_size=12)))
    X, label = np.array([p[:2] for p in points], dtype=float), np.array([p[2] for p in points])
    return (X, label) if len(set(label)) == 2 else (X, np.arange(len(label)) % 2)


def by_definition(X, label):
    """Which patterns no plane has strictly on their side while it has none on the wrong side: one programme each."""
    z = np.column_stack([X, np.ones(len(X))]) * np.where(label == 1, 1.0, -1.0)[:, None]
    found = [linprog(-row, A_ub=-z, b_ub=np.zeros(len(z)), bounds=[(-1, 1)] * z.shape[1]) for row in z]
    return np.array([-one.fun < 1e-7 for one in found])


@given(data=planar())
def test_the_programme_finds_every_pattern_that_is_not_separable(data):
    X, label = data
    within, plane = LinearProgramme(patterns(X, label), RULES).solve(np.arange(len(X)))
    np.testing.assert_array_equal(within, by_definition(X, label))
    if not within.any():
        upper = X @ plane[:-1] + plane[-1] > 0
        assert (upper == (label == 1)).all() or (upper == (label == 0)).all()


def test_sets_that_touch_are_not_separable_where_they_touch():
    X = [[0.0], [1.0], [1.0], [2.0]]
    within, _ = LinearProgramme(patterns(X, [0, 0, 1, 1]), RULES).solve(np.arange(4))
    assert within.tolist() == [False, True, True, False]


def test_the_count_is_a_weight():
    count = LinearProgramme(patterns([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], [5, 2, 3, 7]), RULES)
    assert count(np.arange(4), True) == 5


def test_no_programme_is_solved_for_sets_whose_separability_is_known():
    X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    count = LinearProgramme(patterns(X, [0, 0, 1, 1, 0, 1]), RULES)
    assert count(np.array([0, 1, 2, 3]), True) == 0
    solved = count.n_solved
    assert count(np.array([1, 2, 3]), True) == 0  # within a separable set
    assert count.n_solved == solved
    assert count(np.array([2, 3, 4, 5]), True) == 4
    solved = count.n_solved
    assert count(np.array([1, 2, 3, 4, 5]), False) == -1  # contains an inseparable set
    assert count.n_solved == solved
    assert count(np.array([1, 2, 3, 4, 5]), True) > 0  # the number matters
    assert count.n_solved == solved + 1


def test_the_perceptron_saves_the_programme_where_it_finds_a_plane():
    count = LinearProgramme(
        patterns([[0.0], [1.0], [2.0]], [0, 0, 1]), _core.PerceptronRules(iterations=300, passes=False, rho=0.6)
    )
    assert count(np.arange(3), True) == 0
    assert count.n_solved == 0


@pytest.mark.parametrize("constant", [0.0, 7.0])
def test_a_constant_column_does_no_harm(constant):
    X = np.column_stack([[0.0, 1.0, 2.0], np.full(3, constant)])
    assert LinearProgramme(patterns(X, [0, 0, 1]), RULES).separator() is not None
    assert LinearProgramme(patterns(X, [0, 1, 0]), RULES).separator() is None
