"""Clocks: what is compared is run in turns, and the best of several runs counts."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any


def best_of(
    calls: Mapping[str, Callable[[], Any]], rounds: int, clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """Return the shortest time of each call in seconds.

    The calls take turns, so that a slow spell of the machine hits all of them; the shortest time is the
    one that was disturbed least. For work on one thread `time.process_time` is a clock that other programs
    disturb less.

    Examples
    --------
    >>> from benchmarks.timing import best_of
    >>> sorted(best_of({"ours": lambda: None, "theirs": lambda: None}, rounds=2))
    ['ours', 'theirs']
    """
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            gc.collect()
            start = clock()
            kept = call()
            best[name] = min(best[name], clock() - start)
            del kept  # after the clock has stopped: freeing is no part of the work
    return best
