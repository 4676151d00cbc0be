"""Data sets, the methods that were run on all of them, and their figures: means, ranks, times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from askew.experiments.experiment import Outcome
from askew.experiments.statistics import average_ranks

#: The method whose time is the unit.
UNIT = "scikit-learn tree"


@dataclass(frozen=True)
class Field:
    """Some data sets, the methods that were run on all of them, and the figures.

    Attributes
    ----------
    score : what methods are ranked by, "accuracy" or "R2"
    data, methods : the headings
    outcome : the figures
    """

    score: str
    data: tuple[str, ...]
    methods: tuple[str, ...]
    outcome: Outcome

    @classmethod
    def of(cls, score: str, outcome: Outcome, data: Iterable[str], methods: Iterable[str] | None = None) -> Field:
        """Return the field of these data sets; its methods are those that were run on all of them."""
        wanted = tuple(data)
        among = dict.fromkeys(m for _, m in outcome) if methods is None else methods
        run = tuple(m for m in among if wanted and all(score in outcome.get((d, m), {}) for d in wanted))
        return cls(score, wanted, run, outcome)

    def column(self, method: str, measure: str | None = None) -> list[float]:
        """Return a measure of a method on each data set; fewer figures if some are unknown."""
        cells = (self.outcome[d, method] for d in self.data)
        return [cell[measure or self.score].mean for cell in cells if (measure or self.score) in cell]

    def mean(self, method: str, measure: str | None = None) -> float | None:
        """Return the mean over all data sets; None if it is not known on each."""
        found = self.column(method, measure)
        return fmean(found) if len(found) == len(self.data) else None

    def trees(self) -> tuple[str, ...]:
        """Return the methods that are single trees: those whose leaves are known."""
        return tuple(m for m in self.methods if len(self.column(m, "leaves")) == len(self.data))

    def ranks(self, methods: Sequence[str], measure: str, better: int) -> dict[str, float]:
        """Return the average ranks of some methods."""
        figures = np.array([self.column(m, measure) for m in methods]).T
        return dict(zip(methods, average_ranks(figures, better).tolist(), strict=True))

    def multiple(self, method: str) -> float | None:
        """Return the median time of a fit in those of scikit-learn's tree."""
        if UNIT not in self.methods:
            return None
        pairs = zip(self.column(method, "milliseconds"), self.column(UNIT, "milliseconds"), strict=True)
        return median(own / unit for own, unit in pairs)
