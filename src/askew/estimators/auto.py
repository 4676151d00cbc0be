"""AutoTree: the best readable tree, chosen among methods and sizes by cross-validation, with its leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from numbers import Integral
from typing import TYPE_CHECKING, ClassVar, Protocol, Self, TypeAlias
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.data.frames import MatrixLike
from askew.data.read import Schema, read_training
from askew.data.table import Table
from askew.estimators.base import BaseTree
from askew.estimators.tasks import TreeClassifier, TreeRegressor
from askew.grow.criterion import CriterionLike, as_criterion
from askew.grow.grow import Search
from askew.grow.recipe import Pruner, Refiner
from askew.model.edit import renumbered, tested_columns
from askew.model.fitted import FittedTree
from askew.model.smoothing import SMOOTHINGS, Smoothing, as_smoothing, is_smoothing, smoothed
from askew.model.tree import Tree
from askew.parallel import Progress, progress_bar
from askew.parameters import (
    InvalidParameterError,
    Rule,
    brief,
    check_parameters,
    documented,
    function,
    integer,
    none,
    one_of,
    param,
    real,
)
from askew.search.crimcoord import in_coordinates
from askew.search.oblique import FewTerms
from askew.selection.candidates import EFFORTS, Candidate, as_candidates
from askew.selection.leaderboard import Leaderboard, Record
from askew.selection.one_se_rule import RowLoss, ScorerLoss
from askew.selection.select import SelectionRecipe, select_tree

if TYPE_CHECKING:
    from pandas import DataFrame

_SMOOTHED = {"laplace": "probabilities by Laplace", "m_estimate": "probabilities by m-estimate"}
_COLUMNS = ("recipe", "leaves", "terms", "mean", "standard_error", "seconds", "chosen")


class Splitter(Protocol):
    """A splitter of scikit-learn: divides rows into training and test rows."""

    def split(self, X: MatrixLike, y: ArrayLike) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the numbers of the training rows and of the test rows."""
        ...


Splits: TypeAlias = Splitter | Iterable[tuple[Sequence[int], Sequence[int]]]
Scoring: TypeAlias = str | Callable[..., float] | None


def _as_table(records: Sequence[Record]) -> DataFrame | list[dict[str, object]]:
    rows = [{name: getattr(record, name) for name in _COLUMNS} for record in records]
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows, columns=list(_COLUMNS))


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


_INDICATORS = "with missing indicators"

_NAMED = Rule("a list of names and searches", lambda v: isinstance(v, list | tuple) and len(v) > 0)


def _is_splits(cv: object) -> bool:
    return len(cv) > 0 if isinstance(cv, list | tuple) else hasattr(cv, "split") and not isinstance(cv, str)


@dataclass(kw_only=True, eq=False, repr=False)
class _AutoTree(BaseTree):
    """The parameters of the selection.

    Parameters
    ----------
    max_leaves : int or None, default=None
        Most leaves of the tree. None: no limit.
    max_terms : int or None, default=None
        Most features that a node tests. 1: axis-parallel trees. None: no limit.
    leaf_model : "auto", "constant" or "linear", default="auto"
        Model of a leaf. "auto": a class; for regression a constant or a linear model, whichever is better.
    missing : "auto", "mean", "indicator" or "error", default="auto"
        Treatment of missing values. "mean": the mean of the column. "indicator": the mean, and a further column such as
        ``age is missing``. "auto": both are tried where values are missing.
    tolerance : float, default=1
        The k of the k-standard-error rule: the smallest tree is chosen whose loss is within this many standard errors
        (of the difference, on the same rows) of the least. A weight beyond the first of a node counts as a tenth of a
        leaf. 0: the most accurate tree.
    effort : "low", "medium" or "high", default="medium"
        Number of candidates, folds and refinements. The tree is the same for the same effort and seed.
    time_limit : float or None, default=None
        Seconds after which no further candidate is evaluated; the tree is then chosen among those evaluated. The tree
        depends on the speed of the machine if there is a limit.
    candidates : list or None, default=None
        Candidates: names in `askew.selection.candidates.CANDIDATES`, and search objects. None: by `effort`.
    cv : int, splitter, list of splits or None, default=None
        Number of folds, or, as in scikit-learn, a splitter or an iterable of indices of training and test rows. None:
        by `effort`. If rows are few, folds are repeated, for the best candidates more often; splits are used as they
        are.
    scoring : str, callable or None, default=None
        A scorer of scikit-learn to choose by. None: the error rate; for regression the squared error.

    Attributes
    ----------
    leaderboard_ : DataFrame or list of dict
        The candidates that were evaluated, best first: recipe, mean leaves and terms in the folds, mean score and its
        standard error, seconds. A list where pandas is not installed. If the best were evaluated on further repetitions
        of the folds, the scores of the others are lowered by the largest decrease among the best. The best score of
        many is optimistic: see `nested_score`.
    front_ : DataFrame or list of dict
        The Pareto front of the leaderboard by size and score, the smallest tree first.
    chosen_ : str
        Description of the chosen tree.
    selection_ : askew.selection.leaderboard.Leaderboard
        The leaderboard as it is stored.
    """

    max_leaves: int | None = param(None, integer(1) | none)
    max_terms: int | None = param(None, integer(1) | none)
    tolerance: float = param(1.0, real(0.0))
    effort: str = param("medium", one_of(*EFFORTS))
    time_limit: float | None = param(None, real(0.0) | none)
    candidates: Sequence[str | Search] | None = param(None, _NAMED | none)
    cv: int | Splits | None = param(None, integer(2) | Rule("a splitter or a list of splits", _is_splits) | none)
    scoring: Scoring = param(None, Rule("a str", lambda v: isinstance(v, str)) | function | none)
    leaf_model: str = param("auto", one_of("auto", "constant", "linear"))
    missing: str = param("auto", one_of("auto", "mean", "indicator", "error"))

    # No parameters: the selection decides on the size of the tree, and on its refinement.
    max_leaf_nodes: int | None = field(default=None, init=False)
    min_impurity_decrease: float = field(default=0.0, init=False)
    impurity_threshold: float = field(default=0.0, init=False)
    refinement: Refiner | str | None = field(default=None, init=False)
    pruning: Pruner | str | None = field(default=None, init=False)

    selection_: Leaderboard = field(init=False)

    chooses_size: ClassVar[bool] = True

    # --- fit

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Try all candidates by cross-validation, choose one, and fit it on all rows.

        Parameters
        ----------
        X : array or data frame
            Numbers and categories (rows x features).
        y : array
            Class or number of each row.
        sample_weight : array or None, default=None
            Weight of each row: 0 removes the row, an integer repeats it.

        Returns
        -------
        self : estimator
            The fitted tree.
        """
        check_parameters(self)
        schema, table = read_training(self, X, y, sample_weight)
        recipe = self._grower(table, schema)
        if self.cv is not None and not isinstance(self.cv, int | Integral):
            recipe = replace(recipe, folds=_masks(self.cv, X, y, sample_weight, table.n_rows))
        with progress_bar(type(self).__name__, bool(self.verbose)) as progress:
            self._fit_selected(recipe, table, self._seed(), schema, progress, compute_display=True)
        return self._finish()

    def fit_table(
        self, table: Table, seed: int, schema: Schema, progress: Progress | None = None, compute_display: bool = False
    ) -> Self:
        """Select a tree on a table that has been read already; see `BaseTree.fit_table`.

        If `cv` holds splits, which are of other rows, the folds are those of `effort`.
        """
        return self._fit_selected(
            self._grower(table, schema), table, seed, schema, progress, compute_display=compute_display
        )

    def _fit_selected(
        self,
        recipe: SelectionRecipe,
        table: Table,
        seed: int,
        schema: Schema,
        progress: Progress | None,
        *,
        compute_display: bool,
    ) -> Self:
        selection = select_tree(table, recipe, seed, self._threads(), progress)
        self._set_tree(selection.tree, table, schema, compute_display)
        self.selection_ = selection.leaderboard
        return self

    def _finish(self) -> Self:
        """Drop the indicator columns of missing values, if they were only tried and no node tests one."""
        indicator = np.zeros(0, dtype=bool) if self.encoder_ is None else self.encoder_.is_indicator
        if self.missing != "auto" or not indicator.any() or not isinstance(self.tree_, Tree):
            return self
        assert self.encoder_ is not None
        if indicator[tested_columns(self.tree_)].any():
            return self
        self.tree_ = renumbered(self.tree_, np.cumsum(~indicator) - 1, int((~indicator).sum()))
        self.display_ = None if self.display_ is None else replace(self.display_, tree=self.tree_)
        self.feature_scale_ = self.feature_scale_[~indicator]
        plain = replace(self.encoder_, indicators=())
        self.encoder_ = plain if plain.is_categorical.any() else None
        self.missing_ = "mean"
        return self

    def _grower(self, table: Table, schema: Schema) -> SelectionRecipe:
        return SelectionRecipe(
            tuple(self._candidates(table, schema)),
            as_criterion(self.criterion, classification=table.classification),
            self._limits(float(table.multiplicity.sum()), float(table.weight.sum())),
            EFFORTS[self.effort],
            tolerance=float(self.tolerance),
            max_leaves=inf if self.max_leaves is None else int(self.max_leaves),
            folds=int(self.cv) if isinstance(self.cv, Integral) else None,
            loss=RowLoss() if self.scoring is None else ScorerLoss(self._scorer(), schema.classes),
            time_limit=inf if self.time_limit is None else float(self.time_limit),
            keep_zeros=self.max_terms is not None,
            smooth=getattr(self, "smoothing", None) == "auto",
        )

    # --- the leaderboard

    @property
    def leaderboard_(self) -> DataFrame | list[dict[str, object]]:
        """The evaluated candidates, best first: a DataFrame, or a list of dicts where pandas is not installed."""
        check_is_fitted(self)
        return _as_table(self.selection_.records)

    @property
    def front_(self) -> DataFrame | list[dict[str, object]]:
        """The Pareto front of size and score, the smallest tree first."""
        check_is_fitted(self)
        front = [record for record in self.selection_.records if record.on_front]
        return _as_table(sorted(front, key=lambda record: record.mean))

    @property
    def chosen_(self) -> str:
        """A description of the chosen tree."""
        check_is_fitted(self)
        chosen = self.selection_.chosen
        name = "axis-parallel" if chosen is None else chosen.recipe
        size = _count(self.tree_.n_leaves, "leaf", "leaves")
        words = f"{name}, {size}, {_count(self.n_terms_, 'term', 'terms')}"
        smoothing = self.selection_.smoothing
        return words if smoothing is None else f"{words}, {_SMOOTHED[smoothing]}"

    def nested_score(
        self, X: MatrixLike, y: ArrayLike, cv: int | Splits = 5, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return the score of the procedure, including the selection, on held-out rows (nested cross-validation).

        The best score on the leaderboard is the maximum of many estimates, and so biased upwards. Here the selection is
        repeated in every fold, on the rows that are not held out.

        Parameters
        ----------
        X : array or data frame
            Numbers and categories (rows x features).
        y : array
            Class or number of each row.
        cv : int or splitter, default=5
            Number of folds (shuffled by `random_state`, of the same share of classes), or a splitter.
        sample_weight : array or None, default=None
            Weight of each row, for the fits.

        Returns
        -------
        scores : ndarray
            One score for each fold: accuracy, R^2, or that of `scoring`.
        """
        from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

        seed = self.random_state if self.random_state is not None else 0
        if not hasattr(cv, "split"):
            kind = StratifiedKFold if is_classifier(self) else KFold
            cv = kind(cv, shuffle=True, random_state=seed)
        params = None if sample_weight is None else {"sample_weight": sample_weight}
        return np.asarray(cross_val_score(clone(self), X, y, cv=cv, scoring=self.scoring, params=params))

    # --- candidates

    def _candidates(self, table: Table, schema: Schema) -> list[Candidate]:
        """Return the candidates for these columns, with the leaves of `leaf_model` and at most `max_terms` terms."""
        effort = EFFORTS[self.effort]
        names = self.candidates
        if names is None:
            names = effort.numbers if self._numeric_y else effort.classes

        def adapted(search: Search) -> Search:
            search = in_coordinates(search, schema.encoder, self.categorical_encoding)
            if self.max_terms is None or self.max_terms >= table.n_features:
                return search
            return FewTerms(search, int(self.max_terms))

        candidates = self._with_indicators(self._with_leaves(as_candidates(names)), schema)
        return [replace(candidate, search=adapted(candidate.search)) for candidate in candidates]

    def _with_leaves(self, candidates: list[Candidate]) -> list[Candidate]:
        """Return the candidates with leaves of `leaf_model`; if there are none, all candidates with such leaves."""
        if self.leaf_model == "auto":
            return candidates
        fitting = [candidate for candidate in candidates if candidate.leaf_model == self.leaf_model]
        return fitting or [replace(candidate, leaf_model=self.leaf_model) for candidate in candidates]

    def _with_indicators(self, candidates: list[Candidate], schema: Schema) -> list[Candidate]:
        """Return each candidate without the indicator columns of missing values, and with them.

        Crimcoord coordinates are computed from all columns: with them, candidates see the indicators too.
        """
        encoder = schema.encoder
        if self.missing != "auto" or encoder is None or not encoder.indicators:
            return candidates
        if self.categorical_encoding == "crimcoord" and encoder.groups:
            return candidates
        others = tuple(np.flatnonzero(~encoder.is_indicator).tolist())
        without = [replace(candidate, columns=others) for candidate in candidates]
        return without + [replace(candidate, name=f"{candidate.name}, {_INDICATORS}") for candidate in candidates]

    def _scorer(self) -> Callable[..., float]:
        from sklearn.metrics import check_scoring  # late, here and below: slow to import

        try:
            scorer: Callable[..., float] = check_scoring(self, scoring=self.scoring)
        except ValueError:
            raise InvalidParameterError(
                f"The 'scoring' parameter must be the name of a scorer of scikit-learn, or a function. "
                f"Got {brief(self.scoring)} instead."
            ) from None
        return scorer


def _masks(
    cv: Splits, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None, n_rows: int
) -> tuple[NDArray[np.bool_], ...]:
    """Return the rows of the table that each split holds out; rows of weight 0 are not in the table."""
    from sklearn.model_selection import check_cv

    labels = np.asarray(y)
    present = np.ones(labels.size, dtype=bool) if sample_weight is None else np.asarray(sample_weight) > 0
    if int(present.sum()) != n_rows:
        raise ValueError("cv by indices takes no classes of weight 0: leave their rows out")
    masks = []
    for _, test in check_cv(cv).split(X, labels):
        out = np.zeros(labels.size, dtype=bool)
        out[test] = True
        masks.append(out[present])
    return tuple(masks)


_SMOOTHING = Rule(
    f"'auto', None, a str among {sorted(SMOOTHINGS)} or a smoothing with a method 'shares'",
    lambda v: (isinstance(v, str) and v == "auto") or is_smoothing(v),
)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AutoTreeClassifier(_AutoTree, TreeClassifier):
    """The best readable classification tree: method and size are chosen by cross-validation.

    Axis-parallel trees, regularised planes, OC1 and CE-DT are grown in every fold, each with all its sizes; the planes
    of the best are refined together; the smallest tree within `tolerance` of the best is fitted on all rows.

    Parameters
    ----------
    smoothing : "auto", None, "laplace", "m_estimate" or a smoothing, default="auto"
        How `predict_proba` estimates the shares of the classes in a leaf. "auto": as frequencies, by
        `askew.model.smoothing.Laplace` or by `askew.model.smoothing.MEstimate`, whichever has the least log loss on
        held-out rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from askew import AutoTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = AutoTreeClassifier(effort="low", random_state=0).fit(X, y)
    >>> tree.get_n_leaves()
    3
    """

    criterion: CriterionLike = "gini"
    smoothing: Smoothing | str | None = param("auto", _SMOOTHING)

    def _smoothed(self, tree: FittedTree) -> FittedTree:
        return tree if self._chooses_smoothing else super()._smoothed(tree)

    def _smoothed_again(self, tree: FittedTree) -> FittedTree:
        if self._chooses_smoothing:
            return smoothed(tree, as_smoothing(self.selection_.smoothing))
        return super()._smoothed_again(tree)

    @property
    def _chooses_smoothing(self) -> bool:
        return isinstance(self.smoothing, str) and self.smoothing == "auto"

    def _finish(self) -> Self:
        super()._finish()
        mass, tried = self.tree_.class_mass, bool(self.selection_.records) and self.max_leaves != 1
        if self.tree_.n_leaves == 1 and tried and (mass > 0).sum() > 1:
            (label,) = self.classes_[[mass.argmax()]].tolist()
            warn(
                f"AutoTreeClassifier chose a single leaf, which predicts {label!r} for every row: on held-out rows no "
                f"larger tree was better by tolerance={self.tolerance:g} standard errors. Set class_weight="
                "'balanced' if a class is rare, or scoring='roc_auc' and tolerance=0 to take what ranks best.",
                stacklevel=3,
            )
        return self


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AutoTreeRegressor(_AutoTree, TreeRegressor):
    """The best readable regression tree: method and size are chosen by cross-validation.

    Axis-parallel trees, regularised planes and trees with linear leaves (with `effort="high"` OC1 and CE-DT too) are
    grown in every fold, each with all its sizes; the planes of the best are refined together, unless linear leaves do
    best; the smallest tree within `tolerance` of the best is fitted on all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import AutoTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = AutoTreeRegressor(effort="low", max_leaves=4, random_state=0).fit(X, y)
    >>> tree.get_n_leaves() <= 4
    True
    """

    criterion: CriterionLike = "squared_error"
