"""Thermal training of a linear machine (Brodley & Utgoff 1992), with the same random numbers.

Sums run from the first feature to the last, rounded at each step, as the program's do.
"""

import numpy as np

from reference.node import in_order
from reference.rng import Rng, derive


def train(y, label, weight, whole, start, search, seed):
    """(weights: features x classes, corrections, passes)"""
    W, beta, corrections, passes = start.copy(), search.beta, 0, 0
    order, rose = list(range(len(y))), False
    while passes < search.max_passes and beta >= search.least_beta:
        shuffle(order, Rng(derive(seed, passes)))
        passes += 1
        before, all_right = corrections, True
        size = np.array([in_order(w * w) for w in W.T])
        magnitude = length(size)
        for i in order:
            for _ in range(int(weight[i]) if whole else 1):
                activation = np.array([in_order(y[i] * w) for w in W.T])
                right, winner = label[i], int(np.argmax(activation))
                if winner == right:
                    break
                all_right = False
                squares = in_order(y[i] * y[i])
                k = (activation[winner] - activation[right]) / (2 * squares) + search.epsilon
                if k >= beta:
                    break
                c = beta / (beta + k) * (beta if search.correction == "squared" else 1) * (1 if whole else weight[i])
                W[:, right] += c * y[i]
                W[:, winner] -= c * y[i]
                corrections += 1
                size[right] += c * (2 * activation[right] + c * squares)
                size[winner] -= c * (2 * activation[winner] - c * squares)
                now = length(size)
                if now < magnitude and rose:
                    beta = search.beta_factor * beta - search.beta_decrement
                rose, magnitude = now > magnitude, now
                if beta < search.least_beta:
                    return W, corrections, passes
        if all_right or corrections == before:
            break
    return W, corrections, passes


def shuffle(order, rng):
    """Fisher and Yates."""
    for i in range(len(order), 1, -1):
        j = rng.below(i)
        order[i - 1], order[j] = order[j], order[i - 1]


def length(size):
    """The lengths of all weight vectors together, from their squares."""
    return in_order(np.sqrt(np.maximum(size, 0.0)))
