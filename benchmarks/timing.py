"""Time and memory: calls that are compared take turns, and the best of several runs counts."""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")


def best_of(
    calls: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """Return the shortest time of each call in seconds.

    The calls take turns, so that other work on the machine slows all of them; the shortest time is the one that was
    disturbed least. For work on one thread `time.process_time` is a clock that other programs disturb less.

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
            del kept  # after the clock has stopped: freeing memory is not measured
    return best


def in_own_process(function: Callable[..., T], *arguments: str | int) -> T:
    """Return the result of a function of a module, called in a new process; it goes through JSON."""
    program = (
        f"import json, sys; from {function.__module__} import {function.__name__} as function; "
        "print(json.dumps(function(*json.loads(sys.argv[1]))))"
    )
    command = [sys.executable, "-c", program, json.dumps(arguments)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    result: T = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=alone).stdout)
    return result


def peak() -> int:
    """Return the peak memory of this process in bytes.

    Under Linux a new process inherits `ru_maxrss` from the one that started it, so `/proc` is read there.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
