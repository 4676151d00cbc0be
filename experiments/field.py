"""Data sets, the methods that were run on all of them, and their figures: means, medians, ranks, wins, times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

import numpy as np

from askew.comparison.ranking import average_ranks
from experiments.experiment import Outcome

#: The method whose time is the unit.
UNIT = "scikit-learn tree"
#: Artificial data sets whose classes planes divide: a comparison of oblique trees is also made without them.
MADE_FOR_PLANES = ("LS10", "POL", "RCB", "Monks-1")
#: What the mark beside their names means.
LEGEND = (
    "† made for planes: LS10, POL and RCB are drawn at random and divided by planes (Murthy et al. 1994); Monks-1 is a "
    "rule that asks whether two features are equal, which takes few planes but many cuts along an axis."
)


def marked(data: str) -> str:
    """Return the name of a data set, with a mark if it was made for planes."""
    return f"{data} †" if data in MADE_FOR_PLANES else data


@dataclass(frozen=True)
class Comparison:
    """A method beside a rival on the same data sets.

    Attributes
    ----------
    differences : mapping of str to float
        The score of the method less that of the rival, by data set.
    decimals : int
        The decimals of the score, at which two are a tie.
    """

    differences: Mapping[str, float]
    decimals: int

    @property
    def mean(self) -> float:
        """The mean difference."""
        return round(fmean(self.differences.values()), self.decimals)

    @property
    def median(self) -> float:
        """The median difference."""
        return round(median(self.differences.values()), self.decimals)

    @property
    def record(self) -> tuple[int, int, int]:
        """On how many data sets the method is better, equal, worse."""
        rounded = [round(difference, self.decimals) for difference in self.differences.values()]
        won, lost = sum(r > 0 for r in rounded), sum(r < 0 for r in rounded)
        return won, len(rounded) - won - lost, lost

    def decisive(self) -> dict[str, float]:
        """Return the mean difference without each data set but for which it would have another sign.

        The data set that changes the mean most comes first.
        """
        if len(self.differences) < 2 or self.mean == 0:
            return {}
        total, others = sum(self.differences.values()), len(self.differences) - 1
        without = {d: round((total - own) / others, self.decimals) for d, own in self.differences.items()}
        found = {d: rest for d, rest in without.items() if rest * self.mean <= 0}
        return dict(sorted(found.items(), key=lambda item: -abs(item[1] - self.mean)))


@dataclass(frozen=True)
class Field:
    """Some data sets, the methods that were run on all of them, and the figures.

    Attributes
    ----------
    score : str
        What methods are ranked by, "accuracy" or "R2".
    data, methods : tuple of str
        The headings.
    outcome : Outcome
        The figures.
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

    @property
    def decimals(self) -> int:
        """The decimals at which means of the score are shown and compared."""
        return 2 if self.score == "accuracy" else 3

    def against(self, method: str, rival: str) -> Comparison:
        """Return a method beside a rival."""
        pairs = zip(self.data, self.column(method), self.column(rival), strict=True)
        return Comparison({d: own - other for d, own, other in pairs}, self.decimals)

    def without_planes(self) -> Field:
        """Return the field without the data sets that were made for planes."""
        return replace(self, data=tuple(d for d in self.data if d not in MADE_FOR_PLANES))

    def multiple(self, method: str) -> float | None:
        """Return the median time of a fit in those of scikit-learn's tree."""
        if UNIT not in self.methods:
            return None
        pairs = zip(self.column(method, "milliseconds"), self.column(UNIT, "milliseconds"), strict=True)
        return median(own / unit for own, unit in pairs)
