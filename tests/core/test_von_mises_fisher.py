import numpy as np
import pytest
from reference import cross_entropy as reference
from scipy.stats import ks_2samp
from sphere import planes_of, unit

from askew import _core


@pytest.mark.parametrize("p", [2, 3, 17, 257, 2001])
@pytest.mark.parametrize("kappa", [0.0, 0.5, 30.0, 1e4, 1e8])
def test_directions_have_unit_length_and_the_mean_cosine_of_the_distribution(p, kappa):
    mu = unit(np.random.default_rng(p), p)
    directions = planes_of(p, 4000, 5, kappa, mu)
    lengths = np.linalg.norm(directions, axis=1)
    np.testing.assert_allclose(lengths, 1.0, rtol=1e-6)  # they are drawn in float32
    cosine = directions @ mu / lengths
    if kappa == 0 or (p > 400 and kappa < 500):  # the Bessel functions vanish: their ratio is close to this
        expected = kappa / (p / 2 + np.hypot(p / 2, kappa))
    else:
        expected = reference.mean_cosine(p, kappa)
    assert abs(cosine.mean() - expected) < 4 * cosine.std() / np.sqrt(cosine.size) + 1e-15


@pytest.mark.parametrize(("p", "kappa"), [(2, 3.0), (3, 0.3), (5, 12.0), (12, 100.0)])
def test_directions_are_distributed_as_by_wood_s_algorithm_as_the_text_has_it(p, kappa):
    rng = np.random.default_rng(3)
    mu = unit(rng, p)
    ours, theirs = planes_of(p, 3000, 11, kappa, mu), reference.wood(mu, kappa, 3000, rng)
    for axis in (mu, unit(rng, p), np.eye(p)[0]):
        assert ks_2samp(ours @ axis, theirs @ axis).pvalue > 1e-3


@pytest.mark.parametrize(("mu", "kappa", "seed"), [([0.0, 0.0], 0.0, 305223), ([0.6, 0.0, 0.8], 5.0, 74733)])
def test_directions_have_unit_length_also_where_every_normal_number_is_zero(mu, kappa, seed):
    directions = planes_of(len(mu), 64, seed, kappa, np.array(mu))
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0, rtol=1e-6)


def test_no_directions_are_drawn_where_none_are_asked_for():
    assert planes_of(3, 0).size == 0


def test_directions_around_the_last_axis_and_its_opposite_are_around_them():
    for sign in (1.0, -1.0):
        mu = sign * np.eye(6)[5]
        assert ((planes_of(6, 500, 0, 1e6, mu) @ mu) > 0.9999).all()


def test_directions_are_the_same_for_every_number_of_threads_and_every_processor():
    mu = unit(np.random.default_rng(0), 65)
    one = _core.draw_directions(mu, 7.5, n=3000, seed=42)
    np.testing.assert_array_equal(one, _core.draw_directions(mu, 7.5, n=3000, seed=42, threads=3))
    np.testing.assert_array_equal(one, _core.draw_directions(mu, 7.5, n=3000, seed=42, portable=True))
    np.testing.assert_array_equal(one[:10], _core.draw_directions(mu, 7.5, n=10, seed=42))
