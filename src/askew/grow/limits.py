"""`Limits`: when a node becomes a leaf."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import ceil, inf
from numbers import Integral

from askew import _core


@dataclass(frozen=True)
class Limits:
    """The limits on growth, in samples; infinite where there is none.

    Attributes
    ----------
    max_depth : float
        Depth of the deepest leaf; the root is at depth 0.
    min_samples_split : float
        A node with fewer samples is a leaf.
    min_samples_leaf : float
        Each child must have this many samples.
    max_leaf_nodes : float
        Grow best-first up to this many leaves.
    min_impurity_decrease : float
        A split must lower the impurity, weighted by the node's share, by this much.
    impurity_threshold : float
        A node whose impurity is not above this is a leaf (OC1-93).
    min_weight_leaf : float
        Each child must have this much weight.
    """

    max_depth: float = inf
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    max_leaf_nodes: float = inf
    min_impurity_decrease: float = 0.0
    impurity_threshold: float = 0.0
    min_weight_leaf: float = 0.0

    @classmethod
    def of(
        cls,
        n_samples: float,
        max_depth: int | None,
        min_samples_split: float,
        min_samples_leaf: float,
        max_leaf_nodes: int | None,
        min_impurity_decrease: float,
        impurity_threshold: float,
        min_weight_leaf: float = 0.0,
    ) -> Limits:
        """Read scikit-learn's parameters: None is no limit, a float is a share of the samples."""
        return cls(
            max_depth=inf if max_depth is None else max_depth,
            min_samples_split=max(2, _samples(min_samples_split, n_samples)),
            min_samples_leaf=max(1, _samples(min_samples_leaf, n_samples)),
            max_leaf_nodes=inf if max_leaf_nodes is None else max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            impurity_threshold=impurity_threshold,
            # Sums of weights may differ in their last bits with the order of the rows.
            min_weight_leaf=min_weight_leaf * (1 - 1e-9),
        )

    @property
    def best_first(self) -> bool:
        """Whether the order of growth matters."""
        return self.max_leaf_nodes < inf

    @property
    def kernel(self) -> _core.Limits:
        """The limits as the compiled growth takes them."""
        return _core.Limits(**{limit.name: getattr(self, limit.name) for limit in fields(self)})


def _samples(number_or_share: float, n_samples: float) -> float:
    if isinstance(number_or_share, Integral):
        return int(number_or_share)
    return float(ceil(float(number_or_share) * n_samples))
