"""The finals: the best of a race are judged on further repetitions of the folds, so that the choice has less noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from askew.choice.race import Part, Race
from askew.choice.rule import Entry, Standings
from askew.grow import Progress

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
