"""`shapley`: Shapley values of the features of a prediction, for models that are sums of trees."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from askew import _core
from askew.data.frames import MatrixLike, is_frame
from askew.data.targets import has_nan
from askew.explaining.one_row import RowLike, as_seen, one_row
from askew.export.fitted import Fitted, fitted_model
from askew.export.names import Columns
from askew.model.fitted import Combination, Estimator, FittedModel
from askew.model.leaf_values import as_they_occur, class_shares
from askew.model.packed import PackedTrees
from askew.model.split_arrays import starts
from askew.model.tree import Tree
from askew.parallel import thread_count
from askew.parameters import RandomStateLike, check_values, integer, jobs, one_of

if TYPE_CHECKING:
    from shap import Explanation

_OTHERS = "use a model-agnostic explainer, such as shap.explainers.Permutation(estimator.predict_proba, background)"


@dataclass(frozen=True, eq=False)
class ExplainedTrees:
    """Trees whose leaves add up to the explained output.

    Attributes
    ----------
    kernel : askew._core.Tree
        All trees in one set of arrays.
    root : ndarray
        The root of each tree.
    value : ndarray
        The value that each node adds (nodes x outputs); the second of two classes is left out.
    models : LeafModels or None
        Linear models of the leaves; None without any.
    outputs : callable
        Function from columns to the explained outputs (rows x outputs, all of them).
    names : list of Hashable or None
        Names of the outputs, the classes; None for a single number.
    description : str
        Name of the explained output.
    mirrored : bool
        Whether the second of two outputs was left out: its values are those of the first, negated.
    """

    kernel: _core.Tree
    root: NDArray[np.uint32]
    value: NDArray[np.float64]
    models: _core.LeafModels | None
    outputs: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    names: list[Hashable] | None
    description: str
    mirrored: bool

    @classmethod
    def of(cls, model: FittedModel) -> ExplainedTrees:
        """Return the trees of a fitted model; raise TypeError if it is not a sum of trees."""
        trees = [part for part in model.parts if isinstance(part, Tree)]
        if model.combination is Combination.ONE_VS_REST or len(trees) < len(model.parts):
            found = "OneVsRest" if model.combination is Combination.ONE_VS_REST else "RuleNetwork"
            raise TypeError(f"shapley takes trees and ensembles of trees, not a {found}: {_OTHERS}")
        return _single(model) if model.combination is Combination.SINGLE else _several(model, trees)


def _single(model: FittedModel) -> ExplainedTrees:
    tree, class_weight = model.tree, model.schema.class_weight

    def outputs(columns: NDArray[np.float64]) -> NDArray[np.float64]:
        found = tree.outputs(columns)
        return found if model.classes is None else as_they_occur(class_shares(found), class_weight)

    with np.errstate(invalid="ignore"):  # inner nodes without rows
        known = model.classes is not None
        shares = as_they_occur(class_shares(tree.payload.weights), class_weight) if known else tree.value
    return _sum(model, [tree], shares, outputs, _leaf_models(tree, shares, class_weight))


def _leaf_models(
    tree: Tree, shares: NDArray[np.float64], class_weight: NDArray[np.float64] | None
) -> _core.LeafModels | None:
    """Return the linear models of leaves; to divide a softmax by weights is to subtract their logarithms."""
    found = tree.payload.models()
    if found is None:
        return None
    if class_weight is not None:
        found["value"] = np.ascontiguousarray(shares * tree.value.sum(axis=1, keepdims=True))
        found["constant"] = found["constant"] - np.log(np.where(class_weight > 0, class_weight, 1.0))
    return _core.LeafModels(**found)


def _sum(
    model: FittedModel,
    trees: Sequence[Tree],
    value: NDArray[np.float64],
    outputs: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    models: _core.LeafModels | None = None,
) -> ExplainedTrees:
    """Return trees that predict shares of classes, or numbers."""
    names = None if model.classes is None else model.classes.tolist()
    two = names is not None and len(names) == 2
    value = np.ascontiguousarray(value[:, :1] if two else value)
    description = "prediction" if names is None else "probability"
    return ExplainedTrees(*_joined(trees), value, models, outputs, names, description, two)


def _several(model: FittedModel, trees: Sequence[Tree]) -> ExplainedTrees:
    """Return the trees of a forest, of boosting, or of a vote."""
    vote, class_weight = model.combination is Combination.VOTE, model.schema.class_weight
    if not model.packs:
        raise TypeError(f"shapley takes votes of trees with constant leaves over the same columns: {_OTHERS}")
    packed, entries = PackedTrees.of(trees), model.entries()
    if model.combination is Combination.SUM:
        names = model.classes.tolist() if model.classes is not None and entries.shape[1] > 1 else None
        description = "prediction" if model.link == "identity" else f"sum of the trees ({model.link} of the prediction)"
        baseline = np.array(model.baseline)
        return ExplainedTrees(
            *_joined(trees),
            entries,
            None,
            lambda columns: packed.sums(entries, columns) + baseline,
            names,
            description,
            False,
        )
    value = (entries if vote else as_they_occur(entries, class_weight)) / len(trees)
    found = _sum(model, trees, value, lambda columns: packed.sums(value, columns))
    return replace(found, description="share of the votes") if vote and class_weight is not None else found


def _joined(trees: Sequence[Tree]) -> tuple[_core.Tree, NDArray[np.uint32]]:
    """Return trees in one set of arrays, and their roots."""
    root = starts([tree.node_count for tree in trees])
    arrays = {
        name: np.concatenate([getattr(tree, name) for tree in trees])
        for name in ("kind", "n_children", "feature", "weight", "threshold")
    }
    # A leaf has no child: this number of it is not used.
    arrays["first_child"] = np.concatenate([tree.first_child + at for tree, at in zip(trees, root, strict=False)])
    for name in ("feature_start", "weight_start"):
        arrays[name] = starts(np.concatenate([np.diff(getattr(tree, name)) for tree in trees]))
    return _core.Tree(**arrays), root[:-1].astype(np.uint32)


_UNLIMITED = 2**62
_RULES = {
    "method": one_of("auto", "exact", "sampled"),
    "n_permutations": integer(4),
    "max_branches": integer(1),
    "n_jobs": jobs,
}


@dataclass(frozen=True, eq=False)
class ShapleyValues:
    """Shapley values, as `askew.shapley` returns them.

    Attributes
    ----------
    values : ndarray
        Shapley values (rows x features); with several outputs, such as classes, rows x features x outputs.
    base_value : ndarray
        Mean output over the background rows, one number for each output.
    standard_error : ndarray
        Standard error of sampled `values`; 0 where they are exact.
    exact : ndarray
        Whether the values of each row are exact.
    feature_names : list of str
        Names of the features.
    output_names : list of Hashable or None
        The classes; None if there is one output.
    explained : str
        The explained output: "prediction", "probability", or the sum of the trees of boosting.
    data : array or data frame
        The explained rows, as the final estimator sees them.
    """

    values: NDArray[np.float64]
    base_value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    exact: NDArray[np.bool_]
    feature_names: list[str]
    output_names: list[Hashable] | None
    explained: str
    data: MatrixLike

    def of(self, output: Hashable) -> ShapleyValues:
        """Return the values of one output: a class, by its label.

        Examples
        --------
        >>> import askew
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = askew.CARTClassifier(max_depth=2).fit(X, y)
        >>> askew.shapley(tree, X[:5], X[::10]).of(2).values.shape
        (5, 4)
        """
        if self.output_names is None or output not in self.output_names:
            raise ValueError(f"output must be one of {self.output_names}. Got {output!r} instead.")
        k = self.output_names.index(output)
        return ShapleyValues(
            self.values[:, :, k],
            self.base_value[k],
            self.standard_error[:, :, k],
            self.exact,
            self.feature_names,
            None,
            f"{self.explained} of {output}",
            self.data,
        )

    def to_shap(self) -> Explanation:
        """Return a ``shap.Explanation``, which the plots of the package shap draw.

        Raises
        ------
        ImportError
            The package shap is not installed.
        """
        try:
            from shap import Explanation
        except ImportError as error:
            raise ImportError("to_shap needs the package shap: pip install shap") from error
        n = self.values.shape[0]
        data = self.data.to_numpy() if hasattr(self.data, "to_numpy") else np.asarray(self.data)
        return Explanation(
            self.values,
            base_values=np.repeat(self.base_value[None], n, axis=0),
            data=data,
            feature_names=self.feature_names,
            output_names=None if self.output_names is None else [str(name) for name in self.output_names],
            error_std=self.standard_error if not self.exact.all() else None,
        )

    def __repr__(self) -> str:
        rows, features = self.values.shape[:2]
        how = "exact" if self.exact.all() else f"{int(self.exact.sum())} of {rows} rows exact, the others sampled"
        return f"ShapleyValues({rows} rows, {features} features, of the {self.explained}; {how})"


def shapley(
    estimator: Fitted,
    X: RowLike | MatrixLike,
    background: MatrixLike,
    *,
    method: str = "auto",
    n_permutations: int = 512,
    max_branches: int = 2**17,
    random_state: RandomStateLike = 0,
    n_jobs: int | None = None,
) -> ShapleyValues:
    """Return Shapley values: how much each feature moves a prediction away from the mean over background rows.

    Features that are not in a coalition have the values of a background row (interventional), averaged over all of
    them. The values of a row add up to its prediction minus the mean prediction of the background. Columns that one
    feature was turned into, such as its categories, move together.

    Values are exact as long as that is feasible. One row is compared with one background row in one tree at a time.
    Only features that differ and are tested on a way that some mixture of both can take matter; they are placed one
    after the other, the largest at a node first, until the rest cannot change the path any more. If more than
    `max_branches` placements are needed (at most 2^m - 1 for m features that matter), the values of this pair are
    estimated from random permutations of the features, each with its reverse; see `standard_error`. With axis-parallel
    tests the result is that of interventional TreeSHAP.

    Parameters
    ----------
    estimator : estimator or Pipeline
        A fitted tree, forest, boosting or k-DT, or a Pipeline that ends in one. Of boosting, the sum of the trees is
        explained (log odds for classes). Rule networks and one-vs-rest trees are not supported.
    X : array, data frame, Series or mapping
        Rows to explain, or one row as for `askew.explain`.
    background : array or data frame
        Rows to compare with: some hundreds of training rows.
    method : "auto", "exact" or "sampled", default="auto"
        Whether to fall back on permutations where it takes long, never, or always to use them.
    n_permutations : int, default=512
        Random permutations for each pair of rows that is sampled; half of them are reversed ones.
    max_branches : int, default=131072
        With "auto", placements for a pair of rows (and a tree) up to which values are exact.
    random_state : int, RandomState instance or None, default=0
        Seed of the permutations.
    n_jobs : int or None, default=None
        Number of threads; -1 is all cores. The values are the same for every number.

    Returns
    -------
    values : ShapleyValues
        `values`, `base_value`, `standard_error`; ``to_shap()`` for the plots of the package shap.

    References
    ----------
    Lundberg et al.: From local explanations to global understanding with explainable AI for trees. Nature Machine
    Intelligence 2 (2020). Mitchell, Cooper, Frank, Holmes: Sampling permutations for Shapley value estimation. Journal
    of Machine Learning Research 23 (2022).

    Examples
    --------
    >>> import askew
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> tree = askew.CARTLCRegressor(max_leaf_nodes=5, random_state=0).fit(X, y)
    >>> found = askew.shapley(tree, X[:3], X[:100])
    >>> found
    ShapleyValues(3 rows, 10 features, of the prediction; exact)
    >>> bool(abs(found.values.sum(axis=1) + found.base_value - tree.predict(X[:3])).max() < 1e-9)
    True
    """
    parameters = {"method": method, "n_permutations": n_permutations, "max_branches": max_branches, "n_jobs": n_jobs}
    check_values(parameters, _RULES)
    one = isinstance(X, Mapping) or (np.ndim(cast("ArrayLike", X)) == 1 and not is_frame(X))
    last, seen = as_seen(estimator, one_row(estimator, X) if one else cast("MatrixLike", X))
    model = fitted_model(estimator)
    trees, names = ExplainedTrees.of(model), Columns.of(model)
    rows, others = (_encoded(last, model.schema.missing, one) for one in (seen, as_seen(estimator, background)[1]))
    player = np.arange(rows.shape[1]) if names.encoder is None else names.encoder.origin
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    value, variance, sampled = _core.shapley(
        trees.kernel,
        trees.root,
        trees.value,
        rows,
        others,
        player=player.astype(np.int64),
        n_players=len(names.features),
        models=trees.models,
        most={"auto": int(max_branches), "exact": _UNLIMITED, "sampled": 0}[method],
        pairs=max(int(n_permutations) // 2, 2),
        seed=seed,
        threads=thread_count(n_jobs),
    )
    shape = (rows.shape[0], len(names.features), trees.value.shape[1])
    values, variances = value.reshape(shape), variance.reshape(shape)
    if trees.mirrored:
        values, variances = np.concatenate([values, -values], axis=2), np.repeat(variances, 2, axis=2)
    base, error = trees.outputs(others).mean(axis=0), np.sqrt(variances)
    if trees.names is None:
        values, error, base = values[:, :, 0], error[:, :, 0], base[0]
    return ShapleyValues(
        values, np.asarray(base), error, sampled == 0, names.features, trees.names, trees.description, seen
    )


def _encoded(estimator: Estimator, missing: str, X: MatrixLike) -> NDArray[np.float64]:
    """Return the columns that the trees test; raise ValueError for rows that go down in parts."""
    columns = estimator.encoded(X)
    if missing == "fractional" and has_nan(columns):
        raise ValueError(
            "Input X contains NaN: shapley does not explain rows that go down in parts (missing='fractional'); "
            "fit with missing='mean', or leave out rows with missing values"
        )
    return np.ascontiguousarray(columns)
