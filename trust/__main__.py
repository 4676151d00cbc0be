"""`python -m trust [section ...]`: run the sections within a budget of time, write `docs/trust.md`."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from benchmarks.report import Section, markdown, show, updated
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
from trust.budget import Budget, new_processes, timed

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
    found: dict[str, list[Section]] = {}
    with threadpool_limits(1), new_processes(max(len(beside), 1), niceness=15) as pool:
        budget = Budget(2.0 if arguments.quick else 60 * arguments.minutes, arguments.quick)
        running = {name: pool.submit(timed, SECTIONS[name][0], budget) for name in beside}
        for name in sorted(chosen, key=running.__contains__):
            console.print(f"[dim]{name} ...[/]")
            if name in running:
                found[name] = running[name].result()
            else:
                found[name] = timed(
                    SECTIONS[name][0], budget if arguments.quick else budget.part(SECTIONS[name][1] / whole)
                )
            for section in found[name]:
                show(section, console)
    sections = [section for name in chosen for section in found[name]]
    if arguments.quick:
        return  # hasty figures must not replace the page
    if not arguments.sections:
        PAGE.write_text(markdown(sections, LEAD), encoding="utf-8")
    elif arguments.update:
        page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else markdown([], LEAD)
        PAGE.write_text(updated(page, sections), encoding="utf-8")


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
