import numpy as np
import pytest
from scipy.optimize import minimize

from askew.explaining.counterfactual.nearest_point import Programme, nearest


def polyhedron(seed, n=4, rows=6):
    """Constraints that a point away from the origin fulfils, and the origin does not."""
    rng = np.random.default_rng(seed)
    A, inside = rng.normal(size=(rows, n)), rng.normal(size=n) * 3
    b = A @ inside + rng.uniform(0, 1, rows)
    return Programme(A, b, np.full(n, -9.0), np.full(n, 9.0), np.zeros(n), np.zeros(n))


@pytest.mark.parametrize("seed", range(8))
def test_the_nearest_point_is_that_of_a_general_solver(seed):
    given = polyhedron(seed)
    held = {"type": "ineq", "fun": lambda v: given.b - given.A @ v}
    found = nearest(given, "l2")
    other = minimize(lambda v: v @ v, np.ones(4), constraints=[held], bounds=[(-9, 9)] * 4)
    assert (given.A @ found <= given.b + 1e-9).all()
    assert np.linalg.norm(found) == pytest.approx(np.sqrt(other.fun), abs=1e-4)
    sparse = nearest(given, "l1")
    assert (given.A @ sparse <= given.b + 1e-7).all()
    assert np.abs(sparse).sum() <= np.abs(found).sum() + 1e-7
    assert given.least("l2") <= np.linalg.norm(found) + 1e-9
    assert given.least("l1") <= np.abs(sparse).sum() + 1e-9


@pytest.mark.parametrize("kind", ["l1", "l2"])
@pytest.mark.parametrize("seed", range(4))
def test_whole_steps_are_as_near_as_trying_all(seed, kind):
    given = polyhedron(seed, n=2, rows=3)
    given = Programme(given.A, given.b, given.low, given.high, given.start, np.array([1.0, 0.5]))
    found = nearest(given, kind)
    a, b = np.meshgrid(np.arange(-9, 9.1), np.arange(-9, 9.1, 0.5))
    all_of_them = np.column_stack([a.ravel(), b.ravel()])
    inside = (all_of_them @ given.A.T <= given.b).all(axis=1)
    if not inside.any():
        assert found is None
        return
    sizes = [given.distance(point, kind) for point in all_of_them[inside]]
    assert given.distance(found, kind) == pytest.approx(min(sizes))
    assert (found % [1.0, 0.5] == 0).all()


@pytest.mark.parametrize("kind", ["l1", "l2"])
def test_one_category_is_chosen(kind):
    # a number and three categories; the number may go to 1 at most, so that a category must change, too
    A, b = np.array([[-1.0, 0.0, -2.0, -3.0]]), np.array([-2.5])
    low, high = np.zeros(4), np.ones(4)
    start = np.array([0.0, 1.0, 0.0, 0.0])
    found = nearest(Programme(A, b, low, high, start, np.zeros(4), (np.array([1, 2, 3]),)), kind)
    assert found.round(6).tolist() == [0, 0, 0, 1]
    barred = np.array([1.0, 1.0, 1.0, 0.0])
    found = nearest(Programme(A, b, low, barred, start, np.zeros(4), (np.array([1, 2, 3]),)), kind)
    assert found.round(6).tolist() == [0.5, 0, 1, 0]


@pytest.mark.parametrize("kind", ["l1", "l2"])
def test_what_cannot_be_is_none(kind):
    A, b = np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0])  # v <= -1 and v >= 1
    line = Programme(A, b, np.full(1, -9.0), np.full(1, 9.0), np.zeros(1), np.zeros(1))
    assert nearest(line, kind) is None
    fixed = Programme(A[:1], b[:1], np.zeros(1), np.zeros(1), np.zeros(1), np.zeros(1))
    assert nearest(fixed, kind) is None
    assert fixed.distance(np.zeros(1), kind) == 0


def test_many_whole_numbers_are_near_at_least():
    rng = np.random.default_rng(0)
    n = 40
    A, b = -rng.uniform(0.5, 1.5, (2, n)), np.array([-20.3, -22.7])
    given = Programme(A, b, np.full(n, -9.0), np.full(n, 9.0), np.zeros(n), np.ones(n))
    found = nearest(given, "l2")
    assert (A @ found <= b + 1e-9).all()
    assert (found == np.rint(found)).all()
    relaxed = nearest(Programme(A, b, given.low, given.high, given.start, np.zeros(n)), "l2")
    assert np.linalg.norm(relaxed) <= np.linalg.norm(found) < 1.6 * np.linalg.norm(relaxed)
