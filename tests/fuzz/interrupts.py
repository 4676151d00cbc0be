"""Ctrl-C at random moments of a fit: how soon the fit ends, and what it leaves behind."""

from __future__ import annotations

import select
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from fuzz.findings import Found, rounds

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
    "refinement": "askew.CARTClassifier(refinement=askew.refinement.SoftRefiner(), max_depth=6)",
    "AutoTree": "askew.AutoTreeClassifier(n_jobs=2)",
    "k-DT": "askew.KDTClassifier(estimator=askew.OC1Classifier(), n_estimators=500, n_jobs=2)",
    "forest": "askew.ObliqueForestClassifier(n_estimators=10**5, n_jobs=2)",
    "boosting": "askew.ObliqueBoostingClassifier(max_iter=10**5, n_jobs=2)",
}
# Fits in a loop. After each interrupt it prints the time (by the clock that all processes share), whether the estimator
# is as before, and the number of threads.
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


def run(seconds: float) -> Found:
    """Interrupt fits of every kind, each for the same time."""
    part = seconds * AT_ONCE / len(FITS)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return sum(pool.map(lambda name: interrupt(name, part), FITS), Found())


def interrupt(name: str, seconds: float) -> Found:
    """Interrupt fits of one kind at random moments, and at last one fit twice."""
    rng = np.random.default_rng()
    found = Found()
    process = _start(FITS[name])
    try:
        for _ in rounds(seconds):
            sent = _send(process, rng.uniform(0, 0.4))
            over, same, threads = _line(process).split()
            found.tried["within a second" if float(over) - sent <= 1 else "later than a second"] += 1
            if same != "True":
                found.wrong.append(f"{name}: the estimator has changed")
            if threads != "1":
                found.wrong.append(f"{name}: {threads} threads are alive")
        _send(process, rng.uniform(0, 0.3))
        time.sleep(rng.uniform(0, 0.02))
        process.send_signal(signal.SIGINT)  # wherever the first one is: the process ends, or goes on
        found.tried["twice"] += 1
        assert process.stdin is not None
        process.stdin.close()
        process.wait(HANGS)
    except subprocess.TimeoutExpired:
        found.wrong.append(f"{name}: a fit hangs")
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
    """Return the next line; a process that prints nothing for a minute hangs."""
    assert process.stdout is not None
    if not select.select([process.stdout], [], [], HANGS)[0]:
        raise subprocess.TimeoutExpired(process.args, HANGS)
    return process.stdout.readline().strip()
