"""`python -m benchmarks.clusters [speed] [model] [memory]`: all three, or some; writes `docs/benchmarks-clusters.md`.

speed: two workers beside one, one worker beside plain CE-DT, the peak memory of a worker, the bytes of each level.
model: the cost of partitions and of reductions, measured here; what follows for 1, 2, 4 and 8 workers, beside what they
take; what follows for a rented cluster and 10^9 rows.
memory: trees on Parquet files that are larger than the memory of all workers.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from benchmarks.clusters import memory, model, speed
from benchmarks.clusters.runs import Run
from benchmarks.report import Section, markdown, show, updated

DOCS = Path(__file__).parents[2] / "docs"
PAGE, GUIDE = DOCS / "benchmarks-clusters.md", DOCS / "how-to" / "clusters.md"
LEAD = """# Benchmarks of clusters

Written by `make bench-dask`, on one machine: the workers are processes that share its cores.
[How to use a cluster](how-to/clusters.md) says what follows for larger ones.
"""
THEMES = ("speed", "model", "memory")


def main() -> None:
    arguments = _parse()
    console = Console(width=140)
    wanted = arguments.themes or list(THEMES)
    page = PAGE.read_text(encoding="utf-8") if arguments.themes and PAGE.exists() else markdown([], LEAD)
    for section in sections(wanted, arguments):
        show(section, console)
        page = updated(page, [section])
        if not arguments.quick:
            PAGE.write_text(page, encoding="utf-8")
            GUIDE.write_text(with_figures(GUIDE.read_text(encoding="utf-8"), section), encoding="utf-8")


def with_figures(guide: str, section: Section) -> str:
    r"""Return the guide with the figures of a section, if it has a place for them.

    Examples
    --------
    >>> from benchmarks.clusters.__main__ import with_figures
    >>> from benchmarks.report import Section
    >>> print(with_figures("A\n<!-- figures: B -->\nold\n<!-- end -->\nC", Section("B", "new", ("data",), [])))
    A
    <!-- figures: B -->
    new
    <BLANKLINE>
    | data |
    | --- |
    <!-- end -->
    C
    """
    place = f"<!-- figures: {section.title} -->\n"
    before, found, after = guide.partition(place)
    if not found:
        return guide
    figures = updated("", [section]).partition(section.title)[2].strip()
    return f"{before}{place}{figures}\n{after[after.index('<!-- end -->') :]}"


def sections(wanted: list[str], arguments: argparse.Namespace) -> Iterator[Section]:
    """Run what is wanted; a section is given as soon as it is known."""
    runs: list[Run] = []
    if "speed" in wanted:
        yield from speed.run(speed.QUICK if arguments.quick else speed.Size(arguments.rows), runs)
    if "model" in wanted:
        yield from model.run(model.QUICK if arguments.quick else model.Sizes(), runs)
    if "memory" in wanted:
        yield from memory.run(memory.QUICK if arguments.quick else memory.Files())


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.clusters", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("themes", nargs="*", metavar="theme", help="speed, model or memory (default: all)")
    parser.add_argument("--quick", action="store_true", help="few rows, nothing is written: does it run?")
    parser.add_argument("--memory", action="store_true", help="the same as the theme memory")
    parser.add_argument("--rows", type=int, default=5_000_000, help="of speed (default: 5,000,000)")
    arguments = parser.parse_args()
    if arguments.memory:
        arguments.themes.append("memory")
    if unknown := set(arguments.themes) - set(THEMES):
        parser.error(f"unknown theme: {', '.join(sorted(unknown))}")
    return arguments


if __name__ == "__main__":
    main()
