"""`select_tree`: try candidates and sizes by cross-validation, choose one, and fit it on all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.grow import child_seed
from askew.grow.limits import Limits
from askew.model.leaf_values import class_shares
from askew.model.smoothing import SMOOTHINGS, as_smoothing, smoothed
from askew.model.tree import Tree
from askew.parallel import Progress
from askew.selection.candidates import EFFORTS, Candidate, CandidateGrower, Effort, Setting
from askew.selection.cross_validation import CrossValidation, FoldPlan, n_samples
from askew.selection.leaderboard import Leaderboard, make_leaderboard
from askew.selection.one_se_rule import LossFunction, Results, RowLoss

_SMOOTHING_FOLDS = 5  # folds that the log loss is measured on
_LEAST_PROBABILITY = np.finfo(np.float64).eps  # stands for a probability of 0 in the log loss
_REFINED_SIZES = (1, 1.5, 2, 4, 8, 16)  # leaves of the trees that are refined, in multiples of the number of classes
_MOST_REFINED_LEAVES, _ROWS_PER_REFINED_LEAF = 256, 40  # most leaves of these trees, and least rows of each
_MIN_SPLIT = {True: 5, False: 10}  # least rows of a node that is split: classification, regression
_MIN_LEAF, _ROWS_PER_MIN_LEAF = 5, 75  # least rows of a leaf: 5, or a 75th of all rows if that is fewer


@dataclass(frozen=True)
class SelectionRecipe:
    """The steps that select a tree: candidates, folds and the rule of selection.

    Attributes
    ----------
    candidates : tuple of Candidate
        The ways to grow a tree that are tried.
    criterion : Criterion
        Scores splits.
    limits : Limits
        When a node becomes a leaf.
    effort : Effort
        Number of folds and refinements.
    tolerance : float
        Standard errors by which a smaller tree may be worse.
    max_leaves : float
        Most leaves of the tree.
    folds : int, tuple of ndarray of bool or None
        Number of folds, None for that of `effort`; or, for each fold, a mask of the rows that are held out.
    loss : LossFunction
        Loss on held-out rows.
    time_limit : float
        Seconds after which no further candidate is evaluated.
    keep_zeros : bool
        Whether a refined plane tests no other features than it was grown with.
    smooth : bool
        Whether to choose the smoothing of the probabilities, too.
    """

    candidates: tuple[Candidate, ...]
    criterion: Criterion
    limits: Limits
    effort: Effort = EFFORTS["medium"]
    tolerance: float = 1.0
    max_leaves: float = np.inf
    folds: int | tuple[NDArray[np.bool_], ...] | None = None
    loss: LossFunction = field(default_factory=RowLoss)
    time_limit: float = np.inf
    keep_zeros: bool = False
    smooth: bool = False

    def grow(self, table: Table, seed: int, threads: int = 1, progress: Progress | None = None) -> Tree:
        """Select a tree, without its leaderboard, for a pruner that grows more trees."""
        return select_tree(table, self, seed, threads, progress).tree


@dataclass(frozen=True)
class Selection:
    """The chosen tree, fitted on all rows, and the leaderboard it was chosen from (empty if nothing was evaluated)."""

    tree: Tree
    leaderboard: Leaderboard


def select_tree(
    table: Table, recipe: SelectionRecipe, seed: int, threads: int = 1, progress: Progress | None = None
) -> Selection:
    """Choose a candidate and a size by cross-validation, and fit it on all rows.

    Parameters
    ----------
    table : Table
        The rows.
    recipe : SelectionRecipe
        Candidates, and the rule that selects among them.
    seed : int
        Seed of the folds and of the trees.
    threads : int
        Number of threads; the tree does not depend on it.
    progress : callable or None
        Called with the share of the work that is done.

    Returns
    -------
    selection : Selection
        The tree and the leaderboard.
    """
    grower = CandidateGrower(recipe.criterion, _coarser(recipe.limits, table), recipe.limits, seed, recipe.keep_zeros)
    plan = FoldPlan(recipe.effort, recipe.folds, seed)
    deadline = monotonic() + recipe.time_limit

    def new_cv(rows: Table) -> CrossValidation:
        return CrossValidation(rows, grower, recipe.loss, plan.first(rows), threads, recipe.max_leaves, deadline)

    n, tried = n_samples(table), list(recipe.candidates)
    if n > recipe.effort.sample and len(tried) > 2 and not isinstance(recipe.folds, tuple):
        screening = new_cv(table.take(table.positions(child_seed(seed, 0)) < recipe.effort.sample / n))
        screening.grow(tried, _part(progress, 0.0, 0.2))
        tried = best_candidates(screening.results())[:2] or tried
    cv = new_cv(table)
    cv.grow(tried, _part(progress, 0.2, 0.5))
    if not cv.entries:  # one row, or rows that are all equal
        largest = Setting(recipe.candidates[0], int(min(recipe.max_leaves, 2**31)))
        return Selection(largest.fit(table, grower, threads, progress), Leaderboard(()))
    cv.refine(_to_refine(cv, recipe.effort), recipe.effort.penalties, _part(progress, 0.5, 0.8))
    cv.reevaluate(plan.more(table, len(cv.folds)), recipe.tolerance, _part(progress, 0.8, 0.95))
    return _fit_chosen(cv, recipe, threads, _part(progress, 0.95, 1.0))


def _fit_chosen(cv: CrossValidation, recipe: SelectionRecipe, threads: int, progress: Progress | None) -> Selection:
    """Choose by the k-standard-error rule, and fit the choice on all rows."""
    results = cv.results()
    chosen = results.chosen(recipe.tolerance)
    smoothing = best_smoothing(cv, chosen.setting) if recipe.smooth else None
    leaderboard = make_leaderboard(results, chosen, cv.table, cv.loss, finished=not cv.time_is_up, smoothing=smoothing)
    tree = chosen.setting.fit(cv.table, cv.grower, threads, progress)
    return Selection(smoothed(tree, as_smoothing(smoothing)) if recipe.smooth else tree, leaderboard)


def best_candidates(results: Results) -> list[Candidate]:
    """Return the candidates by the loss of their best size, the least first."""
    least: dict[str, tuple[float, Candidate]] = {}
    for entry in results.entries:
        candidate, loss = entry.setting.candidate, results.mean(entry.loss)
        if candidate.name not in least or loss < least[candidate.name][0]:
            least[candidate.name] = loss, candidate
    return [candidate for _, candidate in sorted(least.values(), key=lambda pair: pair[0])]


def _to_refine(cv: CrossValidation, effort: Effort) -> list[Setting]:
    """Return the trees to refine: those of the best candidates, of several sizes.

    Nothing if linear leaves do best: refined trees, whose leaves are constant, are much less accurate then.
    """
    n, results = n_samples(cv.table), cv.results()
    if results.best().setting.candidate.leaf_model == "linear":
        return []
    settings: list[Setting] = []
    n_candidates = 1 if n > effort.sample else effort.starts
    for candidate in _one_per_search(best_candidates(results))[:n_candidates]:
        entries = [entry for entry in cv.entries if entry.setting.candidate == candidate]
        best = replace(results, entries=entries).best().setting.max_leaves
        least = max(2, cv.table.n_classes)
        more = min(2 * best, int(n / _ROWS_PER_REFINED_LEAF))
        most = min(entries[-1].setting.max_leaves, max(4 * least, more), _MOST_REFINED_LEAVES)
        sizes = {min(int(least * factor), most) for factor in _REFINED_SIZES}
        settings += [Setting(candidate, size) for size in sorted(sizes - {1})]
    return settings


def _one_per_search(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the first candidate of every class of searches, among those whose leaves are constant."""
    first: dict[type, Candidate] = {}
    for candidate in candidates:
        if candidate.leaf_model == "constant":
            first.setdefault(type(candidate.search), candidate)
    return list(first.values())


def best_smoothing(cv: CrossValidation, setting: Setting) -> str | None:
    """Return the name of the smoothing of least log loss on held-out rows; None for plain frequencies."""
    if not cv.table.classification:
        return None
    loss: dict[str | None, float] = dict.fromkeys((None, *SMOOTHINGS), 0.0)
    for fold in cv.folds[:_SMOOTHING_FOLDS]:
        tree, held_out = cv.tree(setting, fold), fold.held_out
        if tree.payload.varies:
            return None
        for name in loss:
            loss[name] += float(held_out.weight @ log_loss(smoothed(tree, as_smoothing(name)), held_out))
    return min(loss, key=lambda name: loss[name])


def log_loss(tree: Tree, table: Table) -> NDArray[np.float64]:
    """Return the log loss of each row: minus the logarithm of the probability that a tree gives to its class."""
    shares = class_shares(tree.outputs(table.X))
    return np.asarray(-np.log(np.maximum(shares[np.arange(table.n_rows), table.y], _LEAST_PROBABILITY)))


def _coarser(limits: Limits, table: Table) -> Limits:
    """Return the limits with larger least sizes of nodes: smaller nodes are pruned, or evaluated on a row or two."""
    rows = min(_MIN_LEAF, table.multiplicity.sum() // _ROWS_PER_MIN_LEAF)
    return replace(
        limits,
        min_samples_leaf=max(limits.min_samples_leaf, rows),
        min_samples_split=max(limits.min_samples_split, _MIN_SPLIT[table.classification]),
    )


def _part(progress: Progress | None, low: float, high: float) -> Progress | None:
    """Return the progress of a part of the work."""
    return None if progress is None else lambda done: progress(low + (high - low) * done)
