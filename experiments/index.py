"""The page of all results: every table and figure of the papers, its state, and every figure that was compared."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from askew.comparison.ranking import markdown_table
from askew.files import beside
from experiments.catalogue import CATALOGUE, Item
from experiments.experiment import Experiment

NAME = "index"
QUICK = "-quick"


@dataclass(frozen=True)
class Outcome:
    """What the CSV file of an experiment says.

    Attributes
    ----------
    rows : list of dict of str to str
        Its lines.
    """

    rows: list[dict[str, str]]

    @property
    def compared(self) -> int:
        """Number of figures that were judged."""
        return sum(bool(row["met"]) for row in self.rows)

    @property
    def met(self) -> int:
        """Number of figures that are as good as printed."""
        return sum(row["met"] == "yes" for row in self.rows)

    @property
    def state(self) -> str:
        """The same in words."""
        return f"run: {self.met} of {self.compared} figures met" if self.compared else "run"


def outcome(folder: Path, name: str, quick: bool = False) -> Outcome | None:
    """Return what an experiment came to when it was run; None if it was not, or its file cannot be read."""
    try:
        with (folder / f"{name}{QUICK if quick else ''}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError:
        return None
    return Outcome(rows) if rows and "met" in rows[0] else None


def state(item: Item, experiments: dict[str, Experiment], folder: Path, quick: bool = False) -> str:
    """Say what became of a table or figure."""
    if item.experiment is None:
        return item.remark
    if item.experiment not in experiments:
        return f"not in this version: {item.experiment}"
    found = outcome(folder, item.experiment, quick)
    words = "not run yet" if found is None else found.state
    return f"{words}; {item.remark}" if item.remark else words


def page(experiments: dict[str, Experiment], folder: Path, quick: bool = False) -> str:
    """Return the page in Markdown, made of the CSV files in a folder."""
    rows = []
    for item in CATALOGUE:
        link = f"`{item.experiment}`" if item.experiment else ""
        if item.experiment and outcome(folder, item.experiment, quick):
            link = f"[`{item.experiment}`]({item.experiment}{QUICK if quick else ''}.md)"
        rows.append([item.paper, item.name, item.shows, link, state(item, experiments, folder, quick)])
    lines = [
        "# The papers' tables, run again",
        "",
        "Every table and figure of the five papers: the experiment that runs it (`make reproduce NAME=`), what came of "
        "it, or why it is not run. A figure is met if it is as good as the printed one within one printed standard "
        "deviation, or better. `make reproduce` makes this page.",
        "",
        *markdown_table(["paper", "item", "shows", "experiment", "state"], rows),
    ]
    lines += _beyond(experiments, folder, quick)
    for name, experiment in experiments.items():
        found = outcome(folder, name, quick)
        if found is not None and experiment.page is None:
            lines += ["", f"## {experiment.title}", "", f"{experiment.source}. {found.state.capitalize()}.", ""]
            times = {measure.name for measure in experiment.measures if measure.timed}
            lines += markdown_table(_HEADINGS, [_cell(row) for row in found.rows if row["measure"] not in times])
    return "\n".join(lines) + "\n"


def _beyond(experiments: dict[str, Experiment], folder: Path, quick: bool) -> list[str]:
    """Return the experiments that are no tables of papers, and have pages of another kind."""
    found = {name: e for name, e in experiments.items() if e.page is not None and outcome(folder, name, quick)}
    links = [f"[{e.title} (`{name}`)]({name}{QUICK if quick else ''}.md)" for name, e in found.items()]
    return ["", f"Beyond the papers: {', '.join(links)}."] if links else []


_HEADINGS = ["data", "method", "measure", "paper", "ours", "difference", "met"]


def _cell(row: dict[str, str]) -> list[str]:
    ours = _figure(row["ours_mean"], row["ours_sd"])
    apart = ""
    if row["difference_sd"]:
        apart = f"{float(row['difference_sd']):+.1f} sd"
    elif row["ours_mean"] and row["paper_mean"]:  # no deviation is printed
        apart = f"{float(row['ours_mean']) - float(row['paper_mean']):+.3g}"
    verdict = row["met"] if ours else f"not run: {row['remark']}"
    paper = _figure(row["paper_mean"], row["paper_sd"])
    return [row["data"], row["method"], row["measure"], paper, ours, apart, verdict]


def _figure(mean: str, sd: str) -> str:
    if not mean:
        return ""
    return f"{float(mean):.4g} ± {float(sd):.2g}" if sd else f"{float(mean):.4g}"


def write(experiments: dict[str, Experiment], folder: Path, quick: bool = False) -> Path:
    """Write the page of a folder of results; return where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}{QUICK if quick else ''}.md"
    with beside(path) as whole:
        whole.write_text(page(experiments, folder, quick), encoding="utf-8")
    return path
