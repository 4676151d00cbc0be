"""`python -m trust [section ...]`: run the sections within a budget of time, write `docs/trust.md`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from benchmarks.report import Goal, Section, markdown, show, updated
from rich.console import Console
from threadpoolctl import threadpool_limits

from trust import (
    ROOT,
    builds,
    clusters,
    concurrency,
    determinism,
    external,
    faults,
    files,
    interrupts,
    kills,
    load,
    mutation,
    supply,
    tables,
    workers,
)
from trust.budget import Budget, timed
from trust.processes import new_processes

# Each section with its share of the time (one without a share takes what it takes), and whether it runs beside the
# others, in a process of its own and of low priority, for all the time that they have.
SECTIONS: dict[str, tuple[Callable[[Budget], list[Section]], float, bool]] = {
    "faults": (faults.run, 0.05, False),
    "files": (files.run, 0.27, False),
    "tables": (tables.run, 0.35, False),
    "determinism": (determinism.run, 0.0, False),
    "workers": (workers.run, 0.0, False),
    "builds": (builds.run, 0.0, False),
    "interrupts": (interrupts.run, 0.07, False),
    "kills": (kills.run, 0.10, False),
    "worker-kills": (clusters.run, 0.16, False),
    "concurrency": (concurrency.run, 0.0, False),
    "load": (load.run, 0.0, True),
    "external": (external.run, 0.0, False),
    "supply": (supply.run, 0.0, False),
    "mutation": (mutation.run, 0.0, False),
}
PAGE = ROOT / "docs" / "trust.md"
LEAD = """# Trust

Written by `make trust`: what is tried to break the library, how often, and what came of it. Counts are of the last
run unless they are said to be of the project's life. A goal that is missed is a matter of time spent unless the text
says otherwise: no input is known that breaks what is promised here.
"""


def main() -> None:
    arguments = _parse()
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    chosen = arguments.sections or list(SECTIONS)
    beside = [name for name in chosen if SECTIONS[name][2]]
    whole = sum(SECTIONS[name][1] for name in chosen if name not in beside) or 1.0
    writes = not arguments.quick and (arguments.update or not arguments.sections)  # hasty figures stay off the page
    found: dict[str, list[Section]] = {}
    failed: dict[str, list[Section]] = {}
    with threadpool_limits(1), new_processes(max(len(beside), 1), niceness=15) as pool:
        budget = Budget(2.0 if arguments.quick else 60 * arguments.minutes, arguments.quick)
        running = {name: pool.submit(timed, SECTIONS[name][0], budget) for name in beside}
        for name in sorted(chosen, key=running.__contains__):
            console.print(f"[dim]{name} ...[/]")
            own = budget if arguments.quick else budget.part(SECTIONS[name][1] / whole)
            figures = running[name].result if name in running else partial(timed, SECTIONS[name][0], own)
            try:
                found[name] = figures()
            except Exception as error:
                console.print_exception()
                failed[name] = [_without_figures(name, error)]
            for section in found.get(name, failed.get(name, [])):
                show(section, console)
            if writes:  # each as it ends: a run that is cut off has lost nothing
                _put_on_page(found.get(name, []))
    if writes and not arguments.sections:
        PAGE.write_text(markdown([s for name in chosen for s in (found | failed)[name]], LEAD), encoding="utf-8")
    if failed:
        sys.exit(f"without figures: {', '.join(failed)}")


def _put_on_page(sections: list[Section]) -> None:
    """Put sections on the page, in the place of those of the same titles."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else markdown([], LEAD)
    PAGE.write_text(updated(page, sections), encoding="utf-8")


def _without_figures(name: str, error: Exception) -> Section:
    text = f"No figures: it ended with {type(error).__name__}: {' '.join(str(error).split())[-500:]}"
    return Section(name, text, ("figures",), [], (Goal(f"{name} runs to its end", False),))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m trust", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=f"any of {', '.join(SECTIONS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="seconds each: does it run?")
    parser.add_argument("--minutes", type=float, default=60.0, help="time of all sections that have no natural end")
    parser.add_argument("--update", action="store_true", help=f"put these sections into docs/{PAGE.name}")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"no section is named {unknown[0]!r}: choose from {', '.join(SECTIONS)}")
    return arguments


if __name__ == "__main__":
    main()
