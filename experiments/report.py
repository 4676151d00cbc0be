"""Paper and ours side by side: a table for the terminal, a page in Markdown, a file in CSV."""

from __future__ import annotations

import csv
import io
import platform
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from askew.comparison.ranking import markdown_table
from askew.files import beside
from experiments.experiment import Experiment, Figure, Measure, Outcome
from experiments.runner import CellResult, Results

Row = list[str]


def default_output() -> Path:
    """Return ``docs/results`` inside a checkout of askew, else ``results`` here."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        project = folder / "pyproject.toml"
        if project.is_file() and 'name = "askew"' in project.read_text(encoding="utf-8"):
            return folder / "docs" / "results"
    return here / "results"


def table(results: Results) -> tuple[Row, list[Row]]:
    """Return headings and rows: for each cell and measure the paper's figure, ours, and the verdict."""
    shown = results.experiment.measures
    remarks = any(result.remark for result in results.cells)
    # Ours are shown at the decimals of the print, also where a cell has no printed figure.
    printed = {m.name: [r.cell.paper[m.name].decimals for r in results.cells if m.name in r.cell.paper] for m in shown}
    decimals = {m.name: max(printed[m.name], default=m.decimals) for m in shown}
    headings = ["data", "method"]
    for measure in shown:
        if not printed[measure.name]:  # the paper has no such figures
            headings.append(measure.name)
            continue
        headings += [f"{measure.name}, paper", "ours", *(["difference"] if measure.better else [])]
    headings += ["seconds", *(["remark"] if remarks else [])]
    rows = []
    for result in results.cells:
        row = [result.cell.data, result.cell.method]
        for measure in shown:
            row += _entries(result, measure, decimals[measure.name], bool(printed[measure.name]))
        row.append(f"{result.seconds:.1f}" if result.ours else "")
        rows.append([*row, result.remark] if remarks else row)
    return headings, rows


def _entries(result: CellResult, measure: Measure, decimals: int, printed: bool) -> Row:
    paper, ours = result.cell.paper.get(measure.name), result.ours.get(measure.name)
    shown = "" if ours is None else str(ours.rounded(decimals))
    if not printed:
        return [shown]
    judged = "" if paper is None or ours is None else verdict(measure, paper, ours)
    return ["" if paper is None else str(paper), shown, *([judged] if measure.better else [])]


def verdict(measure: Measure, paper: Figure, ours: Figure) -> str:
    """Say by how much ours differs, in printed standard deviations where there are any, and whether it is met."""
    difference = measure.difference(paper, ours)
    by = f"{difference:+.1f} sd" if difference is not None else f"{ours.mean - paper.mean:+.{paper.decimals}f}"
    return f"{by}, {'met' if measure.met(paper, ours) else 'NOT met'}"


def score(results: Results) -> str:
    """Count the figures that are met, the figures that were compared, and the cells that were not run."""
    verdicts = [
        measure.met(result.cell.paper[measure.name], result.ours[measure.name])
        for result in results.cells
        for measure in results.experiment.measures
        if measure.better
        and measure.name in result.cell.paper
        and measure.name in result.ours
        # A printed figure counts once, with the data's own class: other targets are chosen by how well they agree.
        and result.cell.target is None
    ]
    left_out = sum(not result.ours for result in results.cells)
    counts = [f"{sum(map(bool, verdicts))} of {len(verdicts)} compared figures are met"] if verdicts else []
    counts += [f"{left_out} of {len(results.cells)} cells could not be run"] if left_out else []
    return "; ".join(counts) + "." if counts else ""


def _judgement(results: Results) -> list[str]:
    """Return the score and what it counts; nothing if nothing is judged."""
    judged = [measure for measure in results.experiment.measures if measure.better]
    if not judged or not score(results):
        return []
    strict = " and ".join(measure.name for measure in judged if not measure.slack)
    exception = f" ({strict}: as good as the printed one)" if strict else ""
    return [
        f"**{score(results)}** A figure is met if it is as good as the printed one within one printed standard "
        f"deviation{exception}, or better; differences are ours minus the paper's.",
        "",
    ]


def markdown(results: Results, pictures: Sequence[str] = ()) -> str:
    """Return the page: what was run and how, the table, what differs from the paper, the pictures beside it."""
    experiment = results.experiment
    lines = [
        f"# {experiment.title}",
        "",
        f"{experiment.source}.",
        "",
        *_body(results),
        *(line for name in pictures for line in (f"![{name}]({name})", "")),
        *(f"- {note}" for note in experiment.notes),
        "",
        "Made by",
        "",
        f"    {command(results)}",
        "",
        f"with {versions()}, in {sum(result.seconds for result in results.cells):.0f} seconds of processor time.",
    ]
    return "\n".join(lines) + "\n"


def _body(results: Results) -> list[str]:
    if results.experiment.page is not None:
        return results.experiment.page(results)
    described = [results.experiment.trials.describe(), "", *_judgement(results)]
    return [*described, *markdown_table(*table(results)), "", *conclusion(results)]


def conclusion(results: Results) -> list[str]:
    """Return what the experiment says of all its figures together; nothing if some are lacking."""
    conclude = results.experiment.conclude
    return [] if conclude is None else [*conclude(_outcome(results)), ""]


def _outcome(results: Results) -> Outcome:
    return {(r.cell.data, r.cell.method): r.ours for r in results.cells if r.ours}


def command(results: Results) -> str:
    """Return the command that makes these results."""
    given = {" --quick": results.quick, " --data DIR": results.from_folder, " --finished": results.finished}
    given |= {f" --earlier {results.experiment.name}.csv": results.extended}
    options = "".join(option for option, is_given in given.items() if is_given)
    return f"python -m experiments {results.experiment.name}{options}"


def versions() -> str:
    """Name askew, Python and the libraries, with their versions."""
    found = [f"Python {platform.python_version()}"]
    for name, package in (("NumPy", "numpy"), ("SciPy", "scipy"), ("scikit-learn", "scikit-learn")):
        found.append(f"{name} {version(package)}")
    import askew

    return ", ".join([f"askew {askew.__version__}", *found])


_FIELDS = (
    *("experiment", "data", "method", "measure"),
    *("paper_mean", "paper_sd", "ours_mean", "ours_sd"),
    *("difference_sd", "met", "seconds", "remark"),
)


def as_csv(results: Results) -> str:
    """Return one line for each cell and measure, with all digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_FIELDS)
    for result in results.cells:
        for measure in results.experiment.measures:
            if measure.name in result.cell.paper or measure.name in result.ours:
                writer.writerow(_csv_row(results.experiment, result, measure))
    return text.getvalue()


def _csv_row(experiment: Experiment, result: CellResult, measure: Measure) -> list[object]:
    paper, ours = result.cell.paper.get(measure.name), result.ours.get(measure.name)
    difference = met = None
    if paper is not None and ours is not None:
        difference = measure.difference(paper, ours)
        met = measure.met(paper, ours) if result.cell.target is None else None  # as in `score`
    figures = [part for of in (paper, ours) for part in ((None, None) if of is None else (of.mean, of.sd))]
    seconds = None if ours is None else round(result.seconds, 3)
    judged = None if met is None else "yes" if met else "no"
    names = [experiment.name, result.cell.data, result.cell.method, measure.name]
    return [*names, *figures, difference, judged, seconds, result.remark]


def write(results: Results, folder: Path) -> list[Path]:
    """Write the page, the CSV file and the pictures; return where they are. A quick run has files of its own.

    Without Matplotlib (extra ``plot``) the page has no pictures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = results.experiment.name + ("-quick" if results.quick else "")
    pictures = _draw(results, folder, stem)
    written = []
    for suffix, text in ((".md", markdown(results, [p.name for p in pictures])), (".csv", as_csv(results))):
        path = folder / (stem + suffix)
        with beside(path) as whole:
            whole.write_text(text, encoding="utf-8")
        written.append(path)
    return written + pictures


def _draw(results: Results, folder: Path, stem: str) -> list[Path]:
    draw = results.experiment.draw
    if draw is None or find_spec("matplotlib") is None:
        return []
    pictures = []
    for name, figure in draw(_outcome(results)).items():
        pictures.append(folder / f"{stem}-{name}.png")
        with beside(pictures[-1]) as whole:
            figure.savefig(whole, dpi=150, format="png")
        figure.clear()
    return pictures


def show(results: Results) -> None:
    """Print the table on standard output; the remarks, which are long, stand below it."""
    if results.experiment.page is not None:
        print("\n".join(results.experiment.page(results)))
        return
    headings, rows = table(replace(results, cells=tuple(replace(cell, remark="") for cell in results.cells)))
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        _show_plain(headings, rows)
    else:
        console = Console()
        if not console.is_terminal:
            console = Console(width=200)
        grid = Table(box=None, header_style="bold", pad_edge=False)
        for i, heading in enumerate(headings):
            grid.add_column(heading, justify="left" if i < 2 else "right")
        for row in rows:
            grid.add_row(*(Text(text, _style(text)) for text in row))
        console.print(grid)
    remarks: dict[str, list[str]] = {}
    for cell in results.cells:
        remarks.setdefault(cell.remark, []).append(cell.cell.name)
    for remark, cells in remarks.items():
        if remark:
            print(f"{'; '.join(cells)}: {remark}")
    print("\n".join([*conclusion(results), *filter(None, [score(results)])]))


def _style(text: str) -> str:
    return "bold red" if text.endswith(", NOT met") else "green" if text.endswith(", met") else ""


def _show_plain(headings: Row, rows: list[Row]) -> None:
    widths = [max(len(row[i]) for row in (headings, *rows)) for i in range(len(headings))]
    for row in (headings, *rows):
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
