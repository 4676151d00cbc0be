"""Processes that are killed while they save, full disks and read-only folders: a whole file is left each time."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from benchmarks.report import Goal, Section
from sklearn.datasets import load_iris

import askew
from askew.store import container
from trust.budget import Budget, count
from trust.models import make, to_bytes
from trust.processes import in_processes

GOAL = 10_000
AT_ONCE = 2  # processes a core: most of the time is spent waiting for the disk
LONGEST = 0.03  # seconds until a kill
NOBODY = 65_534


def run(budget: Budget) -> list[Section]:
    """Kill, fill and forbid."""
    X, y = load_iris(return_X_y=True)
    models = [make(askew.CARTClassifier, max_depth=depth).fit(X, y) for depth in (1, 4)]
    contents = [to_bytes(model) for model in models]
    workers = [partial(_kill, budget.part(0.85), models, contents)] * (AT_ONCE * (os.cpu_count() or 1))
    died: list[str] = []

    def lost(what: str) -> tuple[int, int, int, int]:
        died.append(what)
        return 0, 0, 0, 0

    found = in_processes(workers, lost, at_once=len(workers), here=budget.quick)
    kills, torn, between, kept = (sum(column) for column in zip(*found, strict=True))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        full, bad = _fill(budget.part(0.1), folder / "m.askew", contents)
        refused = _read_only(folder / "closed", contents[0])
    rows = [
        ("SIGKILL at a random moment of saving in a loop", count(kills), count(torn)),
        ("unfinished files that they left, for the next save to remove", count(between), count(kept)),
        ("a file may not grow beyond a random size", count(full), count(bad)),
        ("read-only folder, as a user without privileges", "1", "0" if refused else "1"),
    ]
    text = (
        "Two models of different size are saved to one path in turns. Afterwards the file must be one of them, byte "
        f"for byte. Of the kills {count(between)} left an unfinished file beside it, which nothing reads and the next "
        "save removes. A full disk is a limit on the size of files (RLIMIT_FSIZE)."
    )
    if died:
        text += " Wrong: " + "; ".join(died)
    return [
        Section(
            "Kills while saving",
            text,
            ("fault", "tried", "wrong"),
            rows,
            (
                Goal("the old or the new file is whole each time", torn + bad == 0 and refused and not died),
                Goal("nothing stays beside it once another save is over", kept == 0),
                Goal(f"{count(GOAL)} kills: {count(kills)}", kills >= GOAL),
            ),
        )
    ]


def _kill(budget: Budget, models: list[askew.CARTClassifier], contents: list[bytes]) -> tuple[int, int, int, int]:
    """Kill savers: how many, how many left another file, how many something beside it, how often that stayed."""
    rng = np.random.default_rng()
    kills = torn = between = kept = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.askew"
        container.write(path, contents[0])

        def save_without_end() -> None:
            while True:
                for model in models:
                    askew.save(model, path)

        for _ in budget.rounds():
            child = _forked(save_without_end)
            time.sleep(rng.uniform(0, LONGEST))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            kills += 1
            torn += path.read_bytes() not in contents
            if os.listdir(folder) != [path.name]:
                between += 1
                container.write(path, contents[0])
                kept += os.listdir(folder) != [path.name]
        askew.load(path)
    return kills, torn, between, kept


def _fill(budget: Budget, path: Path, contents: list[bytes]) -> tuple[int, int]:
    """Return the saves that met a limit, and how many were no OSError or left another file."""
    rng = np.random.default_rng()
    old, new = contents
    container.write(path, old)
    tried = bad = 0

    def save(limit: int) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            container.write(path, new)
        except OSError:
            os._exit(7)

    for _ in budget.rounds():
        limit = int(rng.integers(len(new)))
        child = _forked(lambda limit=limit: save(limit))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        tried += 1
        bad += status != 7 or path.read_bytes() != old or os.listdir(path.parent) != [path.name]
    return tried, bad


def _read_only(folder: Path, content: bytes) -> bool:
    """Whether a folder that may not be written to is an OSError, and the file in it stays."""
    folder.mkdir()
    path = folder / "m.askew"
    path.write_bytes(content)
    folder.chmod(0o555)
    folder.parent.chmod(0o755)

    def save() -> None:
        if os.getuid() == 0:
            os.setuid(NOBODY)
        try:
            container.write(path, b"new")
        except OSError:
            os._exit(7)

    status = os.waitstatus_to_exitcode(os.waitpid(_forked(save), 0)[1])
    folder.chmod(0o755)
    return status == 7 and path.read_bytes() == content and os.listdir(folder) == [path.name]


def _forked(work: Callable[[], object]) -> int:
    """Do some work in a forked process; return its number."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child
