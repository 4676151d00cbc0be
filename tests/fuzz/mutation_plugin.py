"""A plugin of pytest: run the tests once for each of some mutants, in a process that is forked when all is imported.

`MUTANTS` names a file with the names of the mutants, one a line; `MUTANT_LOG` a file for the outcomes; `MUTANT_END` is
the time at which no further mutant is tried. First, all tests run without a mutant, and it is recorded which functions
each of them reaches. A mutant then gets the tests of its function, quick ones first, until one fails.
"""

from __future__ import annotations

import gc
import os
import resource
import shutil
import signal
import time
from collections import defaultdict
from math import ceil
from pathlib import Path

import pytest
from mutmut.mutation import trampoline

_MEMORY = 4 << 30  # bytes that a mutant may take
_forked = False  # whether this process runs the tests for a mutant


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Take the place of pytest's own loop."""
    names = Path(os.environ["MUTANTS"]).read_text(encoding="utf-8").split()
    reached = _record(session)
    if session.testsfailed:
        raise session.Failed("a test fails without any mutant")
    gc.freeze()  # a collection in a fork would copy all memory
    with open(os.environ["MUTANT_LOG"], "a", encoding="utf-8", buffering=1) as log:
        for name in names:
            if time.time() > float(os.environ["MUTANT_END"]):
                break
            tests = reached.get(name.partition("__mutmut_")[0], {})
            order = sorted(tests, key=lambda item: tests[item])
            state = _in_fork(session, name, order, 3 + 2 * sum(tests.values())) if tests else "survived"
            log.write(f"{name} {state}\n")
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> None:
    """End the process of a mutant at the first failure."""
    if _forked and call.excinfo is not None and not call.excinfo.errisinstance(pytest.skip.Exception):
        os._exit(1)


def _record(session: pytest.Session) -> dict[str, dict[pytest.Item, float]]:
    """Run all tests; return those that reach each function, and the seconds that each takes."""
    hit: set[str] = set()
    trampoline.record_trampoline_hit = lambda name, caller=None: hit.add(name)
    trampoline.set_mutant_under_test("stats")
    reached: dict[str, dict[pytest.Item, float]] = defaultdict(dict)
    for item, following in zip(session.items, [*session.items[1:], None], strict=True):
        start = time.perf_counter()
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        for function in hit:
            reached[function][item] = time.perf_counter() - start
        hit.clear()
    return reached


def _in_fork(session: pytest.Session, mutant: str, items: list[pytest.Item], seconds: float) -> str:
    """Run some tests with a mutant in a process of its own, for at most this processor time."""
    global _forked
    pid = os.fork()
    if pid == 0:
        try:
            _forked = True
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), ceil(seconds) + 5))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
            trampoline.set_mutant_under_test(mutant)
            for item, following in zip(items, [*items[1:], None], strict=True):
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            os._exit(0)
        finally:
            os._exit(1)
    state = _wait(pid, 30 + 10 * seconds)
    scratch = Path(session.config.option.basetemp)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(exist_ok=True)
    return state


def _wait(pid: int, seconds: float) -> str:
    """Wait for a process; end it if it sleeps for longer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return "timeout" if os.WTERMSIG(status) == signal.SIGXCPU else "killed" if status else "survived"
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "timeout"
