"""What a fuzzer tried and what went wrong, and limits of time."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Found:
    """What a fuzzer tried, and what went wrong.

    Attributes
    ----------
    tried : Counter of str
        The number of inputs by outcome or kind.
    wrong : list of str
        One sentence for each failure, with all that it takes to repeat it.
    """

    tried: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __add__(self, other: Found) -> Found:
        return Found(self.tried + other.tried, self.wrong + other.wrong)


def rounds(seconds: float) -> Iterator[int]:
    """Count up from 0 until the time is over; there is at least one round."""
    end = time.monotonic() + seconds
    number = 0
    while number == 0 or time.monotonic() < end:
        yield number
        number += 1


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in a block that takes longer. Signals arrive in the main thread alone."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"no end after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
