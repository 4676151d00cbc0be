"""Penalised fits by plain Newton steps, canonical directions, and the loss of a soft tree."""

import numpy as np


def standardised(X, weight):
    """Columns of mean 0 and deviation 1; constant ones become 0."""
    share = weight / weight.sum()
    shift = share @ X
    scale = np.sqrt(share @ (X - shift) ** 2)
    usable = scale > 1e-12 * np.abs(X).max(axis=0)
    return np.where(usable, (X - shift) / np.where(usable, scale, 1.0), 0.0), shift, np.where(usable, scale, 0.0)


def objective(Z, z, weight, w, l2, l1=0.0, logistic=True):
    """sum u loss(z, w.x + b) + l2/2 |w|^2 + l1 |w|, the constant last in w and free."""
    f = Z @ w[:-1] + w[-1]
    loss = np.logaddexp(0.0, f) - z * f if logistic else 0.5 * (f - z) ** 2
    return weight @ loss + l2 / 2 * w[:-1] @ w[:-1] + l1 * np.abs(w[:-1]).sum()


def penalised_fit(X, z, weight, l2, logistic=True, steps=100):
    """Weights of the columns and the constant, in the units of the data."""
    Z, shift, scale = standardised(X, weight)
    full = np.column_stack([Z, np.ones(len(Z))])
    penalty = np.diag(np.append(np.full(Z.shape[1], l2), 0.0))
    w = np.zeros(full.shape[1])
    for _ in range(steps):
        f = full @ w
        p = 1 / (1 + np.exp(-f)) if logistic else f
        v = weight * p * (1 - p) if logistic else weight
        gradient = full.T @ (weight * (p - z)) + penalty @ w
        step = np.linalg.solve((full * v[:, None]).T @ full + penalty, -gradient)
        length, before = 1.0, objective(Z, z, weight, w, l2, logistic=logistic)
        while objective(Z, z, weight, w + length * step, l2, logistic=logistic) > before and length > 1e-10:
            length /= 2
        w = w + length * step
    raw = np.divide(w[:-1], scale, out=np.zeros_like(w[:-1]), where=scale > 0)
    return np.append(raw, w[-1] - raw @ shift)


def canonical_directions(X, label, weight, l2):
    """Eigenvectors of (W + l2 I)^-1 B on standardised columns, in the units of the data, of the largest first."""
    Z, _, scale = standardised(X, weight)
    within, between = l2 * np.eye(Z.shape[1]), np.zeros((Z.shape[1], Z.shape[1]))
    for c in np.unique(label):
        u, rows = weight[label == c], Z[label == c]
        mean = u @ rows / u.sum()
        within += ((rows - mean) * u[:, None]).T @ (rows - mean)
        between += u.sum() * np.outer(mean, mean)
    values, vectors = np.linalg.eig(np.linalg.solve(within, between))
    order = np.argsort(-values.real)
    return (vectors.real[:, order] / scale[:, None]).T


def soft_loss(X, label, y, weight, left, right, planes, leaves, sharpness):
    """The loss of a soft tree: children below 0 are the leaves -1 - child."""
    f = sharpness * (X @ planes[:, :-1].T + planes[:, -1])
    sigma = 1 / (1 + np.exp(-f))
    node, leaf = np.zeros((len(X), len(left))), np.zeros((len(X), len(leaves)))
    node[:, 0] = 1.0
    for i in range(len(left)):
        for child, share in ((left[i], 1 - sigma[:, i]), (right[i], sigma[:, i])):
            if child < 0:
                leaf[:, -1 - child] = node[:, i] * share
            else:
                node[:, child] = node[:, i] * share
    if label is None:
        return weight @ (leaf @ leaves[:, 0] - y) ** 2
    shares = np.exp(leaves - leaves.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return -weight @ np.log((leaf * shares[:, label].T).sum(axis=1))


def slopes(function, at, step=1e-6):
    """The gradient of a function of an array, by central differences."""
    found = np.zeros_like(at)
    for i in np.ndindex(at.shape):
        above, below = at.copy(), at.copy()
        above[i] += step
        below[i] -= step
        found[i] = (function(above) - function(below)) / (2 * step)
    return found
