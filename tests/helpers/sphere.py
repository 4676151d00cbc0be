"""Directions on the sphere: the planes that cross-entropy draws."""

import numpy as np

from askew import _core


def unit(rng, p):
    """A direction."""
    mu = rng.normal(size=p)
    return mu / np.linalg.norm(mu)


def planes_of(p, n, seed=0, kappa=0.0, mu=None):
    """Directions around `mu`, or anywhere."""
    return _core.draw_directions(np.zeros(p) if mu is None else mu, kappa, n=n, seed=seed)
