"""`python -m benchmarks [family ...]`: run the families, show their tables, write `docs/benchmarks.md`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks import apdt, cedt, ensembles, exhaustive, exports, linear, memory, oblique, selection, trees
from benchmarks.report import Options, Section, markdown, show, updated

FAMILIES: dict[str, Callable[[Options], list[Section]]] = {
    "trees": trees.run,
    "oblique": oblique.run,
    "exhaustive": exhaustive.run,
    "linear": linear.run,
    "cedt": cedt.run,
    "apdt": apdt.run,
    "selection": selection.run,
    "ensembles": ensembles.run,
    "exports": exports.run,
    "memory": memory.run,
}
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def main() -> None:
    arguments = _parse()
    options = Options(data=arguments.data, quick=arguments.quick)
    console = Console()
    if not console.is_terminal:  # a file or a pipe has no edge to fold tables at
        console = Console(width=140)
    sections: list[Section] = []
    with threadpool_limits(1):
        for name in arguments.families or FAMILIES:
            console.print(f"[dim]{name} ...[/]")
            for section in FAMILIES[name](options):
                show(section, console)
                sections.append(section)
    # A part of the figures, or hasty ones, must not replace the page.
    page = arguments.output or (None if arguments.families or arguments.quick else PAGE)
    if page is not None:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(markdown(sections), encoding="utf-8")
    elif arguments.update:
        PAGE.write_text(updated(PAGE.read_text(encoding="utf-8"), sections), encoding="utf-8")


def _parse() -> argparse.Namespace:
    folder = os.environ.get("ASKEW_DATA")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "families", nargs="*", metavar="family", help=f"any of {', '.join(FAMILIES)}; all of them by default"
    )
    parser.add_argument("--data", type=Path, default=Path(folder) if folder else None, help="folder of CSV files")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds: does it run?")
    parser.add_argument("--update", action="store_true", help=f"put these families into docs/{PAGE.name}")
    parser.add_argument("--output", type=Path, help=f"page to write; docs/{PAGE.name} for a full run of all families")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.families if name not in FAMILIES]
    if unknown:
        parser.error(f"no family is named {unknown[0]!r}: choose from {', '.join(FAMILIES)}")
    return arguments


if __name__ == "__main__":
    main()
