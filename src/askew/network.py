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
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from askew import _core
from askew.split import HYPERPLANE, LEAF
from askew.tree import Tree, check_number, check_starts, check_tests, dense_planes, ranges, require, starts

_DTYPES: dict[str, type[np.generic]] = {
    "kind": np.int8,
    "n_children": np.int64,
    "feature_start": np.int64,
    "weight_start": np.int64,
    "feature": np.int64,
    "weight": np.float64,
    "threshold": np.float64,
    "region_start": np.int64,
    "split": np.int64,
    "side": np.int64,
    "value": np.float64,
    "n_samples": np.int64,
    "mass": np.float64,
    "curve_start": np.int64,
    "curve": np.float64,
}
_MOST_CONDITIONS = 2**27  # a chain of n splits has n^2/2 conditions


@dataclass(frozen=True, eq=False)
class RuleNetwork:
    """A fitted tree as regions: splits that are ANDed to regions, regions that are ORed to classes.

    Stands in `tree_` of an estimator that was pruned by `askew.LAPruner` or `askew.GAPruner`, and does there what a
    tree does. `RuleNetwork.of` makes one of any tree; it then predicts exactly what the tree predicts.

    Attributes
    ----------
    kind, n_children, feature_start, weight_start, feature, weight, threshold : the splits, as in `askew.tree.Tree`
    region_start, split, side : the conditions of every region
    value : what each region predicts: the weight of every class, or a number
    n_samples, mass : samples and weight of the rows that belong to each region
    curve_start, curve : the learning curve of each search that pruned: the share of wrong answers after every pass
        (LA) or generation (GA); empty if nothing was pruned
    n_features : features of the data
    n_hyperplanes : how many hyperplanes the search that grew the tree looked at

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

    kind: NDArray[np.int8]
    n_children: NDArray[np.int64]
    feature_start: NDArray[np.int64]
    weight_start: NDArray[np.int64]
    feature: NDArray[np.int64]
    weight: NDArray[np.float64]
    threshold: NDArray[np.float64]
    region_start: NDArray[np.int64]
    split: NDArray[np.int64]
    side: NDArray[np.int64]
    value: NDArray[np.float64]
    n_samples: NDArray[np.int64]
    mass: NDArray[np.float64]
    curve_start: NDArray[np.int64]
    curve: NDArray[np.float64]
    n_features: int
    n_hyperplanes: int = 0

    def __post_init__(self) -> None:
        for array in self.arrays().values():
            array.setflags(write=False)

    # --- making one

    @classmethod
    def of(cls, tree: Any) -> RuleNetwork:
        """Return the network that is equal to a tree: a region for every leaf, in the order of the leaves.

        Parameters
        ----------
        tree : a `Tree`, or a fitted estimator with one in `tree_`

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
            found, kept, paths, found.value[leaf], found.n_samples[leaf], found.mass[leaf], curves=[]
        )

    @classmethod
    def from_regions(
        cls,
        tree: Tree,
        nodes: NDArray[np.int64],
        regions: list[list[tuple[int, int]]],
        value: NDArray[np.float64],
        n_samples: NDArray[np.int64],
        mass: NDArray[np.float64],
        curves: list[NDArray[np.float64]],
    ) -> RuleNetwork:
        """Make a network of some splits of a tree (by node) and of regions: lists of (number of the split, side)."""
        conditions = np.array([c for region in regions for c in region], dtype=np.int64).reshape(-1, 2)
        n_features, n_weights = np.diff(tree.feature_start)[nodes], np.diff(tree.weight_start)[nodes]
        return cls(
            kind=tree.kind[nodes],
            n_children=tree.n_children[nodes],
            feature_start=starts(n_features),
            weight_start=starts(n_weights),
            feature=tree.feature[ranges(tree.feature_start[nodes], n_features)],
            weight=tree.weight[ranges(tree.weight_start[nodes], n_weights)],
            threshold=tree.threshold[nodes],
            region_start=starts([len(region) for region in regions]),
            split=np.ascontiguousarray(conditions[:, 0]),
            side=np.ascontiguousarray(conditions[:, 1]),
            value=value,
            n_samples=n_samples.astype(np.int64),
            mass=mass,
            curve_start=starts([curve.size for curve in curves]),
            curve=np.concatenate([*curves, np.empty(0)]),
            n_features=tree.n_features,
            n_hyperplanes=tree.n_hyperplanes,
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], n_features: int, n_hyperplanes: int = 0) -> RuleNetwork:
        """Make a network of arrays that came from outside (a file, a pickle, a copy), after checking all of them.

        Raises
        ------
        ValueError
            Says which array is wrong, and where.
        """
        missing = [name for name in _DTYPES if name not in arrays]
        if missing:
            raise ValueError(f"array '{missing[0]}' is missing")
        given = {}
        for name, dtype in _DTYPES.items():
            array = np.asarray(arrays[name])
            if array.dtype != dtype:
                raise ValueError(f"array '{name}' has type {array.dtype}, expected {np.dtype(dtype)}")
            given[name] = array.copy(order="C")  # what has been checked must not change through another name
        network = cls(**given, n_features=n_features, n_hyperplanes=n_hyperplanes)
        check(network)
        return network

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name."""
        return {name: getattr(self, name) for name in _DTYPES}

    def __reduce__(self) -> tuple[Any, ...]:
        return RuleNetwork.from_arrays, (self.arrays(), self.n_features, self.n_hyperplanes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleNetwork):
            return NotImplemented
        return all(np.array_equal(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]

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
    def depth(self) -> int:
        """The most conditions that a region has."""
        return int(np.diff(self.region_start).max())

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each split is a leaf: none is."""
        return np.asarray(self.kind == LEAF)

    @property
    def coef(self) -> NDArray[np.float64]:
        """Weights of every split (splits x features); NaN where a split is no hyperplane.

        Rows for which ``coef @ x + intercept <= 0`` take side 0.
        """
        return dense_planes(self, np.arange(self.n_splits))

    @property
    def intercept(self) -> NDArray[np.float64]:
        """Constant of every split, as `coef`."""
        return np.where(self.kind == HYPERPLANE, 0.0 - self.threshold, np.nan)

    def test(self, split: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the features and the weights of a split."""
        features = self.feature[self.feature_start[split] : self.feature_start[split + 1]]
        return features, self.weight[self.weight_start[split] : self.weight_start[split + 1]]

    def conditions(self, region: int) -> list[tuple[int, int]]:
        """Return the conditions of a region: (number of the split, side)."""
        part = slice(self.region_start[region], self.region_start[region + 1])
        return list(zip(self.split[part].tolist(), self.side[part].tolist(), strict=True))

    def curves(self) -> list[NDArray[np.float64]]:
        """Return the learning curves of the searches that pruned; see `askew.plot_learning`."""
        return np.split(self.curve, self.curve_start[1:-1]) if self.curve.size else []

    # --- what it does

    def apply(self, X: NDArray[np.float64], threads: int = 1, incomplete: bool = False) -> NDArray[np.int64]:
        """Return the region that each row belongs to."""
        if incomplete:
            self.spread(X)
        X = np.ascontiguousarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features:  # the kernel trusts the features to be there
            raise ValueError(f"X must have {self.n_features} columns, found shape {X.shape}")
        return _core.network_find(
            self.kind,
            self.n_children,
            self.feature_start,
            self.weight_start,
            self.feature,
            self.weight,
            self.threshold,
            self.region_start,
            self.split,
            self.side,
            X,
            threads,
        )

    def spread(self, X: NDArray[np.float64]) -> Any:
        """Raise ValueError: a region takes whole rows only (a tree can divide those with missing values)."""
        raise ValueError("a rule network cannot send rows with missing values down in parts: use missing='mean'")

    def predict(self, X: NDArray[np.float64], threads: int = 1) -> NDArray[Any]:
        """Return the class code (position in `classes_`) of each row, or its number; estimators give the labels."""
        value = self.value[self.apply(X, threads)]
        return np.asarray(value.argmax(axis=1) if self.value.shape[1] > 1 else value[:, 0])

    def sides(self, X: NDArray[np.float64]) -> NDArray[np.integer]:
        """Return the side that each row takes of each split (rows x splits)."""
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
        """Raise AttributeError: regions that were put together anew have no decrease of impurity to share out."""
        raise AttributeError(
            "a rule network has no feature_importances_; use sklearn.inspection.permutation_importance, or fit "
            "without LA or GA pruning"
        )


def distinct_splits(tree: Tree) -> tuple[dict[int, int], NDArray[np.int64]]:
    """Return the number of each inner node's split, equal ones sharing it, and the first node of each number."""
    seen: dict[tuple[Any, ...], int] = {}
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
    """Return what a row must fulfil to reach a leaf, from the root; a condition that comes twice is named once."""
    path = []
    node = leaf
    while (above := int(tree.parent[node])) >= 0:
        path.append((number[above], node - int(tree.first_child[above])))
        node = above
    return list(dict.fromkeys(reversed(path)))


def check(network: RuleNetwork) -> None:
    """Raise ValueError unless the arrays are a network: this runs before anything is walked."""
    n_splits, n_regions = network.kind.size, network.region_start.size - 1
    check_number("n_features", network.n_features, 1, 2**31 - 1)
    check_number("n_hyperplanes", network.n_hyperplanes, 0, np.iinfo(np.int64).max)
    for name, array in network.arrays().items():
        require(array.ndim == (2 if name == "value" else 1), f"'{name}' has {array.ndim} dimensions")
    require(n_regions >= 1, "a network must have a region")
    for names, n in ((("n_children", "threshold"), n_splits), (("n_samples", "mass", "value"), n_regions)):
        for name in names:
            found = getattr(network, name).shape[0]
            require(found == n, f"'{name}' must have {n} entries, found {found}")
    require(network.value.shape[1] >= 1, "'value' must have a column")
    for name in ("weight", "threshold", "value", "mass", "curve"):
        require(bool(np.isfinite(getattr(network, name)).all()), f"'{name}' holds a number that is not finite")
    for name in ("n_samples", "mass"):
        require(bool((getattr(network, name) >= 0).all()), f"'{name}' holds a negative number")
    require(bool(np.isin(network.kind, (1, 2, 3)).all()), "'kind' must be 1, 2 or 3")
    require(bool((network.n_children >= 2).all()), "a split must have two sides or more")
    check_starts("feature_start", network.feature_start, n_splits, network.feature.size)
    check_starts("weight_start", network.weight_start, n_splits, network.weight.size)
    check_starts("region_start", network.region_start, n_regions, network.split.size)
    check_starts("curve_start", network.curve_start, network.curve_start.size - 1, network.curve.size)
    in_range = (network.feature >= 0) & (network.feature < network.n_features)
    require(bool(in_range.all()), f"'feature' must be below {network.n_features}")
    check_tests(network)
    require(network.side.shape == network.split.shape, "'side' must have an entry for each of 'split'")
    require(bool(((network.split >= 0) & (network.split < n_splits)).all()), f"'split' must be below {n_splits}")
    right = (network.side >= 0) & (network.side < network.n_children[network.split])
    require(bool(right.all()), "'side' names a side that its split does not have")
