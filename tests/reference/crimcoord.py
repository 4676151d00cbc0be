"""CRIMCOORD as Loh & Shih (1997) write it down: 0/1 vectors, between and total sums of squares, eigenvectors."""

import numpy as np


def crimcoord(code, y, weight, n_categories):
    """Return the score of each category, without a scale or a sign, and the score of the mean."""
    v = np.eye(n_categories)[code]
    mean = np.average(v, axis=0, weights=weight)
    total = ((v - mean) * weight[:, None]).T @ (v - mean)
    between = np.zeros_like(total)
    for c in np.unique(y):
        away = np.average(v[y == c], axis=0, weights=weight[y == c]) - mean
        between += weight[y == c].sum() * np.outer(away, away)
    d, q = np.linalg.eigh(total)
    root = np.array([1 / np.sqrt(e) if e > 1e-9 * d.max() else 0.0 for e in d])
    _, vectors = np.linalg.eigh((root[:, None] * (q.T @ between @ q)) * root)
    scores = vectors[:, -1] @ (root[:, None] * q.T)
    return scores, float(scores @ mean)
