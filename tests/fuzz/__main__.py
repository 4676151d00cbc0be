"""`PYTHONPATH=tests:tests/helpers python -m fuzz [part ...]`: try to break the library, and print what was found.

The exit code is 1 if anything went wrong. Every failure is printed with the seed or the bytes that repeat it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from threadpoolctl import threadpool_limits

from fuzz import files, guided, interrupts, kills, mutation, properties, tables
from fuzz.findings import Found

# Each part with its share of the time.
PARTS: dict[str, tuple[Callable[[float], Found], float]] = {
    "properties": (properties.run, 0.14),
    "bytes": (files.damage, 0.14),
    "mutated": (files.mutate, 0.14),
    "guided": (guided.run, 0.06),
    "tables": (tables.run, 0.25),
    "interrupts": (interrupts.run, 0.07),
    "kills": (kills.run, 0.08),
    "mutation": (mutation.run, 0.12),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--minutes", type=float, default=60.0, help="time of all parts together")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part is named {unknown[0]!r}: choose from {', '.join(PARTS)}")
    sys.exit(fuzz(arguments.parts or list(PARTS), 60 * arguments.minutes))


def fuzz(chosen: list[str], seconds: float) -> int:
    """Run some parts in the given time; return the exit code. A part that raises is a failure, and the others run."""
    whole = sum(PARTS[name][1] for name in chosen)
    failed = False
    for name in chosen:
        run, share = PARTS[name]
        start = time.monotonic()
        try:
            with threadpool_limits(1):
                found = run(seconds * share / whole)
        except Exception as error:
            found = Found(wrong=[f"{type(error).__name__}: {error}"])
        show(name, found, time.monotonic() - start)
        failed |= bool(found.wrong)
    return int(failed)


def show(name: str, found: Found, seconds: float) -> None:
    """Print the figures of a part, and what went wrong."""
    print(f"{name}: {found.tried.total():,} in {seconds:.0f} s, {len(found.wrong)} wrong", flush=True)
    for kind, number in sorted(found.tried.items()):
        print(f"  {kind:<44} {number:>12,}")
    for line in found.wrong[:20]:
        print(f"  WRONG {line}")


if __name__ == "__main__":
    main()
