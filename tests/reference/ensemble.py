"""Plain NumPy versions of what the trees of forests and boosting are made of."""

import numpy as np


def newton_direction(X, z, weight, l2, curvature):
    """The first Newton step from zero, in the units of X: ridge regression of z on columns of mean 0, deviation 1."""
    share = weight / weight.sum()
    deviation = np.sqrt(share @ (X - share @ X) ** 2)
    scaled = (X - share @ X) / deviation
    hessian = curvature * scaled.T @ (weight[:, None] * scaled) + l2 * np.eye(X.shape[1])
    return np.linalg.solve(hessian, scaled.T @ (weight * (z - share @ z))) / deviation


def canonical_direction(X, label, weight, l2):
    """The first eigenvector of (W + l2 I)^-1 B on columns of mean 0, deviation 1, in the units of X."""
    share = weight / weight.sum()
    deviation = np.sqrt(share @ (X - share @ X) ** 2)
    scaled = (X - share @ X) / deviation
    between = np.zeros((X.shape[1],) * 2)
    for c in np.unique(label):
        mass = weight[label == c].sum()
        mean = weight[label == c] @ scaled[label == c] / mass
        between += mass * np.outer(mean, mean)
    within = scaled.T @ (weight[:, None] * scaled) - between
    values, vectors = np.linalg.eig(np.linalg.solve(within + 4 * l2 * np.eye(X.shape[1]), between))
    return np.real(vectors[:, np.real(values).argmax()]) / deviation


def best_cut(projection, weight, impurity_mass):
    """The threshold along a projection with the least sum over both sides of impurity_mass(mask)."""
    values = np.unique(projection)
    cuts = (values[1:] + values[:-1]) / 2
    scores = [impurity_mass(projection <= cut) + impurity_mass(projection > cut) for cut in cuts]
    return cuts[int(np.argmin(scores))], min(scores)


def gini_mass(label, weight):
    """Weight x gini impurity of some of the rows."""

    def mass(rows):
        counts = np.bincount(label[rows], weight[rows])
        return counts.sum() - (counts**2).sum() / counts.sum()

    return mass


def squared_mass(y, weight):
    """Sum of squared errors of some of the rows."""

    def mass(rows):
        mean = np.average(y[rows], weights=weight[rows])
        return weight[rows] @ (y[rows] - mean) ** 2

    return mass


def newton_gain(gradient, hessian, l2):
    """Minus what a leaf of some of the rows saves: -G^2 / (H + l2)."""
    return lambda rows: -(gradient[rows].sum() ** 2) / (hessian[rows].sum() + l2)
