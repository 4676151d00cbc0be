"""Workers of a Dask cluster that are killed during a fit: the model is that of a cluster that loses none."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections import Counter, defaultdict
from threading import Thread
from typing import Any

import numpy as np
from benchmarks.report import Goal, Section
from distributed import Client
from sklearn.base import clone

from trust.budget import Budget, count
from trust.dask_models import estimators, fitted_digest, parted, processes

GOAL = 200
WORKERS = 4
MOST = 3  # kills of one fit: Dask gives a task up that four workers died of
HANG = 120.0  # seconds after the last kill
OUTCOMES = ("fits", "kills", "another model", "errors", "hangs", "left on the cluster")


def run(budget: Budget) -> list[Section]:
    """Kill until there were enough."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    messages: list[str] = []
    rng = np.random.default_rng()
    end = time.monotonic() + budget.seconds
    goal = 2 if budget.quick else GOAL
    while time.monotonic() < end and sum(one["kills"] for one in found.values()) < goal:
        with processes(WORKERS) as client:
            _kill_until(client, goal, end, rng, found, messages)
    total = sum(found.values(), Counter[str]())
    rows = [(name, *(count(one[what]) for what in OUTCOMES)) for name, one in found.items()]
    rows.append(("**all**", *(count(total[what]) for what in OUTCOMES)))
    wrong = sum(total[what] for what in OUTCOMES[2:])
    text = (
        f"SIGKILL of random workers at random moments of a fit, up to {MOST} in each, on a cluster of {WORKERS} real "
        "processes that are started again; the rows in random order and random partitions. The hash of all arrays of "
        f"the model must be that of a fit without kills. A fit that takes {HANG:.0f} seconds after its last kill is a "
        f"hang.{' Errors: ' + '; '.join(messages) + '.' if messages else ''}"
    )
    goals = (
        Goal(f"the same model, no hang, nothing left on the cluster; {wrong} times it was not so", wrong == 0),
        Goal(f"{count(GOAL)} kills: {count(total['kills'])}", total["kills"] >= GOAL),
    )
    return [Section("Kills of Dask workers", text, ("estimator", *OUTCOMES), rows, goals)]


def _kill_until(
    client: Client,
    goal: int,
    end: float,
    rng: np.random.Generator,
    found: defaultdict[str, Counter[str]],
    messages: list[str],
) -> None:
    """Fit the estimators in turn; return when there were enough kills, the time is over, or a fit hangs."""
    models = dict(list(estimators().items())[: 1 if goal < GOAL else None])
    expected: dict[str, tuple[str, float]] = {}
    while True:
        for name, model in models.items():
            if time.monotonic() > end or sum(one["kills"] for one in found.values()) >= goal:
                return
            if name not in expected:
                expected[name] = _undisturbed(model, rng)
            fit = _Fit(clone(model), parted(model, rng))
            found[name]["kills"] += fit.kill(client, expected[name][1], rng)
            found[name]["fits"] += 1
            if not fit.ends(client):
                found[name]["hangs"] += 1
                return
            if fit.error is not None:
                found[name]["errors"] += 1
                messages.append(f"{name}: {type(fit.error).__name__}: {fit.error}")
            found[name]["another model"] += fit.error is None and fit.digest != expected[name][0]
            del fit
            found[name]["left on the cluster"] += not _is_empty(client)


def _undisturbed(model: Any, rng: np.random.Generator) -> tuple[str, float]:
    """Return the hash of a model and the seconds that a fit takes when all workers have what they need."""
    seconds = float("inf")
    for _ in range(2):
        start = time.monotonic()
        digest = fitted_digest(clone(model), parted(model, rng))
        seconds = min(seconds, time.monotonic() - start)
    return digest, seconds


class _Fit(Thread):
    """A fit in a thread of its own, which may be left behind if it hangs."""

    def __init__(self, model: Any, arrays: list[Any]) -> None:
        super().__init__(daemon=True)
        self.model, self.arrays = model, arrays
        self.digest, self.error = "", None

    def run(self) -> None:
        try:
            self.digest = fitted_digest(self.model, self.arrays)
        except BaseException as error:
            self.error = error.with_traceback(None)  # which would hold futures

    def kill(self, client: Client, seconds: float, rng: np.random.Generator) -> int:
        """Start; kill random workers at random moments of the time that the fit takes; return how many were killed."""
        self.start()
        start, kills = time.monotonic(), 0
        for moment in np.sort(rng.uniform(0.0, seconds, int(rng.integers(1, MOST + 1)))):
            self.join(max(0.0, start + float(moment) - time.monotonic()))
            pids = _pids(client)
            if not self.is_alive():
                break
            if pids:
                client.cluster.scale(WORKERS)  # a worker that its nanny does not start again is replaced
                os.kill(int(rng.choice(pids)), signal.SIGKILL)
                kills += 1
        return kills

    def ends(self, client: Client) -> bool:
        """Whether the fit ends in time; workers that are not started again are replaced meanwhile."""
        end = time.monotonic() + HANG
        while self.is_alive() and time.monotonic() < end:
            client.cluster.scale(WORKERS)
            self.join(1.0)
        return not self.is_alive()


def _pids(client: Client) -> list[int]:
    """Return the processes of the workers that the scheduler knows: one that is just starting is left alone."""
    known = client.cluster.scheduler.workers
    return [nanny.pid for nanny in client.cluster.workers.values() if nanny.worker_address in known and nanny.pid]


def _is_empty(client: Client) -> bool:
    """Whether the cluster forgets all tasks; releases are messages, which may take a moment."""
    gc.collect()
    end = time.monotonic() + 60
    while client.cluster.scheduler.tasks:
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
