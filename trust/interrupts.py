"""Ctrl-C at random moments of a fit: how soon it ends, and what it leaves."""

from __future__ import annotations

import select
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from benchmarks.report import Goal, Section

from trust.budget import Budget, count

GOAL, WITHIN = 1_000, 0.99
HANGS = 60.0  # seconds
AT_ONCE = 2  # fits, so that none has the machine to itself
# What is fitted, with parameters that make it last.
FITS = {
    "CART": "askew.CARTClassifier(n_jobs=2)",
    "OC1": "askew.OC1Classifier(n_restarts=500, n_jobs=2)",
    "SADT": "askew.SADTClassifier(max_unproductive=10**8)",
    "LMDT": "askew.LMDTClassifier(max_passes=10**8)",
    "CART-ELC": "askew.CARTELCClassifier(r=3, n_jobs=2)",
    "HHCART": "askew.HHCARTClassifier()",
    "CART-LC": "askew.CARTLCClassifier()",
    "CE-DT": "askew.CEDTClassifier(n_jobs=2)",
    "APDT": "askew.APDTClassifier()",
    "linear": "askew.ObliqueTreeClassifier(search='linear')",
    "refinement": "askew.CARTClassifier(refine=askew.refinement.SoftRefiner(), max_depth=6)",
    "AutoTree": "askew.AutoTreeClassifier(n_jobs=2)",
    "k-DT": "askew.KDTClassifier(estimator=askew.OC1Classifier(), n_estimators=500, n_jobs=2)",
    "forest": "askew.ObliqueForestClassifier(n_estimators=10**5, n_jobs=2)",
    "boosting": "askew.ObliqueBoostingClassifier(max_iter=10**5, n_jobs=2)",
}
# Fits again and again, and says of each interrupt when it was over, whether the model is as before, and how many
# threads there are. The clock is that of the system: this process and the one that interrupts read the same.
PROGRAM = """
import signal, sys, threading, time, warnings
import numpy as np
import askew, askew.refinement
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are started with it ignored
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20_000, 20)), rng.integers(0, 3, size=20_000)
model = {fit}
before = dict(model.__dict__)
print("ready", flush=True)
while sys.stdin.readline():
    try:
        print("fits", flush=True)
        while True:
            model.fit(X, y)
            before = dict(model.__dict__)
    except KeyboardInterrupt:
        over = time.monotonic()
        same = model.__dict__.keys() == before.keys() and all(model.__dict__[k] is before[k] for k in before)
        print(over, same, threading.active_count(), flush=True)
"""


@dataclass
class Found:
    """What came of the interrupts of one kind of fit."""

    waits: list[float] = field(default_factory=list)
    changed: int = 0
    threads: int = 0
    hung: int = 0
    twice: int = 0


def run(budget: Budget) -> list[Section]:
    """Give each kind of fit the same time."""
    names = list(FITS)[:: 7 if budget.quick else 1]
    part = budget.part(AT_ONCE / len(names))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(lambda name: _interrupt(FITS[name], part), names)
        return [_section(dict(zip(names, found, strict=True)))]


def _interrupt(fit: str, budget: Budget) -> Found:
    rng = np.random.default_rng()
    found = Found()
    process = _start(fit)
    try:
        for _ in budget.rounds(0.9):
            sent = _send(process, rng.uniform(0, 0.4))
            over, same, threads = _line(process).split()
            found.waits.append(float(over) - sent)
            found.changed += same != "True"
            found.threads += threads != "1"
        _send(process, rng.uniform(0, 0.3))
        time.sleep(rng.uniform(0, 0.02))
        process.send_signal(signal.SIGINT)  # a second one, wherever the first is: the process ends, or goes on
        found.twice = 1
        assert process.stdin is not None
        process.stdin.close()
        process.wait(HANGS)
    except subprocess.TimeoutExpired:
        found.hung += 1
    finally:
        process.kill()
        process.wait()
    return found


def _start(fit: str) -> subprocess.Popen[str]:
    program = PROGRAM.format(fit=fit)
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    )
    if _line(process) != "ready":
        raise RuntimeError(f"{fit} cannot be made")
    return process


def _send(process: subprocess.Popen[str], delay: float) -> float:
    """Let the process fit, interrupt it some time later, and return when."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    if _line(process) != "fits":
        raise RuntimeError("the process ended")
    time.sleep(delay)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    return sent


def _line(process: subprocess.Popen[str]) -> str:
    """Return the next line; a process that says nothing for long hangs."""
    assert process.stdout is not None
    if not select.select([process.stdout], [], [], HANGS)[0]:
        raise subprocess.TimeoutExpired(process.args, HANGS)
    return process.stdout.readline().strip()


def _section(found: dict[str, Found]) -> Section:
    rows = []
    for name, one in found.items():
        soon = sum(wait <= 1 for wait in one.waits)
        longest = f"{max(one.waits):.2f} s" if one.waits else "-"
        rows.append(
            (name, count(len(one.waits)), count(soon), longest, *map(count, (one.changed, one.threads, one.hung)))
        )
    waits = [wait for one in found.values() for wait in one.waits]
    share = sum(wait <= 1 for wait in waits) / max(len(waits), 1)
    clean = not any(one.changed or one.threads for one in found.values())
    return Section(
        "Ctrl-C",
        "SIGINT at a random moment in the first 0.4 s of a fit on 20,000 rows and 20 columns, then once two of them "
        "within 0.02 s. Waits are by the clock, and depend on what else the machine does.",
        ("fit", "interrupts", "within a second", "longest", "estimator changed", "threads left", "hung"),
        rows,
        (
            Goal(f"{WITHIN:.0%} within one second: {share:.1%}", share >= WITHIN),
            Goal("the estimator as before, no thread left", clean),
            Goal("two of them never hang", not any(one.hung for one in found.values())),
            Goal(f"{count(GOAL)} interrupts: {count(len(waits))}", len(waits) >= GOAL),
        ),
    )
