"""CE-DT: oblique splits by the cross-entropy method, with samples from a von Mises-Fisher distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.grow.criterion import Criterion
from askew.grow.grow import Node
from askew.model.split import Hyperplane, Split
from askew.parameters import Strategy, boolean, documented, function, integer, none, one_of, param, real
from askew.search.oblique import denormalised, scaling


@dataclass(frozen=True, eq=False)
class Trace:
    """How the search went at one node.

    Attributes
    ----------
    depth, n_samples : of the node
    seed : of the node; iteration t draws its samples from the t-th seed derived from it
    features : numbers of the features that the search kept; a plane has a weight for each, then the constant
    shift, scale : what was taken off each feature, and what it was divided by
    mu : mean direction of each iteration (iterations x (features + 1)); zeros in the first, which is uniform
    kappa : concentration of each iteration
    gamma : score that the elite of each iteration reaches
    n_drawn : samples of an iteration
    plane : the best plane, on the normalised features
    """

    depth: int
    n_samples: float
    seed: int
    features: NDArray[np.int64]
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]
    mu: NDArray[np.float64]
    kappa: NDArray[np.float64]
    gamma: NDArray[np.float64]
    n_drawn: int
    plane: NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class CrossEntropyParameters:
    """The parameters of `CrossEntropy`, and of the estimators that search with it.

    Parameters
    ----------
    n_samples : int or None, default=None
        Planes drawn in an iteration; None is max(100, 2 d log2 n) for d features, also where some are left out, and n
        samples at the node (section 6).
    rho : float, default=0.1
        Share of the planes that are the elite (section 6: 0.1).
    alpha : float, default=0.8
        Share of the elite's estimate in the next distribution; the rest is the last one's (section 6: 0.8).
    patience : int, default=3
        K: iterations without a better elite before the search ends (section 6: 3).
    kappa_estimator : "newton" or "banerjee", default="newton"
        Concentration of the elite by "newton" (equation 5, Sra) or "banerjee" (equation 4).
    normalize : "robust", "minmax", "standard" or None, default="robust"
        "robust" (section 5.4: median and interquartile range), "minmax", "standard" or None. The plane is turned back
        into the units of the data, and how it divides the rows there is what counts.
    univariate : bool, default=True
        Take the best univariate split where it is as good as the oblique one; figure 1 of the paper has such a split,
        the text does not say when.
    feature_reduction : bool or "auto", default="auto"
        Leave out features that are linear combinations of others on the rows of the node (Lemma 1), the worst in
        univariate splits first: at every node, or at none; "auto": where there are no more rows than features, the case
        that section 5.5 is about. At every node, trees on one-hot data are a little larger and less accurate, and it
        saves hardly any time.
    """

    n_samples: int | None = param(None, integer(2) | none)
    rho: float = param(0.1, real(0.0, 1.0, open_low=True, open_high=True))
    alpha: float = param(0.8, real(0.0, 1.0, open_low=True))
    patience: int = param(3, integer(1))
    kappa_estimator: str = param("newton", one_of("newton", "banerjee"))
    normalize: str | None = param("robust", one_of("robust", "minmax", "standard") | none)
    univariate: bool = param(True, boolean)
    feature_reduction: bool | str = param("auto", boolean | one_of("auto"))


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CrossEntropy(CrossEntropyParameters, Strategy):
    """The search of CE-DT.

    A plane is a direction: a point of the unit sphere. Planes are drawn from a von Mises-Fisher
    distribution, which is then fitted to the best of them, until that stops helping.

    Parameters
    ----------
    callback : callable or None, default=None
        Called with a `Trace` for each node that was searched.

    Notes
    -----
    Lines 24 and 25 of Algorithm 1 give the share alpha to the last distribution and 1 - alpha to the elite's.
    The paper's figures need it the other way round, which is also the custom of the cross-entropy method:
    in figure 4 the mean turns by 34 degrees in one step, where a share of 0.2 could turn it by 15 at most,
    and only so do trees get as small as in Table 8. For the lines as printed, give ``alpha=0.2``.

    A feature that is constant at a node has no weight there.

    References
    ----------
    Bollwein, Westphal: Oblique decision tree induction by cross-entropy optimization based on the von
    Mises-Fisher distribution. Computational Statistics 37 (2022), Algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import ObliqueTreeClassifier
    >>> from askew.search.cross_entropy import CrossEntropy
    >>> X, y = load_iris(return_X_y=True)
    >>> ObliqueTreeClassifier(search=CrossEntropy(), random_state=0).fit(X, y).score(X, y)
    1.0
    """

    callback: Callable[[Trace], object] | None = param(None, function | none)

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the best plane found, or the best univariate split if that is as good."""
        straight = None
        if self.univariate:
            node.n_evaluated += node.n_features
            cut = node.statistics.axis_cut(criterion)
            straight = None if cut is None else Hyperplane([cut[0]], [1.0], cut[1])
        shift, scale = node.statistics.column_scales(scaling(self.normalize))
        features = np.flatnonzero(scale)
        if self._reduces(node):
            _, scores = _core.axis_cuts(criterion.kernel, node.kernel)
            ranked = np.argsort(scores, kind="stable").astype(np.int64)
            features = np.sort(_core.independent_features(node.table.X, node.rows, ranked, shift, scale))
        if features.size == 0:
            return straight
        oblique = self._oblique(node, criterion, features, shift[features], scale[features], seed)
        return _better(node, criterion, straight, oblique)

    def _reduces(self, node: Node) -> bool:
        if isinstance(self.feature_reduction, str):
            return bool(node.n_samples <= node.n_features)
        return self.feature_reduction

    def _n_samples(self, node: Node) -> int:
        if self.n_samples is not None:
            return self.n_samples
        return max(100, ceil(2 * node.n_features * log2(node.n_samples)))

    def _oblique(
        self,
        node: Node,
        criterion: Criterion,
        features: NDArray[np.int64],
        shift: NDArray[np.float64],
        scale: NDArray[np.float64],
        seed: int,
    ) -> Hyperplane | None:
        n_samples = self._n_samples(node)
        rules = _core.CrossEntropyRules(
            n_samples=n_samples,
            rho=self.rho,
            alpha=self.alpha,
            patience=self.patience,
            newton=self.kappa_estimator == "newton",
        )
        found = node.statistics.cross_entropy(
            criterion, rules, features=features, shift=shift, inverse=1.0 / scale, seed=seed
        )
        node.n_evaluated += found.n_evaluated
        if self.callback is not None:
            self.callback(
                Trace(
                    depth=node.depth,
                    n_samples=node.n_samples,
                    seed=seed,
                    features=features,
                    shift=shift,
                    scale=scale,
                    mu=found.mu,
                    kappa=found.kappa,
                    gamma=found.gamma,
                    n_drawn=n_samples,
                    plane=found.plane,
                )
            )
        return denormalised(found.plane, features, shift, scale) if np.isfinite(found.score) else None


def _better(
    node: Node, criterion: Criterion, straight: Hyperplane | None, oblique: Hyperplane | None
) -> Hyperplane | None:
    """Return the split with the lower score, recounted on the rows as they are routed; of equals the univariate."""
    straight_score, oblique_score = node.statistics.split_scores(criterion, [straight, oblique])
    if straight is not None and straight_score <= oblique_score:
        return straight
    return oblique if np.isfinite(oblique_score) else straight
