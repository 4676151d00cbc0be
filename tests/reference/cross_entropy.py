"""CE-DT's search in plain NumPy: Algorithm 1 of Bollwein and Westphal, line by line."""

from __future__ import annotations

import numpy as np
from scipy.special import ive


def child_seed(seed, i):
    """The i-th seed below a seed (splitmix64), as core/numeric/rng.hpp derives it."""
    mask = 0xFFFFFFFFFFFFFFFF
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def normalisation(X, kind):
    """Shift and scale of each column (section 5.4); scale 0 marks a constant column."""
    if kind is None:
        shift, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
    elif kind == "robust":
        shift = np.median(X, axis=0)
        scale = np.percentile(X, 75, axis=0) - np.percentile(X, 25, axis=0)
    else:
        shift = X.mean(axis=0)
        scale = np.ptp(X, axis=0) if kind == "minmax" else X.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    return shift, np.where(np.ptp(X, axis=0) > 0, scale, 0.0)


def values(X, plane):
    """a.x + b of every row, summed feature by feature."""
    total = np.zeros(X.shape[0])
    for j in range(X.shape[1]):
        total += plane[j] * X[:, j]
    return total + plane[-1]


def gini(left, right):
    """Weighted gini impurity of two sides, from their counts."""
    sides = [side for side in (left, right) if side.sum() > 0]
    return sum(s.sum() - (s**2).sum() / s.sum() for s in sides) / (left.sum() + right.sum())


def squared_error(left, right):
    """Weighted variance of two sides, from (weight, sum, sum of squares)."""
    sides = [side for side in (left, right) if side[0] > 0]
    return sum(max(0.0, s[2] - s[1] ** 2 / s[0]) for s in sides) / (left[0] + right[0])


def mean_absolute_deviation(y, weight):
    """Weighted deviation from the lower weighted median, times the weight."""
    if y.size == 0:
        return 0.0
    order = np.argsort(y, kind="stable")
    y, weight = y[order], weight[order]
    median = y[np.flatnonzero(np.cumsum(weight) >= weight.sum() / 2)[0]]
    return float((weight * np.abs(y - median)).sum())


def counts(y, weight, n_classes):
    """The numbers that describe some rows: weight of each class, or three moments."""
    if n_classes:
        return np.bincount(y, weight, minlength=n_classes)
    return np.array([weight.sum(), (weight * y).sum(), (weight * y * y).sum()])


def scores(X, y, weight, n_classes, planes, score):
    """Score of every plane; infinite where a side is empty. Rows with a value >= 0 are the first side."""
    result = np.full(len(planes), np.inf)
    for i, plane in enumerate(planes):
        upper = values(X, plane) >= 0
        if upper.any() and not upper.all():
            result[i] = score(counts(y[upper], weight[upper], n_classes), counts(y[~upper], weight[~upper], n_classes))
    return result


def mean_cosine(p, kappa):
    """A_p(kappa), equation 3."""
    return ive(p / 2, kappa) / ive(p / 2 - 1, kappa)


def likeliest(elite, newton=True):
    """Mean direction and concentration of unit vectors, equations 2, 4 and 5."""
    p, total = elite.shape[1], elite.sum(axis=0)
    size = np.linalg.norm(total)
    r = size / len(elite)
    kappa = r * (p - r**2) / (1 - r**2)
    for _ in range(2 if newton else 0):
        a = mean_cosine(p, kappa)
        kappa -= (a - r) / (1 - a**2 - (p - 1) / kappa * a)
    return total / size, kappa


def search(score, draw, p, n, rho=0.1, alpha=0.8, patience=3):
    """Algorithm 1: the best plane, its score, and (mu, kappa, gamma) of each iteration.

    `score` scores many planes; `draw(t, mu, kappa, n)` gives the samples of iteration t.
    """
    mu, kappa, least, stalled, records = np.zeros(p), 0.0, np.inf, 0, []
    best = draw(0, mu, kappa, n + 1)[n]
    best_score = score(best[None])[0]
    while stalled < patience:
        planes = draw(len(records), mu, kappa, n)
        q = score(planes)
        gamma = np.sort(q)[int(np.ceil(rho * n)) - 1]
        if q.min() <= best_score:
            best, best_score = planes[q.argmin()], q.min()
        records.append((mu, kappa, gamma))
        stalled = 0 if gamma < least else stalled + 1
        least = min(least, gamma)
        elite = planes[q <= gamma]
        elite_mu, elite_kappa = likeliest(elite / np.linalg.norm(elite, axis=1)[:, None])  # drawn in float32
        mixed = (1 - alpha) * mu + alpha * elite_mu
        mu, kappa = mixed / np.linalg.norm(mixed), (1 - alpha) * kappa + alpha * elite_kappa
    return best, best_score, records


def wood(mu, kappa, n, random):
    """Samples of the von Mises-Fisher distribution by Wood's algorithm, as the text has it."""
    p = mu.size
    b = (p - 1) / (2 * kappa + np.sqrt(4 * kappa**2 + (p - 1) ** 2))
    x0 = (1 - b) / (1 + b)
    c = kappa * x0 + (p - 1) * np.log(1 - x0**2)
    out = np.empty((n, p))
    for i in range(n):
        while True:
            z = random.beta((p - 1) / 2, (p - 1) / 2)
            w = (1 - (1 + b) * z) / (1 - (1 - b) * z)
            if kappa * w + (p - 1) * np.log(1 - x0 * w) - c >= np.log(random.uniform()):
                break
        across = random.normal(size=p - 1)
        x = np.append(np.sqrt(1 - w**2) * across / np.linalg.norm(across), w)
        u = np.append(np.zeros(p - 1), 1.0) - mu
        if np.linalg.norm(u) > 0:
            u /= np.linalg.norm(u)
            x -= 2 * (x @ u) * u
        out[i] = x
    return out
