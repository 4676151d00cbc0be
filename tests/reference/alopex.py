"""The walk of Alopex over planes, and the perceptron's count of what is not separable (APDT, section II)."""

import numpy as np

from reference.rng import Rng


def perceptron(X, label, weight, iterations=300, passes=False, rho=0.6):
    """Weight of the patterns that are not separable, the plane where that is 0, and corrections by each pattern."""
    wanted = np.bincount(label, weight).argmax()
    y = np.where(label == wanted, 1.0, -1.0)
    shift, scale = X.mean(axis=0), X.std(axis=0)
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    augmented = np.column_stack([(X - shift) * inverse, np.ones(len(X))])
    w, updates, done = np.zeros(X.shape[1] + 1), np.zeros(len(X), dtype=int), 0
    while done < iterations:
        before = updates.sum()
        for i, x in enumerate(augmented):
            if y[i] * (w @ x) <= 0:
                w += y[i] * x
                updates[i] += 1
        if updates.sum() == before:
            plane = w[:-1] * inverse
            return 0.0, np.append(plane, w[-1] - plane @ shift), updates
        done += 1 if passes else updates.sum() - before
    return float(weight[updates >= rho * updates.max()].sum()), None, updates


def evaluate(plane, X, label, weight, M, count):
    """F of equation (1), and whether both sides have patterns."""
    upper = X @ plane[:-1] + plane[-1] > 0
    total, (left, right) = weight.sum(), (weight[upper].sum(), weight[~upper].sum())
    balance = 0.5 - (left / total) * (right / total)
    if left == 0 or right == 0:
        return balance, False
    nsp_left, nsp_right = (
        0.0 if len(set(label[side])) == 1 else count(X[side], label[side], weight[side]) for side in (upper, ~upper)
    )
    R = weight.min() / (2 * total)
    first, second = float(nsp_left == 0), float(nsp_right == 0)
    A = R / M * (first * (total - left) / total + second * (total - right) / total - first * second)
    E = (nsp_left + nsp_right) / total * balance
    return A + (1 - first) * (1 - second) * E, True


def draw(weight, rng):
    at = rng.uniform() * weight.sum()
    return min(int(np.searchsorted(np.cumsum(weight), at, side="right")), len(weight) - 1)


def start(X, label, weight, rng):
    """Half-way between two patterns of different classes (Table I, step 1)."""
    first = draw(weight, rng)
    for tried in range(len(X)):
        i = (first + tried) % len(X)
        others = np.flatnonzero((label != label[i]) & (X[i] != X).any(axis=1))
        if others.size:
            j = others[draw(weight[others], rng)]
            a = X[i] - X[j]
            return np.append(a, -(a @ (X[i] + X[j]) / 2))
    return None


def walk(X, label, weight, seed, n_iterations, step, final_step, window, temperature, M, count):
    """The best plane, its F, and F of every plane visited."""
    rng = Rng(seed)
    W = start(X, label, weight, rng)
    F, ok = [], []
    planes = []
    x, T = np.ones(W.size), temperature
    for k in range(n_iterations + 1):
        planes.append(W.copy())
        value, admissible = evaluate(W, X, label, weight, M, count)
        F.append(value)
        ok.append(admissible)
        if k == n_iterations or (admissible and value == 0):
            break
        delta = step * (final_step / step) ** (k / n_iterations)
        p = 0.5
        if k > 0:
            change = np.diff(F)  # change[j - 1] is that of iteration j
            if k % window == 0:
                T = delta / window * np.abs(change[max(k - window, 1) - 1 : k - 1]).sum()
            now = change[k - 1]
            p = 0.5 if now == 0 else float(now < 0) if T == 0 else 1 / (1 + np.exp(np.clip(now / T, -700, 700)))
        keep = np.array([rng.uniform() < p for _ in W])
        x = np.where(keep, x, -x)
        W = W + delta * x
    score = np.where(ok, F, np.inf)
    return planes[int(np.argmin(score))], float(score.min()), np.array(F)
