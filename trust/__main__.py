"""`python -m trust [section ...]`: run the sections within a budget of time, write `docs/trust.md`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

from benchmarks.report import Section, markdown, show, updated
from rich.console import Console
from threadpoolctl import threadpool_limits

from trust import ROOT, concurrency, determinism, external, faults, files, interrupts, kills, mutation, supply, tables
from trust.budget import Budget

# Each section with its share of the time; one without a share takes what it takes.
SECTIONS: dict[str, tuple[Callable[[Budget], list[Section]], float]] = {
    "faults": (faults.run, 0.2),
    "files": (files.run, 0.3),
    "tables": (tables.run, 0.3),
    "determinism": (determinism.run, 0.0),
    "interrupts": (interrupts.run, 0.15),
    "kills": (kills.run, 0.1),
    "concurrency": (concurrency.run, 0.05),
    "external": (external.run, 0.0),
    "supply": (supply.run, 0.0),
    "mutation": (mutation.run, 0.0),
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
    whole = sum(SECTIONS[name][1] for name in chosen) or 1.0
    sections: list[Section] = []
    with threadpool_limits(1):
        for name in chosen:
            console.print(f"[dim]{name} ...[/]")
            run, share = SECTIONS[name]
            seconds = 2.0 if arguments.quick else 60 * arguments.minutes * share / whole
            start = time.monotonic()
            for section in run(Budget(seconds, arguments.quick)):
                section = replace(section, text=f"{section.text} It took {time.monotonic() - start:.0f} seconds.")
                show(section, console)
                sections.append(section)
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
    parser.add_argument("--minutes", type=float, default=90.0, help="time of all sections that have no natural end")
    parser.add_argument("--update", action="store_true", help=f"put these sections into docs/{PAGE.name}")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"no section is named {unknown[0]!r}: choose from {', '.join(SECTIONS)}")
    return arguments


if __name__ == "__main__":
    main()
