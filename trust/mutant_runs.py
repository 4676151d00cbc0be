"""A plugin of pytest: run the tests once for each of some mutants, in a process that is forked when all is imported.

`MUTANTS` names a file with the names of the mutants, one a line; `MUTANT_LOG` one for what came of each. The first
run of all tests records which functions each of them reaches: a mutant is given the tests of its function, quick ones
first, until one fails.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from mutmut.mutation import trampoline

_MEMORY = 4 << 30  # bytes that a mutant may take
_current: dict[str, float] | None = None  # in a process that runs tests: the seconds of each, if they are recorded


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Take the place of pytest's own loop."""
    names = Path(os.environ["MUTANTS"]).read_text(encoding="utf-8").split()
    scratch = Path(session.config.option.basetemp)
    reached = _in_fork(lambda: _record(session), 600, scratch)
    if not isinstance(reached, dict):
        raise pytest.UsageError(f"a test fails without any mutant: {os.environ['MUTANT_LOG']}")
    with open(os.environ["MUTANT_LOG"], "a", encoding="utf-8", buffering=1) as log:
        for name in names:
            tests = reached.get(name.partition("__mutmut_")[0], {})
            seconds = sum(tests.values())
            order = sorted(map(int, tests), key=lambda item: tests[str(item)])
            ran = order and _in_fork(lambda: _run(session, name, order), 15 + 10 * seconds, scratch)  # noqa: B023
            log.write(f"{name} {ran or 'survived'}\n")
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """End the process at the first failure."""
    if _current is None:
        return
    if report.failed:
        if trampoline.get_mutant_under_test() == "stats":
            Path(os.environ["MUTANT_LOG"]).write_text(f"{report.nodeid}\n{report.longreprtext}\n", encoding="utf-8")
        os._exit(1)
    _current[report.nodeid] = _current.get(report.nodeid, 0.0) + report.duration


def _record(session: pytest.Session) -> dict[str, dict[int, float]]:
    """Run all tests; return the tests that reach each function, and the seconds that each takes."""
    global _current
    _current = {}
    hit: set[str] = set()
    trampoline.record_trampoline_hit = lambda name, caller=None: hit.add(name)
    trampoline.set_mutant_under_test("stats")
    reached: dict[str, dict[int, float]] = defaultdict(dict)
    for i, item in enumerate(session.items):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=(*session.items, None)[i + 1])
        for function in hit:
            reached[function][i] = _current[item.nodeid]
        hit.clear()
    return reached


def _run(session: pytest.Session, mutant: str, order: list[int]) -> str:
    """Run some tests with a mutant; a failure ends the process."""
    global _current
    _current = {}
    trampoline.set_mutant_under_test(mutant)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, hard))
    items = [session.items[i] for i in order]
    for i, item in enumerate(items):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=(*items, None)[i + 1])
    return "survived"


def _in_fork(function: Callable[[], object], seconds: float, scratch: Path) -> object:
    """Return what a function returns in a process of its own: "killed" if that dies, "timeout" if it does not end."""
    answer = scratch.with_suffix(".answer")
    answer.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            answer.write_text(json.dumps(function()), encoding="utf-8")
            os._exit(0)
        finally:
            os._exit(1)
    end = time.monotonic() + seconds
    while not os.waitpid(pid, os.WNOHANG)[0]:
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return "timeout"
        time.sleep(0.002)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(exist_ok=True)
    return json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else "killed"
