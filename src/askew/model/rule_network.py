"""`RuleNetwork`: a tree as a union of convex regions for each class, the AND/OR network of LA and GA pruning.

    layer 1    every distinct split of the tree; a row takes one side of each   (side 0 or 1 of a hyperplane)
    layer 2    AND: a region is a list of (split, side); it holds the rows that take all these sides
    layer 3    OR:  a class is the union of its regions

    region_start   0         2         4    4     region i has the conditions start[i]:start[i+1]
    split          0    1    0    2               number of the split
    side           0    1    1    1               the side that a row must take
    value         [9 0]     [0 7]     [1 5]       weight of every class in the region

A row belongs to the first region that holds it; a row that none holds, to the last. The last region of a pruned
network has no conditions: it is "otherwise".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from askew import _core
from askew.model.leaf_values import Payload
from askew.model.split_arrays import SplitArrays, starts
from askew.model.tree import Tree
from askew.model.validate import check_network

_MOST_CONDITIONS = 2**27  # a chain of n splits has n^2/2 conditions


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleNetwork(SplitArrays):
    """A fitted tree as regions: splits that are ANDed to regions, regions that are ORed to classes.

    It is the `tree_` of an estimator that was pruned by `askew.prune.LearningAutomata` or
    `askew.prune.GeneticAlgorithm`, and has the methods of a tree. `RuleNetwork.of` turns any tree into a network with
    exactly the same predictions.

    Attributes
    ----------
    kind, n_children, feature_start, weight_start, feature, weight, threshold : ndarray
        The splits, stored as those of a `Tree`.
    region_start, split, side : ndarray
        The conditions of every region.
    payload : Payload
        Predictions of the regions.
    n_samples, mass : ndarray
        Number of samples, and weight of the rows, of each region.
    curve_start, curve : ndarray
        The learning curve of each search that pruned: the share of wrong answers after every pass (LA) or generation
        (GA); empty if nothing was pruned.
    n_features : int
        Number of features of the data.
    n_hyperplanes : int
        Number of hyperplanes that the search evaluated when it grew the tree.

    References
    ----------
    Shah, Sastry: New algorithms for learning and pruning oblique decision trees. IEEE Transactions on Systems, Man,
    and Cybernetics C 29 (1999), section IV and Figure 5.

    Examples
    --------
    >>> from askew import CARTClassifier, RuleNetwork
    >>> tree = CARTClassifier().fit([[1.0], [2.0], [3.0]], ["no", "yes", "no"])
    >>> RuleNetwork.of(tree)
    RuleNetwork(3 regions, 2 splits, 1 features)
    """

    dtypes: ClassVar[Mapping[str, type[np.generic]]] = {
        **SplitArrays.dtypes,
        "region_start": np.int64,
        "split": np.int64,
        "side": np.int64,
        "curve_start": np.int64,
        "curve": np.float64,
    }

    region_start: NDArray[np.int64]
    split: NDArray[np.int64]
    side: NDArray[np.int64]
    curve_start: NDArray[np.int64]
    curve: NDArray[np.float64]

    def _check(self) -> None:
        check_network(self)

    # --- making one

    @classmethod
    def of(cls, tree: object) -> RuleNetwork:
        """Return the network that is equal to a tree: a region for every leaf, in the order of the leaves.

        Parameters
        ----------
        tree : Tree or estimator
            A tree, or a fitted estimator with a `Tree` in `tree_`.

        Raises
        ------
        ValueError
            The tree is so deep that its regions would not fit into memory.
        """
        found = getattr(tree, "tree_", tree)
        if isinstance(found, RuleNetwork):
            return found
        if not isinstance(found, Tree):
            raise TypeError(f"RuleNetwork.of takes a tree or a fitted estimator with a tree. Got {tree!r} instead.")
        if int(found.node_depth[found.is_leaf].sum()) > _MOST_CONDITIONS:
            raise ValueError(
                f"a tree of {found.n_leaves} leaves and depth {found.depth} is too deep for a rule network: "
                "grow it with max_depth"
            )
        number, kept = distinct_splits(found)
        paths = [conditions_of(found, number, leaf) for leaf in np.flatnonzero(found.is_leaf).tolist()]
        leaf = found.is_leaf
        return cls.from_regions(
            found, kept, paths, found.payload.take(leaf), found.n_samples[leaf], found.mass[leaf], curves=[]
        )

    @classmethod
    def from_regions(
        cls,
        tree: Tree,
        nodes: NDArray[np.int64],
        regions: list[list[tuple[int, int]]],
        payload: Payload,
        n_samples: NDArray[np.int64],
        mass: NDArray[np.float64],
        curves: list[NDArray[np.float64]],
    ) -> RuleNetwork:
        """Make a network of some splits of a tree (by node) and of regions: lists of (number of the split, side)."""
        conditions = np.array([c for region in regions for c in region], dtype=np.int64).reshape(-1, 2)
        return cls(
            **tree.tests_of(nodes),
            region_start=starts([len(region) for region in regions]),
            split=np.ascontiguousarray(conditions[:, 0]),
            side=np.ascontiguousarray(conditions[:, 1]),
            payload=payload,
            n_samples=n_samples.astype(np.int64),
            mass=mass,
            curve_start=starts([curve.size for curve in curves]),
            curve=np.concatenate([*curves, np.empty(0)]),
            n_features=tree.n_features,
            n_hyperplanes=tree.n_hyperplanes,
        )

    def __repr__(self) -> str:
        return f"RuleNetwork({self.n_leaves} regions, {self.n_splits} splits, {self.n_features} features)"

    # --- its shape

    @property
    def n_leaves(self) -> int:
        """Number of regions, "otherwise" included: where a row can end."""
        return int(self.region_start.size - 1)

    @property
    def n_splits(self) -> int:
        """Number of distinct splits: N of the paper's tables; a plane and its complement count once."""
        return int(self.kind.size)

    @property
    def node_count(self) -> int:
        """Number of splits and regions."""
        return self.n_splits + self.n_leaves

    @property
    def class_mass(self) -> NDArray[np.float64]:
        """Weight of each class in the rows that the network was made from."""
        return np.asarray(self.value.sum(axis=0))

    @property
    def depth(self) -> int:
        """The most conditions that a region has."""
        return int(np.diff(self.region_start).max())

    def conditions(self, region: int) -> list[tuple[int, int]]:
        """Return the conditions of a region: (number of the split, side)."""
        part = slice(self.region_start[region], self.region_start[region + 1])
        return list(zip(self.split[part].tolist(), self.side[part].tolist(), strict=True))

    def curves(self) -> list[NDArray[np.float64]]:
        """Return the learning curves of the searches that pruned; see `askew.plot_learning`."""
        return np.split(self.curve, self.curve_start[1:-1]) if self.curve.size else []

    # --- prediction

    def apply(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.int64]:
        """Return the region that each row belongs to."""
        if incomplete:
            self.spread(X)
        X = np.ascontiguousarray(X, dtype=np.float64)
        self.check_columns(X)
        return _core.network_find(
            kind=self.kind,
            n_children=self.n_children,
            feature_start=self.feature_start,
            weight_start=self.weight_start,
            feature=self.feature,
            weight=self.weight,
            threshold=self.threshold,
            region_start=self.region_start,
            split=self.split,
            side=self.side,
            X=X,
            threads=threads,
        )

    def spread(self, X: NDArray[np.float64]) -> NoReturn:
        """Raise ValueError: a region cannot divide rows with missing values, as a tree can."""
        raise ValueError("a rule network cannot send rows with missing values down in parts: use missing='mean'")

    def sides(self, X: NDArray[np.float64]) -> NDArray[np.integer]:
        """Return the side that each row takes of each split (rows x splits)."""
        self.check_columns(X)
        smallest = np.min_scalar_type(int(self.n_children.max(initial=1)))
        taken = np.empty((X.shape[0], self.n_splits), dtype=smallest)
        for split in range(self.n_splits):
            features, weights = self.test(split)
            taken[:, split] = _core.route(
                int(self.kind[split]), int(self.n_children[split]), features, weights, self.threshold[split], X, None
            )
        return taken

    def decision_path(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> csr_array:
        """Return a sparse matrix (rows x regions): 1 for every region whose conditions a row fulfils."""
        if incomplete:
            self.spread(X)
        taken = self.sides(np.ascontiguousarray(X, dtype=np.float64))
        held = np.ones((taken.shape[0], self.n_leaves), dtype=np.int64)
        for region in range(self.n_leaves):
            for split, side in self.conditions(region):
                held[:, region] &= taken[:, split] == side
        return csr_array(held)

    def importance(
        self, scale: NDArray[np.float64], origin: NDArray[np.int64] | None = None, n_origins: int = 0
    ) -> NDArray[np.float64]:
        """Raise AttributeError: regions of a pruned network have no decrease of impurity to share out."""
        raise AttributeError(
            "a rule network has no feature_importances_; use sklearn.inspection.permutation_importance, or fit "
            "without LA or GA pruning"
        )


def distinct_splits(tree: Tree) -> tuple[dict[int, int], NDArray[np.int64]]:
    """Return the number of each inner node's split, equal ones sharing it, and the first node of each number."""
    seen: dict[tuple[int | bytes | float, ...], int] = {}
    number: dict[int, int] = {}
    kept: list[int] = []
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        features, weights = tree.test(node)
        threshold = float(tree.threshold[node])
        key = (int(tree.kind[node]), int(tree.n_children[node]), features.tobytes(), weights.tobytes(), threshold)
        if key not in seen:
            seen[key] = len(kept)
            kept.append(node)
        number[node] = seen[key]
    return number, np.array(kept, dtype=np.int64)


def conditions_of(tree: Tree, number: Mapping[int, int], leaf: int) -> list[tuple[int, int]]:
    """Return the conditions on the path from the root to a leaf, each once."""
    path = []
    node = leaf
    while (above := int(tree.parent[node])) >= 0:
        path.append((number[above], node - int(tree.first_child[above])))
        node = above
    return list(dict.fromkeys(reversed(path)))
