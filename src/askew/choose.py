"""The choice of a recipe and a size by cross-validation: what `AutoTreeClassifier` and `AutoTreeRegressor` do.

candidates x folds    a tree is grown once in each fold, and its pruning path gives every smaller size
the best few          are refined in each fold, for some penalties
the choice            the smallest tree whose loss is within a tolerance of the least
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from askew.criterion import Criterion
from askew.grow import Progress, Search, child_seed, grow
from askew.limits import Limits
from askew.prune.cost_complexity import PruningPath, loss_at
from askew.refinement.soft import SoftRefiner
from askew.table import Table
from askew.tree import Tree

# The sizes that are compared: every number of leaves up to eight, then in steps of a quarter.
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512, 1024)


@dataclass(frozen=True)
class Candidate:
    """A way to grow trees, by name."""

    name: str
    search: Search
    criterion: Criterion


@dataclass(frozen=True, eq=False)
class Entry:
    """A recipe and a size, and how it did in cross-validation.

    Attributes
    ----------
    candidate : how the tree is grown
    max_leaves : it is pruned to at most so many leaves
    refiner : what improves its planes together, or None
    loss : loss of each row when it was held out, averaged over repetitions
    leaves, terms : mean size in the folds: leaves, and weights that are not zero
    seconds : time that growth (or refinement) took in all folds
    """

    candidate: Candidate
    max_leaves: int
    refiner: SoftRefiner | None
    loss: NDArray[np.float64]
    leaves: float
    terms: float
    seconds: float

    @property
    def name(self) -> str:
        """What it is, in words."""
        return self.candidate.name + ("" if self.refiner is None else f", refined (l2 = {self.refiner.l2:g})")

    @property
    def size(self) -> float:
        """Leaves, and weights beyond one a node."""
        return self.leaves + max(0.0, self.terms - (self.leaves - 1))

    def fit(self, table: Table, limits: Limits, seed: int, threads: int, progress: Progress | None = None) -> Tree:
        """Grow on a table, prune to the size, refine."""
        tree = grow(table, self.candidate.search, self.candidate.criterion, limits, seed, threads, progress)
        kept = subtree_of(PruningPath.of(tree, table.classification), self.max_leaves)
        if self.refiner is None:
            return kept
        return self.refiner.refine(kept, table, self.candidate.criterion, seed, threads, progress)


@dataclass
class Race:
    """The folds of a table, and the entries that were tried on them.

    Attributes
    ----------
    table, limits, seed, threads : what trees are grown on, and how
    folds, repeats : how often rows are divided, and in how many parts
    max_leaves : no entry has more leaves
    deadline : time, by the clock of `time.monotonic`, after which nothing new is begun
    """

    table: Table
    limits: Limits
    seed: int
    folds: int = 5
    repeats: int = 1
    threads: int = 1
    max_leaves: float = np.inf
    deadline: float = np.inf
    progress: Progress | None = None
    entries: list[Entry] = field(default_factory=list)
    _paths: dict[tuple[str, int, int], PruningPath] = field(default_factory=dict)

    def parts(self) -> list[tuple[int, int, NDArray[np.bool_]]]:
        """Return the repetition, the fold and the held-out rows of each part that has any."""
        found = []
        for repeat in range(self.repeats):
            place = self.table.places(child_seed(self.seed, repeat)) * self.folds
            for number in range(self.folds):
                out = np.floor(place) == number
                if out.any() and not out.all():
                    found.append((repeat, number, out))
        return found

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return monotonic() > self.deadline

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Grow every candidate in every fold, and enter every size of it."""
        for at, candidate in enumerate(candidates):
            if self.over and self.entries:
                return
            self._enter(candidate)
            if self.progress is not None:
                self.progress((at + 1) / len(candidates))

    def _enter(self, candidate: Candidate) -> None:
        started = monotonic()
        sizes = [size for size in SIZES if size <= self.max_leaves]
        total = np.zeros((len(sizes), self.table.n_rows))
        count = np.zeros(self.table.n_rows)
        leaves, terms, n_parts, largest = np.zeros(len(sizes)), np.zeros(len(sizes)), 0, 1
        for repeat, number, out in self.parts():
            path = self._path(candidate, repeat, number, out)
            held_out = self.table.take(out)
            by_step = path.losses(held_out)
            for i, size in enumerate(sizes):
                step = step_of_size(path, size)
                total[i, out] += by_step[step]
                kept = path.subtree(step)
                leaves[i] += kept.n_leaves
                terms[i] += kept.weight.size
                largest = max(largest, kept.n_leaves)
            count[out] += 1
            n_parts += 1
        seconds = monotonic() - started
        for i, size in enumerate(sizes):
            if i > 0 and sizes[i - 1] >= largest:  # no tree has so many leaves
                break
            loss = total[i] / np.maximum(count, 1)
            self.entries.append(Entry(candidate, size, None, loss, leaves[i] / n_parts, terms[i] / n_parts, seconds))

    def _path(self, candidate: Candidate, repeat: int, number: int, out: NDArray[np.bool_]) -> PruningPath:
        key = (candidate.name, repeat, number)
        if key not in self._paths:
            table = self.table.take(~out)
            tree = grow(table, candidate.search, candidate.criterion, self.limits, self.seed, self.threads)
            self._paths[key] = PruningPath.of(tree, table.classification)
        return self._paths[key]

    def refine(self, entries: Sequence[Entry], refiners: Sequence[SoftRefiner]) -> None:
        """Refine the trees of these entries in every fold, and enter them."""
        for entry in entries:
            for refiner in refiners:
                if self.over:
                    return
                self._enter_refined(entry, refiner)

    def _enter_refined(self, entry: Entry, refiner: SoftRefiner) -> None:
        started = monotonic()
        total, count = np.zeros(self.table.n_rows), np.zeros(self.table.n_rows)
        leaves, terms, n_parts = 0.0, 0.0, 0
        for repeat, number, out in self.parts():
            path = self._path(entry.candidate, repeat, number, out)
            kept = subtree_of(path, entry.max_leaves)
            growing, held_out = self.table.take(~out), self.table.take(out)
            refined = refiner.refine(kept, growing, entry.candidate.criterion, self.seed, self.threads)
            total[out] += loss_at(refined, refined.apply(held_out.X), held_out)
            count[out] += 1
            leaves += refined.n_leaves
            terms += refined.weight.size
            n_parts += 1
        self.entries.append(
            replace(
                entry,
                refiner=refiner,
                loss=total / np.maximum(count, 1),
                leaves=leaves / n_parts,
                terms=terms / n_parts,
                seconds=monotonic() - started,
            )
        )

    def mean(self, entry: Entry) -> float:
        """Return the mean loss of an entry."""
        return float(entry.loss @ self.table.weight / self.table.weight.sum())

    def standard_error(self, entry: Entry, other: Entry | None = None) -> float:
        """Return the standard error of the mean loss, or of its difference from that of another entry."""
        share = self.table.weight / self.table.weight.sum()
        loss = entry.loss if other is None else entry.loss - other.loss
        return float(np.sqrt(share @ (loss - share @ loss) ** 2 / max(self.table.weight.sum() - 1, 1)))

    def best(self) -> Entry:
        """Return the entry of least loss; of equals, the smallest."""
        return min(self.entries, key=lambda e: (round(self.mean(e), 12), e.size))

    def chosen(self, tolerance: float) -> Entry:
        """Return the smallest entry whose loss is within so many standard errors of the least."""
        best = self.best()
        limit = self.mean(best)

        def eligible(entry: Entry) -> bool:
            return self.mean(entry) - limit <= tolerance * self.standard_error(entry, best) + 1e-12

        return min((e for e in self.entries if eligible(e)), key=lambda e: (e.size, self.mean(e)))


def step_of_size(path: PruningPath, size: int) -> int:
    """Return the first step of a path, the largest subtree, with at most so many leaves."""
    return int(np.argmax(path.n_leaves <= size))


def subtree_of(path: PruningPath, size: int) -> Tree:
    """Return the largest subtree of a path with at most so many leaves."""
    return path.subtree(step_of_size(path, size))
