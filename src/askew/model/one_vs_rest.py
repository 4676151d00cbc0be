"""`OneVsRest`: a tree for each class against the rest, with the methods of one tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, hstack

from askew.model.rule_network import RuleNetwork
from askew.model.tree import Tree


def average_importance(shares: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the mean of the importances of several trees; those of a single leaf, all zero, do not count."""
    total = np.sum(shares)
    return np.asarray(np.sum(shares, axis=0) / total) if total > 0 else shares[0]


@dataclass(frozen=True)
class OneVsRest:
    """A tree for each class: the values of its leaves are the weights of the rest and of the class.

    Every tree gives the odds of its class against the rest: the weight of the class in the leaf over that of the rest,
    with one added to both (Laplace), so that a large pure leaf has higher odds than a small one, and none has infinite
    odds. The probabilities of the classes are proportional to these odds: if trees err independently, that is the
    probability that one tree is right to say yes and all others are right to say no. A class without rows has
    probability 0.

    Attributes
    ----------
    trees : tuple of Tree or RuleNetwork
        The tree of each class.

    Examples
    --------
    >>> from askew import APDTClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = APDTClassifier(multiclass="one_vs_rest", random_state=0).fit(X, y)
    >>> len(model.tree_.trees)
    3
    >>> model.apply(X).shape
    (150, 3)
    """

    trees: tuple[Tree | RuleNetwork, ...]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.trees[0].n_features

    @property
    def node_count(self) -> int:
        """Number of nodes of all trees."""
        return sum(tree.node_count for tree in self.trees)

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return sum(tree.n_leaves for tree in self.trees)

    @property
    def depth(self) -> int:
        """Depth of the deepest leaf."""
        return max(tree.depth for tree in self.trees)

    @property
    def class_mass(self) -> NDArray[np.float64]:
        """Weight of each class in the rows that the trees were grown on."""
        return np.array([tree.class_mass[1] for tree in self.trees])

    @property
    def n_terms(self) -> int:
        """Number of weights that are not 0, over all trees."""
        return sum(tree.n_terms for tree in self.trees)

    @property
    def n_hyperplanes(self) -> int:
        """Number of hyperplanes that the search evaluated for all trees."""
        return sum(tree.n_hyperplanes for tree in self.trees)

    def apply(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.int64]:
        """Return the leaf that each row reaches, in each tree (rows x trees); as `askew.model.tree.Tree.apply`."""
        return np.column_stack([tree.apply(X, threads, incomplete) for tree in self.trees])

    def decision_path(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> csr_array:
        """Return a sparse matrix (rows x nodes of all trees): 1 for every node that a row passes."""
        return csr_array(hstack([tree.decision_path(X, threads, incomplete) for tree in self.trees], format="csr"))

    def importance(
        self, scale: NDArray[np.float64], origin: NDArray[np.int64] | None = None, n_origins: int = 0
    ) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity, averaged over the trees that have one."""
        return average_importance([tree.importance(scale, origin, n_origins) for tree in self.trees])

    def outputs(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.float64]:
        """Return the probability of each class (rows x classes)."""
        odds = np.zeros((X.shape[0], len(self.trees)))
        for k, tree in enumerate(self.trees):
            if tree.class_mass[1] > 0:
                rest, positive = tree.outputs(X, threads, incomplete).T
                odds[:, k] = (positive + 1) / (rest + 1)
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def labels(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.int64]:
        """Return the code of the most probable class of each row; the first, if several tie."""
        return np.asarray(self.outputs(X, threads, incomplete).argmax(axis=1), dtype=np.int64)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays of all trees, named by the number of the tree and a dot before the name."""
        return {f"{k}.{name}": array for k, tree in enumerate(self.trees) for name, array in tree.arrays().items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, ArrayLike], n_features: int, n_hyperplanes: Sequence[int]) -> OneVsRest:
        """Make the trees again from their arrays; raise ValueError where they are not trees of two classes."""
        trees = []
        for k, n_evaluated in enumerate(n_hyperplanes):
            stored = arrays_of(arrays, k)
            kind = RuleNetwork if "region_start" in stored else Tree
            tree = kind.from_arrays(stored, n_features, n_evaluated)
            if tree.n_outputs != 2:
                raise ValueError(f"expected 2 columns in 'value' of tree {k}, found {tree.n_outputs}")
            trees.append(tree)
        return cls(tuple(trees))


def arrays_of(arrays: Mapping[str, ArrayLike], k: int) -> dict[str, ArrayLike]:
    """Return the arrays of tree `k`, without its number before their names."""
    return {name.removeprefix(f"{k}."): arrays[name] for name in arrays if name.startswith(f"{k}.")}
