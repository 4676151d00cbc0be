"""Clocks: what is compared is run in turns, and the best of several runs counts."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any


def best_of(calls: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the shortest time of each call in seconds.

    The calls take turns, so that a slow spell of the machine hits all of them; the shortest time is the
    one that was disturbed least.

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
            start = perf_counter()
            kept = call()
            best[name] = min(best[name], perf_counter() - start)
            del kept  # after the clock has stopped: freeing is no part of the work
    return best
