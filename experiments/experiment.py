"""`Experiment`: a table of a paper as data: what was printed, what is to be run, and by which protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from experiments.runner import Results


@dataclass(frozen=True)
class Figure:
    """A figure as printed: "98.9 ± 0.2" or "2756".

    Attributes
    ----------
    mean : float
        The figure.
    sd : float or None
        Its standard deviation; None if the paper prints none.
    decimals : int
        Decimals of the print, at which figures are compared.
    """

    mean: float
    sd: float | None = None
    decimals: int = 0

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a figure as it is printed.

        Examples
        --------
        >>> from experiments import Figure
        >>> Figure.read("98.9±0.2")
        Figure(mean=98.9, sd=0.2, decimals=1)
        """
        mean, _, sd = text.partition("±")
        decimals = len(mean.strip().partition(".")[2])
        return cls(float(mean), float(sd) if sd else None, decimals)

    def __str__(self) -> str:
        mean = f"{self.mean:.{self.decimals}f}" if self.decimals or self.mean < 1e7 else f"{self.mean:.2e}"
        return mean if self.sd is None else f"{mean} ± {self.sd:.{self.decimals}f}"

    def rounded(self, decimals: int) -> Figure:
        """Return the figure, rounded to a number of decimals."""
        return Figure(round(self.mean, decimals), None if self.sd is None else round(self.sd, decimals), decimals)


@dataclass(frozen=True)
class Measure:
    """What is measured, and which way is better.

    Attributes
    ----------
    name : str
        Key of the measure ("accuracy", "leaves", "hyperplanes").
    better : int
        1 if higher is better, -1 if lower is, 0 if it is shown but not judged.
    slack : float
        Printed standard deviations by which ours may be worse.
    decimals : int
        Decimals of ours where nothing is printed.
    timed : bool
        Whether it is a time, which no two runs share: the index, the same for all of them, leaves it out.
    """

    name: str
    better: int
    slack: float = 1.0
    decimals: int = 1
    timed: bool = False

    def met(self, paper: Figure, ours: Figure) -> bool | None:
        """Say whether ours is as good as the paper's within the slack (one printed standard deviation), or better.

        Both are compared at the decimals of the print. Where the paper prints no standard deviation, ours must
        be as good as the figure itself. None if the measure is not judged.
        """
        if self.better == 0:
            return None
        unit = 10.0**paper.decimals
        ahead = self.better * (round(ours.mean * unit) - round(paper.mean * unit))
        return ahead >= -round(self.slack * (paper.sd or 0.0) * unit)

    def difference(self, paper: Figure, ours: Figure) -> float | None:
        """Return ours minus paper's, in printed standard deviations; None where none is printed."""
        return (ours.mean - paper.mean) / paper.sd if paper.sd else None


ACCURACY, LEAVES, HYPERPLANES = Measure("accuracy", 1), Measure("leaves", -1), Measure("hyperplanes", 0)


@dataclass(frozen=True)
class Cell:
    """One entry of a table: a method on a data set.

    Attributes
    ----------
    data : str
        Heading of the data set, as the paper has it.
    method : str
        Heading of the method.
    paper : mapping of str to Figure
        What the paper prints, by measure.
    load : str or None
        Name for `askew.datasets.load`; None if the data are not to be had, or the protocol makes them.
    estimator : str
        Its name, for `experiments.baselines.estimator_named`.
    parameters : mapping of str to object
        Its parameters.
    complete : bool
        Leave out rows with missing values.
    encode : bool
        Turn text into numbers; see `askew.datasets.encode`.
    reason : str or None
        Why the cell cannot be run; None if it can.
    note : str
        How its data differ from the paper's; shown with the figures.
    variants : tuple of mapping of str to object
        The settings of a protocol that tries several.
    seed : int
        Seed of the first repetition of a protocol that asks for it.
    reverse : bool
        Give rows and features from the last to the first, so that of equal splits the last ones win.
    target : int or None
        Position of the attribute that is the class instead of the data's own, which is left out; None: their
        own.
    only_before : bool
        Leave out the attributes after the target, too.
    more : str or None
        Name of a data set whose rows come after those of `load`, such as the official test rows.
    """

    data: str
    method: str
    paper: Mapping[str, Figure]
    load: str | None = None
    estimator: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    complete: bool = False
    encode: bool = False
    reason: str | None = None
    note: str = ""
    variants: tuple[Mapping[str, Any], ...] = ({},)
    seed: int = 0
    reverse: bool = False
    target: int | None = None
    only_before: bool = False
    more: str | None = None

    @property
    def name(self) -> str:
        """Data set and method."""
        return f"{self.data}, {self.method}"


Part = Mapping[str, float]
Outcome = Mapping[tuple[str, str], Mapping[str, Figure]]


class Trials(Protocol):
    """How a cell is run: in numbered parts that depend on nothing but their number, and what they come to."""

    def n_parts(self) -> int:
        """Return the number of parts of a cell."""
        ...

    def run(self, cell: Cell, number: int, X: NDArray[np.float64], y: NDArray[Any]) -> Part:
        """Run one part; return each measure."""
        ...

    def identity(self, number: int) -> str:
        """Say all that the part of this number depends on, beside the cell and the data."""
        ...

    def combine(self, parts: list[Part], paper: Mapping[str, Figure]) -> tuple[dict[str, Figure], str]:
        """Return the figures of the cell, of which the paper prints some, and a remark."""
        ...

    def quick(self) -> Trials:
        """Return the same with fewer parts."""
        ...

    def describe(self) -> str:
        """Say in a sentence what is done."""
        ...


@dataclass(frozen=True)
class Experiment:
    """A table of a paper.

    Attributes
    ----------
    name : str
        What the command line calls it.
    title : str
        What it shows.
    source : str
        Paper, section, table.
    measures : tuple of Measure
        What is compared.
    cells : tuple of Cell
        Its entries.
    trials : Trials
        The protocol.
    notes : tuple of str
        What differs from the paper.
    other_trials : mapping of str to Trials
        The protocol of methods, or else of data sets, that have one of their own.
    quick_data : tuple of str
        Data sets of a quick run; empty if all are.
    conclude : callable or None
        Makes lines of Markdown, to stand below the table, of the figures by data set and method.
    draw : callable or None
        Makes Matplotlib figures of the same, by name, to stand below that.
    page : callable or None
        Makes the lines of Markdown of an experiment that is no table of a paper, in the place of the table and
        of what stands below it.
    unit : str
        The method that times are multiples of; empty if they are not.
    """

    name: str
    title: str
    source: str
    measures: tuple[Measure, ...]
    cells: tuple[Cell, ...]
    trials: Trials
    notes: tuple[str, ...] = ()
    other_trials: Mapping[str, Trials] = field(default_factory=dict)
    quick_data: tuple[str, ...] = ()
    conclude: Callable[[Outcome], list[str]] | None = None
    draw: Callable[[Outcome], Mapping[str, Any]] | None = None
    page: Callable[[Results], list[str]] | None = None
    unit: str = ""

    def trials_of(self, cell: Cell) -> Trials:
        """Return the protocol of a cell."""
        return self.other_trials.get(cell.method) or self.other_trials.get(cell.data, self.trials)
