"""Linear leaves in plain NumPy: ridge models by generalised cross-validation, multinomial ones by leave-one-out."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from reference.linear import standardised

RIDGE = [np.inf, 1e3, 3e2, 1e2, 3e1, 1e1, 3e0, 1e0, 3e-1, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5]
RIDGE += [3e-6, 1e-6, 1e-7]
LOGISTIC = [1e1, 1e0, 3e-1, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5]


def rows_of_nodes(tree, X):
    """The rows of each node."""
    path = tree.decision_path(X).toarray().astype(bool)
    return [np.flatnonzero(path[:, node]) for node in range(tree.node_count)]


def ridge_models(tree, X, y, weight, samples):
    """(weights, constant, loss) of each node; weights are zero where a constant is expected to do as well."""
    found, freedom, count = [], [], []
    for node, rows in enumerate(rows_of_nodes(tree, X)):
        x, target, u, n = X[rows], y[rows], weight[rows], samples[rows].sum()
        share, above = u / u.sum(), tree.parent[node]
        value = share @ target
        base = x @ found[above][0] + found[above][1] if above >= 0 else np.full(len(rows), value)
        inherited = freedom[above] * n / count[above] if above >= 0 else 0.0
        Z, shift, scale = standardised(x, u)
        r = target - base
        mean = share @ r
        best = (np.inf, None, None)
        for l2 in RIDGE:
            gram = (Z * share[:, None]).T @ Z
            # Columns may depend on each other: the least-norm solution, as for a penalty.
            solved = np.linalg.pinv(gram + (0 if np.isinf(l2) else l2) * np.eye(len(gram)), hermitian=True)
            w = np.zeros(len(gram)) if np.isinf(l2) else solved @ (Z.T @ (share * (r - mean)))
            own = 1.0 if np.isinf(l2) else 1 + np.trace(solved @ gram)
            own += inherited * (1 - min(own / n, 1))
            error = share @ (r - mean - Z @ w) ** 2
            left = 1 - (1 + 1.4 * (own - 1)) / n
            error = error / left**2 if left > 0.05 else np.inf
            if error < best[0] * (1 - 1e-9):
                best = (error, w, own)
        constant = share @ (target - value) ** 2 / (1 - 1 / n) ** 2 if n > 1 else found[above][2]
        count.append(n)
        if n < 3 or not best[0] < constant * (1 - 1e-9):
            found.append((np.zeros(X.shape[1]), value, constant))
            freedom.append(1.0)
            continue
        raw = np.divide(best[1], scale, out=np.zeros_like(best[1]), where=scale > 0)
        parent = found[above] if above >= 0 else (np.zeros(X.shape[1]), value)
        found.append((raw + parent[0], mean - raw @ shift + parent[1], best[0]))
        freedom.append(best[2])
    return found


def multinomial(Z, Y, share, given, l2, free):
    """Weights and constants (columns + 1 x classes) of least penalised loss, added to given logits."""
    A = np.column_stack([Z, np.ones(len(Z))])
    penalty = np.append(np.full(Z.shape[1], l2), free)[:, None]

    def loss(flat):
        W = flat.reshape(A.shape[1], Y.shape[1])
        f = given + A @ W
        value = -share @ (log_softmax(f, axis=1) * Y).sum(axis=1) + 0.5 * (penalty * W**2).sum()
        return value, (A.T @ (share[:, None] * (softmax(f, axis=1) - Y)) + penalty * W).ravel()

    start = np.zeros(A.shape[1] * Y.shape[1])
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000, "gtol": 1e-9}).x.reshape(
        A.shape[1], Y.shape[1]
    )


def left_out(Z, Y, share, sample, given, W, l2, free):
    """The logits of each row as if one sample of it had been left out of the fit."""
    A, k = np.column_stack([Z, np.ones(len(Z))]), Y.shape[1]
    f = given + A @ W
    p = softmax(f, axis=1)
    moved = f.copy()
    for c in range(k):
        v = k / (k - 1) * p[:, c] * (1 - p[:, c])
        H = (A * (share * v)[:, None]).T @ A + np.diag(np.append(np.full(Z.shape[1], l2), free))
        h = np.einsum("ij,ij->i", A, np.linalg.solve(H, A.T).T) * sample
        moved[:, c] += h * (p[:, c] - Y[:, c]) / np.maximum(1 - h * v, 1e-6)
    return moved


def root_logistic(X, label, weight, samples, k):
    """(weights, constants, loss, errors) of the multinomial model of all rows."""
    share, n = weight / weight.sum(), samples.sum()
    Z, shift, scale = standardised(X, weight)
    Y = np.eye(k)[label]
    given = np.tile(np.log(((share @ Y) * n + 1 / k) / (n + 1)), (len(X), 1))
    best, worse = (np.inf, None, None), 0
    for l2 in LOGISTIC:
        W = multinomial(Z, Y, share, given, l2, 1 / n)
        f = left_out(Z, Y, share, weight / samples / weight.sum(), given, W, l2, 1 / n)
        loss = -share @ (log_softmax(f, axis=1) * Y).sum(axis=1)
        worse = 0 if loss < best[0] else worse + 1
        if worse == 0:
            best = (loss, W, share @ (f.argmax(axis=1) != label))
        if worse == 2:
            break
    raw = np.divide(best[1][:-1], scale[:, None], out=np.zeros_like(best[1][:-1]), where=scale[:, None] > 0)
    return raw, given[0] + best[1][-1] - shift @ raw, best[0], best[2]


def two_lines(X, y, weight, left, l2):
    """The squared error of a ridge line on each side of a cut."""
    share = weight / weight.sum()
    scale = np.sqrt(share @ (y - share @ y) ** 2)
    Z, _, _ = standardised(X, weight)
    total = 0.0
    for side in (left, ~left):
        A = np.column_stack([np.ones(side.sum()), Z[side]])
        u, target = weight[side], (y[side] - share @ y) / scale
        penalty = np.diag(np.append(0.0, np.full(Z.shape[1], l2 * u.sum())))
        w = np.linalg.solve((A * u[:, None]).T @ A + penalty, A.T @ (u * target))
        total += u @ (target - A @ w) ** 2 + w @ penalty @ w
    return total
