"""The selection of a tree: candidates are tried, one is chosen by cross-validation, and fitted on all rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.grow import Node, Progress, Search, child_seed
from askew.grow.limits import Limits
from askew.model.leaf_values import Linear, class_shares
from askew.model.smoothing import SMOOTHINGS, as_smoothing, smoothed
from askew.model.split import Split
from askew.model.tree import Tree
from askew.selection.candidates import EFFORTS, Candidate, Effort, Growth, Setting
from askew.selection.cross_validation import Finals, Part, Race, folds_of
from askew.selection.leaderboard import Choice, evidence
from askew.selection.one_se_rule import Judge, RowLoss, Standings

_PARTS = 5  # held-out parts that the log loss is measured on: each row once or, where rows are many, some of them
_LEAST = np.finfo(np.float64).eps  # what a probability of 0 counts as


def best_smoothing(race: Race, setting: Setting) -> str | None:
    """Return the name of the smoothing whose probabilities are best on held-out rows; None for plain frequencies."""
    if not race.table.classification:
        return None
    tried: dict[str | None, float] = dict.fromkeys((None, *SMOOTHINGS), 0.0)
    for part in race.parts[:_PARTS]:
        tree, held_out = race.tree(setting, part), part.held_out
        if isinstance(tree.payload, Linear):
            return None
        for name in tried:
            tried[name] += float(held_out.weight @ log_loss(smoothed(tree, as_smoothing(name)), held_out))
    return min(tried, key=lambda name: tried[name])


def log_loss(tree: Tree, table: Table) -> NDArray[np.float64]:
    """Return minus the logarithm of the probability that a tree gives to the class of each row."""
    shares = class_shares(tree.outputs(table.X))
    return np.asarray(-np.log(np.maximum(shares[np.arange(table.n_rows), table.y], _LEAST)))


_GROWTH_OF_SIZES = (1, 1.5, 2, 4, 8, 16)  # leaves of what is refined, in multiples of the number of classes
_MOST_REFINED, _ROWS_OF_REFINED = 256, 40  # leaves of what is refined, at most, and rows of each, at least
_ROWS_OF_REPEAT = 25  # one repetition of the folds for so many rows, at most: fewer rows give little new evidence
_MIN_SPLIT = {True: 5, False: 10}  # least rows of a node that is split: classification, regression
_MIN_LEAF, _ROWS_OF_MIN_LEAF = 5, 75  # least rows of a leaf: 5, or a 75th of all rows if that is fewer


@dataclass(frozen=True)
class BestTree:
    """Tries candidates and sizes by cross-validation, and grows the tree of the best.

    Attributes
    ----------
    candidates : what is tried
    effort : how much is tried
    tolerance : standard errors that a smaller tree may be worse
    max_leaves : leaves of the tree, at most
    folds : number of folds; None: by effort; or masks of the rows that are held out together
    judge : what losses are
    time_limit : seconds after which nothing new is tried
    keep_zeros : whether a refined plane tests no other features than it was grown with
    smooths : whether the leaves get the probabilities that are best on held-out rows
    tell : called with the evidence
    """

    candidates: tuple[Candidate, ...]
    effort: Effort = EFFORTS["medium"]
    tolerance: float = 1.0
    max_leaves: float = np.inf
    folds: int | tuple[NDArray[np.bool_], ...] | None = None
    judge: Judge = field(default_factory=RowLoss)
    time_limit: float = np.inf
    keep_zeros: bool = False
    smooths: bool = False
    tell: Callable[[Choice], None] | None = None

    def find(self, node: Node, criterion: Criterion, seed: int) -> Split | None:
        """Return the split of the first candidate: the choice is of whole trees."""
        return self.candidates[0].search.find(node, criterion, seed)

    def each(self, change: Callable[[Search], Search]) -> BestTree:
        """Return the same with another search in the place of each candidate's."""
        return replace(self, candidates=tuple(replace(c, search=change(c.search)) for c in self.candidates))

    def grow(
        self,
        table: Table,
        criterion: Criterion,
        limits: Limits,
        seed: int,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> Tree:
        """Choose by cross-validation; fit the choice on all rows."""
        growth = Growth(criterion, _coarser(limits, table), limits, seed, self.keep_zeros)
        deadline = monotonic() + self.time_limit

        def new_race(rows: Table) -> Race:
            return Race(rows, growth, self.judge, self._parts(rows, seed), threads, self.max_leaves, deadline)

        candidates: Sequence[Candidate] = self.candidates
        n = float(table.multiplicity.sum())
        if n > self.effort.sample and len(candidates) > 2 and not isinstance(self.folds, tuple):
            trial = new_race(table.take(table.places(child_seed(seed, 0)) < self.effort.sample / n))
            trial.grow(candidates, _share(progress, 0.0, 0.2))
            candidates = best_candidates(trial.standings())[:2] or candidates
        race = new_race(table)
        race.grow(candidates, _share(progress, 0.2, 0.5))
        if not race.entries:  # one row, or rows that are all equal
            setting = Setting(self.candidates[0], int(min(self.max_leaves, 2**31)))
            return setting.fit(table, growth, threads, progress)
        race.refine(self._to_refine(race, n), self.effort.penalties, _share(progress, 0.5, 0.8))
        Finals(race, self._more_parts(race, seed)).run(self.tolerance, _share(progress, 0.8, 0.95))
        standings = race.standings()
        chosen = standings.chosen(self.tolerance)
        smoothing = best_smoothing(race, chosen.setting) if self.smooths else None
        if self.tell is not None:
            told = evidence(standings, chosen, table, self.judge, finished=not race.over)
            self.tell(replace(told, smoothing=smoothing))
        tree = chosen.setting.fit(table, growth, threads, _share(progress, 0.95, 1.0))
        return smoothed(tree, as_smoothing(smoothing)) if self.smooths else tree

    def _parts(self, table: Table, seed: int) -> list[Part]:
        if isinstance(self.folds, tuple):
            return [Part(number, table, out) for number, out in enumerate(self.folds) if out.any() and not out.all()]
        folds, n = self._n_folds, _samples(table)
        if n > self.effort.held_out:
            return folds_of(table, seed, folds, min(folds, max(2, ceil(folds * self.effort.held_out / n))))
        return folds_of(table, seed, folds, folds * self._repeats(table, self.effort.held_out / n))

    def _more_parts(self, race: Race, seed: int) -> list[Part]:
        """Return further repetitions of the folds, for the best, where rows are few."""
        table, n = race.table, _samples(race.table)
        if isinstance(self.folds, tuple) or n > self.effort.held_out:
            return []
        repeats = self._repeats(table, self.effort.values / (n * table.n_features))
        return folds_of(table, seed, self._n_folds, self._n_folds * repeats)[len(race.parts) :]

    @property
    def _n_folds(self) -> int:
        return self.folds if isinstance(self.folds, int) else self.effort.folds

    def _repeats(self, table: Table, most: float) -> int:
        """Return how often all folds are drawn: each row is held out as often as the others."""
        return max(1, min(self.effort.repeats, ceil(_samples(table) / _ROWS_OF_REPEAT), int(most)))

    def _to_refine(self, race: Race, n: float) -> list[Setting]:
        """Return what is refined: trees of the best candidates, of several sizes.

        Nothing, if linear leaves do best: planes between constants come nowhere near.
        """
        starts = 1 if n > self.effort.sample else self.effort.starts
        found: list[Setting] = []
        standings = race.standings()
        if standings.best().setting.candidate.leaf_model == "linear":
            return found
        for candidate in _of_different_searches(best_candidates(standings))[:starts]:
            own = [e for e in race.entries if e.setting.candidate == candidate]
            best = min(own, key=lambda e: (round(standings.mean(e.loss), 12), e.size)).setting.max_leaves
            least = max(2, race.table.n_classes)
            more = min(2 * best, int(n / _ROWS_OF_REFINED))
            largest = min(own[-1].setting.max_leaves, max(4 * least, more), _MOST_REFINED)
            sizes = {min(int(least * factor), largest) for factor in _GROWTH_OF_SIZES}
            found += [Setting(candidate, size) for size in sorted(sizes - {1})]
        return found


def best_candidates(standings: Standings) -> list[Candidate]:
    """Return the candidates, best first, each judged at the size that suits it."""
    least: dict[str, tuple[float, Candidate]] = {}
    for entry in standings.entries:
        candidate, loss = entry.setting.candidate, standings.mean(entry.loss)
        if candidate.name not in least or loss < least[candidate.name][0]:
            least[candidate.name] = loss, candidate
    return [candidate for _, candidate in sorted(least.values(), key=lambda pair: pair[0])]


def _of_different_searches(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the first candidate of every kind of search, of those whose leaves are constant."""
    kinds: dict[type, Candidate] = {}
    for candidate in candidates:
        if candidate.leaf_model == "constant":
            kinds.setdefault(type(candidate.search), candidate)
    return list(kinds.values())


def _samples(table: Table) -> float:
    return max(float(table.multiplicity.sum()), 1.0)


def _coarser(limits: Limits, table: Table) -> Limits:
    """Return the limits with larger least nodes: smaller ones are pruned away, or judged by a row or two."""
    rows = min(_MIN_LEAF, table.multiplicity.sum() // _ROWS_OF_MIN_LEAF)
    return replace(
        limits,
        min_samples_leaf=max(limits.min_samples_leaf, rows),
        min_samples_split=max(limits.min_samples_split, _MIN_SPLIT[table.classification]),
    )


def _share(progress: Progress | None, low: float, high: float) -> Progress | None:
    """Return the progress of a part of the work."""
    return None if progress is None else lambda done: progress(low + (high - low) * done)
