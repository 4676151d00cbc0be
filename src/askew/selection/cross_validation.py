"""Candidates x folds: each tree gives every smaller size by its pruning path; the best are judged on more folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.data.table import Table
from askew.grow.grow import Progress, child_seed
from askew.model.tree import Tree
from askew.parallel import in_threads
from askew.parallel import part as part_of
from askew.prune.cost_complexity import PruningPath
from askew.selection.candidates import Candidate, Growth, Setting, terms_of
from askew.selection.one_se_rule import Entry, Judge, Standings

_T = TypeVar("_T")

# The numbers of leaves that are compared: all up to eight, then ever fewer.
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512, 1024)

# How many refinements are kept after the first folds: one in four, but four at least.
_KEPT_ONE_IN = 4
_KEPT_AT_LEAST = 4


@dataclass(frozen=True, eq=False)
class Part:
    """Rows that are held out together; trees are grown on the others."""

    number: int
    table: Table
    out: NDArray[np.bool_]

    @property
    def growing(self) -> Table:
        """The rows that trees are grown on (a copy, made anew: not all folds are kept)."""
        return self.table.take(~self.out)

    @property
    def held_out(self) -> Table:
        """The other rows (a copy)."""
        return self.table.take(self.out)


def folds_of(table: Table, seed: int, folds: int, n: int) -> list[Part]:
    """Divide the rows in folds, as often as needed for n parts; equal rows are held out together."""
    parts: list[Part] = []
    for repeat in range(-(-n // folds)):
        fold = np.floor(table.places(child_seed(seed, repeat)) * folds)
        for number in range(min(folds, n - repeat * folds)):
            out = fold == number
            if out.any() and not out.all():
                parts.append(Part(len(parts), table, out))
    return parts


@dataclass
class Race:
    """The folds of a table, and the entries that were tried on them.

    Attributes
    ----------
    table, growth : what trees are grown on, and how
    judge : what losses are
    parts : the rows that are held out together
    max_leaves : no entry has more leaves
    deadline : time, by the clock of `time.monotonic`, after which nothing new is begun
    """

    table: Table
    growth: Growth
    judge: Judge
    parts: Sequence[Part]
    threads: int = 1
    max_leaves: float = np.inf
    deadline: float = np.inf
    entries: list[Entry] = field(default_factory=list)
    _paths: dict[tuple[str, int], PruningPath] = field(default_factory=dict)
    _trees: dict[tuple[str, int, int], Tree] = field(default_factory=dict)  # those that were refined

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return monotonic() > self.deadline

    @property
    def sizes(self) -> list[int]:
        """The numbers of leaves that are compared."""
        below = [size for size in SIZES if size < self.max_leaves]
        return [*below, int(self.max_leaves)] if self.max_leaves <= SIZES[-1] else below

    @property
    def times(self) -> NDArray[np.float64]:
        """How often each row is held out."""
        return np.asarray(sum((part.out for part in self.parts), np.zeros(self.table.n_rows)))

    def standings(self) -> Standings:
        """Return the entries as the rule of choice takes them.

        Rows that are held out again are no new rows: parts count as often as they would if each row were held out once.
        """
        times = self.times
        judged = times > 0
        n = float(self.table.multiplicity[judged].sum())
        if self.judge.by_row:
            return Standings(self.entries, self.table.weight * judged, n)
        weight = np.array([self.table.weight[part.out].sum() for part in self.parts])
        repeats = float(self.table.multiplicity @ times) / max(n, 1.0)
        return Standings(self.entries, weight, len(self.parts) / max(repeats, 1.0))

    # --- what is tried

    def grow(self, candidates: Sequence[Candidate], progress: Progress | None = None) -> None:
        """Grow every candidate in every fold, and enter every size of it; one at least, whatever the time."""
        wanted = [(candidate, part) for candidate in candidates for part in self.parts]

        def task(at: int) -> tuple[float, list[_Outcome]] | None:
            candidate, part = wanted[at]
            if self.over and at >= len(self.parts):
                return None
            started = monotonic()
            path, growing, held_out, sizes = self._path(candidate, part), part.growing, part.held_out, self.sizes
            found: dict[int, _Outcome] = {}  # by leaves; a size that is not on the path is the next smaller one
            reached = sizes[: 1 + np.searchsorted(sizes, path.n_leaves[0])]
            leaves = [int(path.n_leaves[path.n_leaves <= size].max()) for size in reached]
            for size in dict.fromkeys(leaves):
                _core.check_interrupt()  # kernels check by themselves, but most of this loop is Python
                tree = Setting(candidate, size).finished(path, growing, self.growth)
                found[size] = self._judged(tree, held_out)
            return monotonic() - started, [found[size] for size in leaves]

        results = self.in_turn(task, len(wanted), progress)
        for at, candidate in enumerate(candidates):
            own = [r for r in results[at * len(self.parts) : (at + 1) * len(self.parts)] if r is not None]
            if not own or len(own) < len(self.parts):
                continue
            seconds, most = sum(s for s, _ in own), max(len(found) for _, found in own)
            for i, size in enumerate(self.sizes[:most]):
                # A tree of fewer leaves stands for all larger sizes: where that holds in all folds, nothing is new.
                now, before = ([found[min(at, len(found) - 1)] for _, found in own] for at in (i, max(i - 1, 0)))
                if i == 0 or any(a is not b for a, b in zip(now, before, strict=True)):
                    self._enter(Setting(candidate, size), now, seconds)

    def refine(self, settings: Sequence[Setting], penalties: Sequence[float], progress: Progress | None = None) -> None:
        """Refine the trees of these settings, in more and more folds of fewer and fewer; enter those that are left.

        In the first folds with a middle penalty alone; those that are left then, with each.
        """
        middle = sorted(penalties)[(len(penalties) - 1) // 2]
        left = [replace(setting, penalty=middle) for setting in settings]
        found: dict[Setting, list[tuple[float, _Outcome]]] = {}
        for rung, upto in enumerate(rungs := _rungs(len(self.parts))):
            if rung == 1:
                left = [replace(setting, penalty=penalty) for setting in left for penalty in penalties]
            told = None if progress is None else part_of(progress, rung, len(rungs))
            self._refine_upto(left, upto, found, told)
            left = [setting for setting in left if len(found[setting]) == upto]
            if upto < len(self.parts):
                loss = {setting: self._mean([outcome.loss for _, outcome in found[setting]]) for setting in left}
                left = sorted(left, key=loss.__getitem__)[: max(_KEPT_AT_LEAST, -(-len(left) // _KEPT_ONE_IN))]
        for setting in left:
            seconds = sum(spent for spent, _ in found[setting])
            self._enter(setting, [outcome for _, outcome in found[setting]], seconds)

    def _refine_upto(
        self,
        settings: Sequence[Setting],
        upto: int,
        found: dict[Setting, list[tuple[float, _Outcome]]],
        progress: Progress | None,
    ) -> None:
        """Refine the trees of these settings in the first folds, those that are new; as many as there is time for."""
        wanted = [
            (setting, part) for setting in settings for part in self.parts[len(found.setdefault(setting, [])) : upto]
        ]

        def task(at: int) -> tuple[float, _Outcome] | None:
            setting, part = wanted[at]
            if self.over:
                return None
            started = monotonic()
            outcome = self._judged(self.tree(setting, part), part.held_out)
            return monotonic() - started, outcome

        for (setting, _), result in zip(wanted, self.in_turn(task, len(wanted), progress), strict=True):
            if result is not None:
                found[setting].append(result)

    def _mean(self, losses: Sequence[NDArray[np.float64]]) -> float:
        """Return the mean loss in the first parts."""
        weights = [self.table.weight[part.out] for part in self.parts[: len(losses)]]
        if not self.judge.by_row:
            weights = [weight.sum(keepdims=True) for weight in weights]
        total = sum(float(loss @ weight) for loss, weight in zip(losses, weights, strict=True))
        return total / float(sum(weight.sum() for weight in weights))

    def in_turn(self, task: Callable[[int], _T], n: int, progress: Progress | None) -> list[_T]:
        """Do all tasks, in threads."""
        done = 0

        def told(number: int) -> _T:
            nonlocal done
            result = task(number)
            done += 1
            if progress is not None:
                progress(done / n)
            return result

        return in_threads(told, n, self.threads)

    def tree(self, setting: Setting, part: Part) -> Tree:
        """Return the tree of a setting, grown without the rows of a part. Several sizes may have the same."""
        path = self._path(setting.candidate, part)
        if setting.penalty is None:
            return setting.finished(path, part.growing, self.growth)
        leaves = int(path.n_leaves[path.n_leaves <= setting.max_leaves].max())
        key = (setting.name, leaves, part.number)
        if key not in self._trees:
            self._trees[key] = setting.finished(path, part.growing, self.growth)
        return self._trees[key]

    def _path(self, candidate: Candidate, part: Part) -> PruningPath:
        key = (candidate.name, part.number)
        if key not in self._paths:
            self._paths[key] = self.growth.path(candidate, part.growing)
        return self._paths[key]

    def _judged(self, tree: Tree, held_out: Table) -> _Outcome:
        return _Outcome(self.judge.loss(tree, held_out), tree.n_leaves, terms_of(tree))

    def _enter(self, setting: Setting, outcomes: Sequence[_Outcome], seconds: float) -> None:
        if self.judge.by_row:
            total, count = np.zeros(self.table.n_rows), np.zeros(self.table.n_rows)
            for part, outcome in zip(self.parts, outcomes, strict=True):
                total[part.out] += outcome.loss
                count[part.out] += 1
            loss = total / np.maximum(count, 1)
        else:
            loss = np.concatenate([outcome.loss for outcome in outcomes])
        leaves = float(np.mean([outcome.leaves for outcome in outcomes]))
        terms = float(np.mean([outcome.terms for outcome in outcomes]))
        self.entries.append(Entry(setting, loss, leaves, terms, seconds))


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What came of a tree on the rows of a part."""

    loss: NDArray[np.float64]
    leaves: int
    terms: int


def _rungs(n: int) -> list[int]:
    """Return after how many parts the worse settings are left out: a fifth, a half, and all."""
    return sorted({-(-n // 5), max(n // 2, min(n, 2)), n})


FINALISTS = 4  # entries of least loss that are judged again; the one that would be chosen is judged again, too


@dataclass(frozen=True)
class Finals:
    """Further parts, and the race whose best are judged on them."""

    race: Race
    parts: Sequence[Part]

    def run(self, tolerance: float, progress: Progress | None = None) -> None:
        """Put the means over all parts in the place of the finalists' losses, unless the time is up before.

        The best of many are lucky: on other parts they do worse. What was not in the finals is set back by as much as
        the finalist that lost most, so that it stays behind them; the differences among the others stay.
        """
        if not self.parts:
            return
        standings = self.race.standings()
        finalists = finalists_of(standings, tolerance)

        def task(at: int) -> list[NDArray[np.float64]] | None:
            if self.race.over:
                return None
            part, held_out = self.parts[at], self.parts[at].held_out
            return [self.race.judge.loss(self.race.tree(entry.setting, part), held_out) for entry in finalists]

        results = self.race.in_turn(task, len(self.parts), progress)
        judged = [result for result in results if result is not None]
        if len(judged) < len(self.parts):
            return
        now = {e.result: self._loss(e, [losses[i] for losses in judged]) for i, e in enumerate(finalists)}
        lost = max(standings.mean(now[entry.result]) - standings.mean(entry.loss) for entry in finalists)
        self.race.entries = [
            replace(entry, loss=now.get(entry.result, entry.loss + max(lost, 0.0))) for entry in self.race.entries
        ]

    def _loss(self, entry: Entry, losses: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the loss of each row over all parts; of parts, those of the race, moved to the mean of all."""
        table = self.race.table
        if not self.race.judge.by_row:
            first, more = (
                np.array([table.weight[part.out].sum() for part in parts]) for parts in (self.race.parts, self.parts)
            )
            mean = (first @ entry.loss + more @ np.concatenate(losses)) / (first.sum() + more.sum())
            return np.asarray(entry.loss + (mean - first @ entry.loss / first.sum()))
        times = self.race.times
        total, count = entry.loss * times, times.copy()
        for part, loss in zip(self.parts, losses, strict=True):
            total[part.out] += loss
            count[part.out] += 1
        return np.asarray(total / np.maximum(count, 1))


def finalists_of(standings: Standings, tolerance: float) -> list[Entry]:
    """Return the best entries, those of equal trees once, and the one that would be chosen."""
    ranked = sorted(standings.entries, key=lambda e: (round(standings.mean(e.loss), 12), e.size))
    found = {entry.result: entry for entry in reversed(ranked)}
    best = [entry for entry in ranked if found[entry.result] is entry][:FINALISTS]
    chosen = standings.chosen(tolerance)
    return best if chosen.result in [entry.result for entry in best] else [*best, chosen]
