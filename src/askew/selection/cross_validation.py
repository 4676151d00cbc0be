"""Cross-validation of candidates: a tree in each fold gives all smaller sizes; the best are evaluated again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from time import monotonic
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.grow import child_seed
from askew.model.tree import Tree
from askew.parallel import Progress, in_threads
from askew.parallel import part as part_of
from askew.prune.cost_complexity import PruningPath
from askew.selection.candidates import Candidate, CandidateGrower, Effort, Setting, n_weighted_features
from askew.selection.one_se_rule import Entry, LossFunction, Results

_T = TypeVar("_T")

# The numbers of leaves that are compared: all up to eight, then in growing steps.
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512, 1024)

# How many refinements are kept after the first folds: one in four, but four at least.
_KEPT_ONE_IN = 4
_KEPT_AT_LEAST = 4

_ROWS_PER_REPEAT = 25  # the folds are repeated at most once for this many rows: with fewer, repetitions add little


@dataclass(frozen=True, eq=False)
class Fold:
    """A division of the rows of a table: those that are held out, and those that trees are grown on.

    Attributes
    ----------
    number : int
        Number of the fold, over all repetitions.
    table : Table
        All rows.
    mask : ndarray of bool
        Whether each row is held out.
    """

    number: int
    table: Table
    mask: NDArray[np.bool_]

    @property
    def training(self) -> Table:
        """The rows that trees are grown on (a copy each time, to hold few of them in memory)."""
        return self.table.take(~self.mask)

    @property
    def held_out(self) -> Table:
        """The other rows (a copy each time)."""
        return self.table.take(self.mask)


def make_folds(table: Table, seed: int, n_folds: int, n: int) -> list[Fold]:
    """Divide the rows into folds, and again, until there are n of them; equal rows are held out together."""
    made: list[Fold] = []
    for repeat in range(-(-n // n_folds)):
        fold = table.folds(child_seed(seed, repeat), n_folds)
        for number in range(min(n_folds, n - repeat * n_folds)):
            mask = fold == number
            if mask.any() and not mask.all():
                made.append(Fold(len(made), table, mask))
    return made


@dataclass(frozen=True)
class FoldPlan:
    """The number of folds, and of their repetitions.

    Attributes
    ----------
    effort : Effort
        Number of rows that are held out in all.
    folds : int, tuple of ndarray of bool or None
        Number of folds, None for that of `effort`; or, for each fold, a mask of the rows that are held out.
    seed : int
        Seed of the division.
    """

    effort: Effort
    folds: int | tuple[NDArray[np.bool_], ...] | None
    seed: int

    def first(self, table: Table) -> list[Fold]:
        """Return the folds that all candidates are evaluated on."""
        if isinstance(self.folds, tuple):
            return [Fold(i, table, mask) for i, mask in enumerate(self.folds) if mask.any() and not mask.all()]
        n_folds, n = self.n_folds, n_samples(table)
        if n > self.effort.held_out:
            return make_folds(table, self.seed, n_folds, min(n_folds, max(2, ceil(n_folds * self.effort.held_out / n))))
        return make_folds(table, self.seed, n_folds, n_folds * self._repeats(table, self.effort.held_out / n))

    def more(self, table: Table, n_first: int) -> list[Fold]:
        """Return the folds that the best are evaluated on after the first: repetitions, where rows are few."""
        n = n_samples(table)
        if isinstance(self.folds, tuple) or n > self.effort.held_out:
            return []
        repeats = self._repeats(table, self.effort.values / (n * table.n_features))
        return make_folds(table, self.seed, self.n_folds, self.n_folds * repeats)[n_first:]

    @property
    def n_folds(self) -> int:
        """The number of folds of one repetition."""
        return self.folds if isinstance(self.folds, int) else self.effort.folds

    def _repeats(self, table: Table, most: float) -> int:
        """Return the number of repetitions: complete ones, so that all rows are held out equally often."""
        return max(1, min(self.effort.repeats, ceil(n_samples(table) / _ROWS_PER_REPEAT), int(most)))


def n_samples(table: Table) -> float:
    """Return the number of samples of a table, 1 at least."""
    return max(float(table.multiplicity.sum()), 1.0)


@dataclass(frozen=True, eq=False)
class _Evaluation:
    """A tree on the held-out rows of a fold: its losses, and its size."""

    loss: NDArray[np.float64]
    leaves: int
    terms: int


@dataclass
class CrossValidation:
    """The folds of a table, and the settings that were evaluated on them.

    Attributes
    ----------
    table : Table
        All rows.
    grower : CandidateGrower
        How trees are grown.
    loss : LossFunction
        Loss on held-out rows.
    folds : sequence of Fold
        The divisions of the rows.
    threads : int
        Number of folds that are worked on at the same time.
    max_leaves : float
        No tree has more leaves.
    deadline : float
        Time, by `time.monotonic`, after which no new tree is begun.
    entries : list of Entry
        Settings that have been evaluated on all folds.
    """

    table: Table
    grower: CandidateGrower
    loss: LossFunction
    folds: Sequence[Fold]
    threads: int = 1
    max_leaves: float = np.inf
    deadline: float = np.inf
    entries: list[Entry] = field(default_factory=list)
    _paths: dict[tuple[str, int], PruningPath] = field(default_factory=dict)
    _refined_trees: dict[tuple[str, int, int], Tree] = field(default_factory=dict)

    @property
    def time_is_up(self) -> bool:
        """Whether the deadline has passed."""
        return monotonic() > self.deadline

    @property
    def sizes(self) -> list[int]:
        """The numbers of leaves that are compared."""
        below = [size for size in SIZES if size < self.max_leaves]
        return [*below, int(self.max_leaves)] if self.max_leaves <= SIZES[-1] else below

    @property
    def n_held_out(self) -> NDArray[np.float64]:
        """The number of times that each row is held out."""
        return np.asarray(sum((fold.mask for fold in self.folds), np.zeros(self.table.n_rows)))

    def results(self) -> Results:
        """Return the entries with the weights that their standard errors need.

        Repetitions add no rows: folds count as often as they would if each row were held out once.
        """
        times = self.n_held_out
        evaluated = times > 0
        n = float(self.table.multiplicity[evaluated].sum())
        if self.loss.by_row:
            return Results(self.entries, self.table.weight * evaluated, n)
        repeats = float(self.table.multiplicity @ times) / max(n, 1.0)
        return Results(self.entries, _fold_weights(self.folds), len(self.folds) / max(repeats, 1.0))

    def tree(self, setting: Setting, fold: Fold) -> Tree:
        """Return the tree of a setting, grown without the held-out rows. Several sizes may give the same tree."""
        path = self._path(setting.candidate, fold)
        if setting.penalty is None:
            return setting.finished(path, fold.training, self.grower)
        leaves = int(path.n_leaves[path.n_leaves <= setting.max_leaves].max())
        key = (setting.name, leaves, fold.number)
        if key not in self._refined_trees:
            self._refined_trees[key] = setting.finished(path, fold.training, self.grower)
        return self._refined_trees[key]

    def run_tasks(self, task: Callable[[int], _T], n: int, progress: Progress | None) -> list[_T]:
        """Run the tasks 0 to n - 1 in threads, and return their results in order."""
        done = 0

        def with_progress(number: int) -> _T:
            nonlocal done
            result = task(number)
            done += 1
            if progress is not None:
                progress(done / n)
            return result

        return in_threads(with_progress, n, self.threads)

    # --- grown trees

    def grow(self, candidates: Sequence[Candidate], progress: Progress | None = None) -> None:
        """Grow every candidate in every fold, and enter all its sizes; the first candidate even after the deadline."""
        pairs = [(candidate, fold) for candidate in candidates for fold in self.folds]

        def task(i: int) -> tuple[float, list[_Evaluation]] | None:
            if self.time_is_up and i >= len(self.folds):
                return None
            started = monotonic()
            evaluations = self._evaluate_sizes(*pairs[i])
            return monotonic() - started, evaluations

        done = self.run_tasks(task, len(pairs), progress)
        n = len(self.folds)
        for i, candidate in enumerate(candidates):
            finished = [result for result in done[i * n : (i + 1) * n] if result is not None]
            if finished and len(finished) == n:
                self._enter_sizes(candidate, [found for _, found in finished], sum(spent for spent, _ in finished))

    def _evaluate_sizes(self, candidate: Candidate, fold: Fold) -> list[_Evaluation]:
        """Grow a candidate in a fold, and evaluate each of `sizes` up to the first that holds all its leaves."""
        path, training, held_out, sizes = self._path(candidate, fold), fold.training, fold.held_out, self.sizes
        reached = sizes[: 1 + np.searchsorted(sizes, path.n_leaves[0])]
        leaves = [int(path.n_leaves[path.n_leaves <= size].max()) for size in reached]
        found: dict[int, _Evaluation] = {}  # by leaves; for a size that is not on the path, the next smaller one
        for size in dict.fromkeys(leaves):
            _core.check_interrupt()  # kernels check by themselves, but most of this loop is Python
            found[size] = self._evaluate(Setting(candidate, size).finished(path, training, self.grower), held_out)
        return [found[size] for size in leaves]

    def _enter_sizes(self, candidate: Candidate, by_fold: Sequence[list[_Evaluation]], seconds: float) -> None:
        for i, size in enumerate(self.sizes[: max(map(len, by_fold))]):
            # The largest tree of a fold stands for all larger sizes. A size that changes no fold's tree is left out.
            now, before = ([found[min(j, len(found) - 1)] for found in by_fold] for j in (i, max(i - 1, 0)))
            if i == 0 or any(a is not b for a, b in zip(now, before, strict=True)):
                self._enter(Setting(candidate, size), now, seconds)

    # --- refined trees

    def refine(self, settings: Sequence[Setting], penalties: Sequence[float], progress: Progress | None = None) -> None:
        """Refine the trees of these settings by successive halving, and enter those that remain.

        Each rung takes more folds and fewer settings: the first one with the middle penalty alone, the others with all.
        """
        middle = sorted(penalties)[(len(penalties) - 1) // 2]
        remaining = [replace(setting, penalty=middle) for setting in settings]
        found: dict[Setting, list[tuple[float, _Evaluation]]] = {}
        for rung, n_folds in enumerate(rungs := _rungs(len(self.folds))):
            if rung == 1:
                remaining = [replace(setting, penalty=penalty) for setting in remaining for penalty in penalties]
            share = None if progress is None else part_of(progress, rung, len(rungs))
            self._refine_in(n_folds, remaining, found, share)
            remaining = [setting for setting in remaining if len(found[setting]) == n_folds]
            if n_folds < len(self.folds):
                loss = {setting: self._mean([one.loss for _, one in found[setting]]) for setting in remaining}
                kept = max(_KEPT_AT_LEAST, -(-len(remaining) // _KEPT_ONE_IN))
                remaining = sorted(remaining, key=loss.__getitem__)[:kept]
        for setting in remaining:
            seconds = sum(spent for spent, _ in found[setting])
            self._enter(setting, [evaluation for _, evaluation in found[setting]], seconds)

    def _refine_in(
        self,
        n_folds: int,
        settings: Sequence[Setting],
        found: dict[Setting, list[tuple[float, _Evaluation]]],
        progress: Progress | None,
    ) -> None:
        """Add to `found` the evaluations in the first folds that are not there yet, until the deadline."""
        pairs = [
            (setting, fold) for setting in settings for fold in self.folds[len(found.setdefault(setting, [])) : n_folds]
        ]

        def task(i: int) -> tuple[float, _Evaluation] | None:
            if self.time_is_up:
                return None
            setting, fold = pairs[i]
            started = monotonic()
            evaluation = self._evaluate(self.tree(setting, fold), fold.held_out)
            return monotonic() - started, evaluation

        for (setting, _), result in zip(pairs, self.run_tasks(task, len(pairs), progress), strict=True):
            if result is not None:
                found[setting].append(result)

    def _mean(self, losses: Sequence[NDArray[np.float64]]) -> float:
        """Return the mean loss in the first folds."""
        weights = [self.table.weight[fold.mask] for fold in self.folds[: len(losses)]]
        if not self.loss.by_row:
            weights = [weight.sum(keepdims=True) for weight in weights]
        total = sum(float(loss @ weight) for loss, weight in zip(losses, weights, strict=True))
        return total / float(sum(weight.sum() for weight in weights))

    # --- the best, on more folds

    def reevaluate(self, folds: Sequence[Fold], tolerance: float, progress: Progress | None = None) -> None:
        """Evaluate the best entries on further folds too, and replace their losses by the means over all folds.

        The minimum of many estimates is biased: on other folds the best do worse. The losses of the other entries
        are raised by the largest such increase, so that these stay behind, and their differences stay the same.
        After the deadline nothing is changed.
        """
        if not folds:
            return
        results = self.results()
        best = shortlist(results, tolerance)

        def task(i: int) -> list[NDArray[np.float64]] | None:
            if self.time_is_up:
                return None
            held_out = folds[i].held_out
            return [self.loss.of(self.tree(entry.setting, folds[i]), held_out) for entry in best]

        done = [losses for losses in self.run_tasks(task, len(folds), progress) if losses is not None]
        if len(done) < len(folds):
            return
        now = {e.outcome: self._over_all(e, folds, [losses[i] for losses in done]) for i, e in enumerate(best)}
        increase = max(results.mean(now[entry.outcome]) - results.mean(entry.loss) for entry in best)
        self.entries = [
            replace(entry, loss=now.get(entry.outcome, entry.loss + max(increase, 0.0))) for entry in self.entries
        ]

    def _over_all(
        self, entry: Entry, folds: Sequence[Fold], losses: Sequence[NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return the mean loss of each row over all folds; or the losses of the first folds, moved to the mean of all.

        Parameters
        ----------
        entry : Entry
            With its losses in the first folds.
        folds : sequence of Fold
            The further folds.
        losses : sequence of ndarray
            The losses in these.
        """
        if not self.loss.by_row:
            first, more = _fold_weights(self.folds), _fold_weights(folds)
            mean = (first @ entry.loss + more @ np.concatenate(losses)) / (first.sum() + more.sum())
            return np.asarray(entry.loss + (mean - first @ entry.loss / first.sum()))
        times = self.n_held_out
        total, count = entry.loss * times, times.copy()
        for fold, loss in zip(folds, losses, strict=True):
            total[fold.mask] += loss
            count[fold.mask] += 1
        return np.asarray(total / np.maximum(count, 1))

    # --- one tree

    def _path(self, candidate: Candidate, fold: Fold) -> PruningPath:
        key = (candidate.name, fold.number)
        if key not in self._paths:
            self._paths[key] = self.grower.path(candidate, fold.training)
        return self._paths[key]

    def _evaluate(self, tree: Tree, held_out: Table) -> _Evaluation:
        return _Evaluation(self.loss.of(tree, held_out), tree.n_leaves, n_weighted_features(tree))

    def _enter(self, setting: Setting, evaluations: Sequence[_Evaluation], seconds: float) -> None:
        """Add an entry: the evaluations of a setting in all folds."""
        if self.loss.by_row:
            total, count = np.zeros(self.table.n_rows), np.zeros(self.table.n_rows)
            for fold, evaluation in zip(self.folds, evaluations, strict=True):
                total[fold.mask] += evaluation.loss
                count[fold.mask] += 1
            loss = total / np.maximum(count, 1)
        else:
            loss = np.concatenate([evaluation.loss for evaluation in evaluations])
        leaves = float(np.mean([evaluation.leaves for evaluation in evaluations]))
        terms = float(np.mean([evaluation.terms for evaluation in evaluations]))
        self.entries.append(Entry(setting, loss, leaves, terms, seconds))


def _fold_weights(folds: Sequence[Fold]) -> NDArray[np.float64]:
    """Return the weight of the held-out rows of each fold."""
    return np.array([fold.table.weight[fold.mask].sum() for fold in folds])


def _rungs(n: int) -> list[int]:
    """Return after how many folds settings are discarded: a fifth, a half, and all."""
    return sorted({-(-n // 5), max(n // 2, min(n, 2)), n})


SHORTLIST_SIZE = 4  # entries of least loss that are evaluated on more folds, besides the one that would be chosen


def shortlist(results: Results, tolerance: float) -> list[Entry]:
    """Return the best entries, equal trees once, and the one that would be chosen."""
    ranked = results.ranked()
    first = {entry.outcome: entry for entry in reversed(ranked)}
    best = [entry for entry in ranked if first[entry.outcome] is entry][:SHORTLIST_SIZE]
    chosen = results.chosen(tolerance)
    return best if chosen.outcome in [entry.outcome for entry in best] else [*best, chosen]
