"""Processes that are killed while they save, full disks and read-only folders: a whole file is left each time."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from benchmarks.report import Goal, Section
from sklearn.datasets import load_iris

import askew
from askew.store import container
from trust.budget import Budget, count
from trust.models import make, to_bytes

GOAL = 10_000
NOBODY = 65_534


def run(budget: Budget) -> list[Section]:
    """Kill, fill and forbid."""
    X, y = load_iris(return_X_y=True)
    models = [make(askew.CARTClassifier, max_depth=depth).fit(X, y) for depth in (1, 4)]
    contents = [to_bytes(model) for model in models]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kills, torn, between = _kill(budget, folder / "m.askew", models, contents)
        full, bad = _fill(budget, folder / "m.askew", contents)
        refused = _read_only(folder / "closed", contents[0])
    rows = [
        ("SIGKILL at a random moment of saving in a loop", count(kills), count(torn)),
        ("a file may not grow beyond a random size", count(full), count(bad)),
        ("read-only folder, as a user without privileges", "1", "0" if refused else "1"),
    ]
    text = (
        "Two models of different size are saved to one path in turns. Afterwards the file must be one of them, byte "
        f"for byte. Of the kills {count(between)} left an unfinished file beside it, which nothing reads. A full disk "
        "is a limit on the size of files (RLIMIT_FSIZE)."
    )
    return [
        Section(
            "Kills while saving",
            text,
            ("fault", "tried", "file not whole"),
            rows,
            (
                Goal("the old or the new file is whole each time", torn + bad == 0 and refused),
                Goal(f"{count(GOAL)} kills: {count(kills)}", kills >= GOAL),
            ),
        )
    ]


def _kill(
    budget: Budget, path: Path, models: list[askew.CARTClassifier], contents: list[bytes]
) -> tuple[int, int, int]:
    """Return the kills, how many left another file, and how many something beside it."""
    rng = np.random.default_rng()
    container.write(path, contents[0])
    kills = torn = between = 0

    def save_without_end() -> None:
        while True:
            for model in models:
                askew.save(model, path)

    for _ in budget.rounds(0.8):
        if kills == 2 * GOAL:
            break
        child = _forked(save_without_end)
        time.sleep(rng.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        kills += 1
        torn += path.read_bytes() not in contents
        beside = [name for name in os.listdir(path.parent) if name != path.name]
        between += len(beside)
        for name in beside:
            (path.parent / name).unlink()
    askew.load(path)
    return kills, torn, between


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

    for _ in budget.rounds(0.1):
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
