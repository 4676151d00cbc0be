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
from askew.search.axis import best_axis_cut
from askew.search.oblique import denormalised, scaling


@dataclass(frozen=True, eq=False)
class Trace:
    """The iterations of the cross-entropy method at one node.

    Attributes
    ----------
    depth : int
        Depth of the node.
    n_samples : float
        Training samples at the node.
    seed : int
        Seed of the node; iteration t draws its samples from the t-th seed derived from it.
    features : ndarray
        Indices of the features that the search uses; a hyperplane has a weight for each, then the constant.
    shift, scale : ndarray
        A feature is normalised as ``(x - shift) / scale``.
    mu : ndarray
        Mean direction of each iteration (iterations x (features + 1)); zeros in the first, which is uniform.
    kappa : ndarray
        Concentration of each iteration.
    gamma : ndarray
        Score of the elite threshold of each iteration.
    n_drawn : int
        Hyperplanes sampled in an iteration.
    plane : ndarray
        The best hyperplane, on the normalised features.
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
        Hyperplanes sampled in an iteration; None is max(100, 2 d log2 n) for d features (all of them, also if
        `feature_reduction` removes some) and n samples at the node (section 6).
    rho : float, default=0.1
        Share of the hyperplanes that are the elite (section 6: 0.1).
    alpha : float, default=0.8
        Smoothing: share of the elite's estimate in the next distribution; the rest is the previous distribution
        (section 6: 0.8).
    patience : int, default=3
        K, the iterations without a better elite after which the search ends (section 6: 3).
    kappa_estimator : "newton" or "banerjee", default="newton"
        Estimator of the elite's concentration: "newton" (equation 5, Sra) or "banerjee" (equation 4).
    normalize : "robust", "minmax", "standard" or None, default="robust"
        Normalisation of the features: "robust" (section 5.4: median and interquartile range), "minmax", "standard" or
        None. The hyperplane is converted to the units of the data and scored again there.
    univariate : bool, default=True
        Take the best univariate split if it is at least as good as the oblique one. Figure 1 of the paper has a
        univariate split; the text does not say when it is taken.
    feature_reduction : bool or "auto", default="auto"
        Remove features that are linear combinations of others on the rows of the node (Lemma 1), those with the worst
        univariate splits first. True: at every node; False: never; "auto": if there are no more rows than features,
        the case of section 5.5. At every node, trees on one-hot data become slightly larger and less accurate, and
        little time is saved.
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

    A hyperplane is a point of the unit sphere. Hyperplanes are sampled from a von Mises-Fisher distribution, which is
    then fitted to the best of them (the elite), until the elite stops improving.

    Parameters
    ----------
    callback : callable or None, default=None
        Called with a `Trace` for each node that was searched.

    Notes
    -----
    Lines 24 and 25 of Algorithm 1 weight the previous distribution by alpha and the elite's by 1 - alpha. Only the
    reverse reproduces the paper's figures, and it is usual in the cross-entropy method: in figure 4 the mean turns by
    34 degrees in one step, where a weight of 0.2 could turn it by 15 at most, and only then are the trees as small as
    in Table 8. ``alpha=0.2`` follows the lines as printed.

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
        """Return the best hyperplane found, or the best univariate split if that is as good."""
        cut = best_axis_cut(node, criterion) if self.univariate else None
        axis = None if cut is None else cut.split
        shift, scale = node.statistics.column_scales(scaling(self.normalize))
        features = np.flatnonzero(scale)
        if self._reduces(node):
            _, scores = _core.axis_cuts(criterion.kernel, node.kernel)
            ranked = np.argsort(scores, kind="stable").astype(np.int64)
            features = np.sort(_core.independent_features(node.table.X, node.rows, ranked, shift, scale))
        if features.size == 0:
            return axis
        oblique = self._oblique(node, criterion, features, shift[features], scale[features], seed)
        return _better(node, criterion, axis, oblique)

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
        best = node.statistics.cross_entropy(
            criterion, rules, features=features, shift=shift, inverse=1.0 / scale, seed=seed
        )
        node.n_evaluated += best.n_evaluated
        if self.callback is not None:
            self.callback(
                Trace(
                    depth=node.depth,
                    n_samples=node.n_samples,
                    seed=seed,
                    features=features,
                    shift=shift,
                    scale=scale,
                    mu=best.mu,
                    kappa=best.kappa,
                    gamma=best.gamma,
                    n_drawn=n_samples,
                    plane=best.plane,
                )
            )
        return denormalised(best.plane, features, shift, scale) if np.isfinite(best.score) else None


def _better(node: Node, criterion: Criterion, axis: Hyperplane | None, oblique: Hyperplane | None) -> Hyperplane | None:
    """Return the split with the lower score on the rows as they are routed; the univariate split of two equal ones."""
    axis_score, oblique_score = node.statistics.split_scores(criterion, [axis, oblique])
    if axis is not None and axis_score <= oblique_score:
        return axis
    return oblique if np.isfinite(oblique_score) else axis
