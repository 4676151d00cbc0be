"""Time that a section may take, and counts that outlast a run."""

from __future__ import annotations

import fcntl
import json
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.report import Section

LIFE = Path(__file__).parent / "counts.json"


@dataclass(frozen=True)
class Budget:
    """Seconds for a section; `quick` asks for no more than that everything runs."""

    seconds: float
    quick: bool = False

    def rounds(self, share: float = 1.0) -> Iterator[int]:
        """Count up from 0 until this share of the time is over."""
        end = time.monotonic() + share * self.seconds
        number = 0
        while number == 0 or time.monotonic() < end:
            yield number
            number += 1

    def part(self, share: float) -> Budget:
        """Return a share of the time."""
        return Budget(share * self.seconds, self.quick)


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in what takes longer (in a main thread, which hears of signals)."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"no end after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def timed(run: Callable[[Budget], list[Section]], budget: Budget) -> list[Section]:
    """Run a section; say how long it took. Here, since a process that is started anew cannot import `__main__`."""
    start = time.monotonic()
    sections = run(budget)
    taken = f"It took {time.monotonic() - start:.0f} seconds."
    return [replace(section, text=f"{section.text} {taken}") for section in sections]


def add_to_life(theme: str, found: Counter[str], *, keep: bool = True, path: Path = LIFE) -> Counter[str]:
    """Add counts to those of the project's life, and return these."""
    with open(path, "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # sections run beside each other
        file.seek(0)
        life = json.loads(file.read() or "{}")
        total = Counter(life.get(theme, {})) + found
        if keep:
            life[theme] = dict(sorted(total.items()))
            file.truncate(0)
            file.write(json.dumps(life, indent=2, sort_keys=True) + "\n")
    return total


def count(number: float) -> str:
    """Write a number with commas."""
    return f"{number:,.0f}"
