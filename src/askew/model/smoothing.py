"""Smoothing of class frequencies, so that small pure leaves do not predict probabilities of 0 or 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from askew.model.one_vs_rest import OneVsRest
from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree
from askew.parameters import Strategy, param, real


class Smoothing(Protocol):
    """Estimates the probabilities of the classes at the nodes of a tree from their frequencies."""

    def shares(self, counts: NDArray[np.float64], parent: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the estimated share of every class at each node (nodes x classes).

        `counts` are samples of every class; `parent` is the number of the parent, lower than the node's, or -1.
        """
        ...


@dataclass(frozen=True)
class Laplace(Strategy):
    """Adds `strength` samples of every class to those of a leaf: ``(n_c + s) / (n + k s)`` for class c of k.

    Parameters
    ----------
    strength : float, default=1.0
        Samples of every class that are added.

    Examples
    --------
    >>> from askew import CARTClassifier
    >>> tree = CARTClassifier(smoothing="laplace").fit([[1.0], [2.0], [3.0]], ["no", "yes", "yes"])
    >>> tree.predict_proba([[1.0], [3.0]]).round(2)
    array([[0.67, 0.33],
           [0.25, 0.75]])
    """

    strength: float = param(1.0, real(0.0, open_low=True))

    def shares(self, counts: NDArray[np.float64], parent: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share of every class at each node."""
        total = counts.sum(axis=1, keepdims=True) + counts.shape[1] * self.strength
        return np.asarray((counts + self.strength) / total)


@dataclass(frozen=True)
class MEstimate(Strategy):
    """Adds `strength` samples with the shares of the parent, which are smoothed in the same way, from the root down.

    For class c at node t, ``p_t(c) = (n_c + m p_parent(c)) / (n + m)``; above the root, all shares are equal.

    Parameters
    ----------
    strength : float, default=2.0
        Samples that are added, m.

    References
    ----------
    Cestnik: Estimating Probabilities: A Crucial Task in Machine Learning. European Conference on Artificial
    Intelligence (1990).

    Examples
    --------
    >>> from askew import CARTClassifier
    >>> tree = CARTClassifier(smoothing="m_estimate").fit([[1.0], [2.0], [3.0]], ["no", "yes", "yes"])
    >>> tree.predict_proba([[1.0], [3.0]]).round(2)
    array([[0.6, 0.4],
           [0.2, 0.8]])
    """

    strength: float = param(2.0, real(0.0, open_low=True))

    def shares(self, counts: NDArray[np.float64], parent: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share of every class at each node."""
        total, found = counts.sum(axis=1), np.empty(counts.shape)
        for node, above in enumerate(parent.tolist()):
            prior = found[above] if above >= 0 else 1 / counts.shape[1]
            found[node] = (counts[node] + self.strength * prior) / (total[node] + self.strength)
        return found


SMOOTHINGS: dict[str, type[Laplace | MEstimate]] = {"laplace": Laplace, "m_estimate": MEstimate}


def is_smoothing(value: object) -> bool:
    """Whether this is a value of ``smoothing=``: None, a name, or an object with a method `shares`."""
    if value is None or isinstance(value, str):
        return value is None or value in SMOOTHINGS
    return not isinstance(value, type) and callable(getattr(value, "shares", None))


def as_smoothing(value: str | Smoothing | None) -> Smoothing | None:
    """Return the smoothing that a value of ``smoothing=`` names."""
    return SMOOTHINGS[value]() if isinstance(value, str) else value


_Tree = TypeVar("_Tree", bound="Tree | RuleNetwork | OneVsRest")


def smoothed(tree: _Tree, smoothing: Smoothing | None) -> _Tree:
    """Return a tree, or a rule network, whose leaves give smoothed probabilities; the predicted classes stay.

    The parent of each region of a network is the set of all rows. Trees for each class (`OneVsRest`) are returned as
    they are: their odds are smoothed already.

    Parameters
    ----------
    tree : Tree, RuleNetwork or OneVsRest
        A tree of classes; shares that it has already are replaced.
    smoothing : Smoothing or None
        None for plain frequencies.
    """
    if not isinstance(tree, Tree | RuleNetwork):
        return tree
    if smoothing is None:
        return tree if tree.payload.share is None else replace(tree, payload=tree.payload.unsmoothed)
    mass = tree.value.sum(axis=1)
    counts = tree.value * (tree.n_samples / np.where(mass > 0, mass, 1.0))[:, None]
    if isinstance(tree, Tree):
        shares = smoothing.shares(counts, tree.parent)
    else:
        above = np.concatenate([counts.sum(axis=0, keepdims=True), counts])
        shares = smoothing.shares(above, np.append(-1, np.zeros(len(counts), dtype=np.int64)))[1:]
    return replace(tree, payload=replace(tree.payload, share=np.ascontiguousarray(shares)))
