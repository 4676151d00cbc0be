"""What a family of benchmarks returns, and how it is shown: a Rich table on the screen, Markdown on a page."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import scipy
import sklearn
from rich.console import Console
from rich.table import Table

import askew


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    Attributes
    ----------
    data : Path or None
        Folder of CSV files.
    quick : bool
        Small sizes and few rounds: to see that everything runs, not to quote.
    """

    data: Path | None = None
    quick: bool = False


@dataclass(frozen=True)
class Goal:
    """A sentence that the figures must make true."""

    text: str
    met: bool


@dataclass(frozen=True)
class Section:
    """One table, what it shows, and the goals it is judged by."""

    title: str
    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    goals: Sequence[Goal] = field(default_factory=tuple)


def show(section: Section, console: Console) -> None:
    """Print a section on the screen."""
    table = Table(title=section.title, title_justify="left", caption=section.text, caption_justify="left")
    for number, column in enumerate(section.columns):
        table.add_column(column, justify="left" if number == 0 else "right")
    for row in section.rows:
        table.add_row(*row)
    console.print(table)
    for goal in section.goals:
        console.print(f"  [green]met[/]     {goal.text}" if goal.met else f"  [red]missed[/]  {goal.text}")
    console.print()


LEAD = """# Benchmarks

Written by `make bench`. Every ratio is taken in one run, on one thread, the two sides in turns and the
best of several runs of each; below 1x askew is the faster one.
"""


def markdown(sections: Iterable[Section], lead: str = LEAD) -> str:
    """Return a page: by default `docs/benchmarks.md`."""
    lines = [
        lead,
        *(f"- {name}: {value}" for name, value in machine().items()),
        "",
    ]
    return "\n".join([*lines, *(line for section in sections for line in _lines(section))])


def updated(page: str, sections: Iterable[Section]) -> str:
    r"""Return the page with these sections in the place of those of the same titles; new ones stand at its end.

    Examples
    --------
    >>> from benchmarks.report import Section, updated
    >>> print(updated("# Page\n\n## A\n\nold\n", [Section("A", "new", ("data",), [])]))
    # Page
    <BLANKLINE>
    ## A
    <BLANKLINE>
    new
    <BLANKLINE>
    | data |
    | --- |
    <BLANKLINE>
    """
    head, *parts = page.split("\n## ")
    by_title = {part.partition("\n")[0]: part.rstrip("\n") + "\n" for part in parts}
    for section in sections:
        by_title[section.title] = "\n".join(_lines(section)).removeprefix("## ")
    return "\n## ".join([head, *by_title.values()])


def _lines(section: Section) -> list[str]:
    lines = [f"## {section.title}", "", section.text, ""]
    lines += [_line(section.columns), _line(["---", *["---:"] * (len(section.columns) - 1)])]
    lines += [_line(row) for row in section.rows]
    if section.goals:
        lines += ["", *(f"- {goal.text}: **{'met' if goal.met else 'missed'}**" for goal in section.goals)]
    return [*lines, ""]


def machine() -> dict[str, str]:
    """Return what the figures depend on, without what would identify the machine."""
    return {
        "processor": f"{platform.machine()}, {os.cpu_count()} cores",
        "system": platform.system(),
        "Python": platform.python_version(),
        "NumPy": numpy.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "askew": askew.__version__,
    }


def times(ratio: float) -> str:
    """Write a ratio."""
    return f"{ratio:.2f}x"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
