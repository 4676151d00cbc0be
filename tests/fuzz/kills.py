"""Processes that are killed while they save: the file at the path is the old one or the new one, byte for byte."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

import askew
from askew.store import container
from fuzz.findings import Found, rounds
from fuzz.models import make, to_bytes
from fuzz.processes import in_processes

AT_ONCE = 2  # processes a core: most of the time is spent waiting for the disk
LONGEST = 0.03  # seconds until a kill


def run(seconds: float) -> Found:
    """Save two models of different size to one path in turns, and kill at random moments."""
    n = AT_ONCE * (os.cpu_count() or 1)
    return in_processes([partial(kill, seconds)] * n, at_once=n)


def kill(seconds: float) -> Found:
    """Kill savers one after the other; an unfinished file beside the model must be removed by the next save."""
    rng, found = np.random.default_rng(), Found()
    X, y = load_iris(return_X_y=True)
    models = [make(askew.CARTClassifier, max_depth=depth).fit(X, y) for depth in (1, 4)]
    contents = [to_bytes(model) for model in models]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.askew"
        container.write(path, contents[0])
        for _ in rounds(seconds):
            _save_until_killed(models, path, rng.uniform(0, LONGEST))
            found.tried["kills"] += 1
            if path.read_bytes() not in contents:
                found.wrong.append("the file is neither the old one nor the new one")
            if os.listdir(folder) != [path.name]:
                found.tried["of these, with an unfinished file"] += 1
                container.write(path, contents[0])
                if os.listdir(folder) != [path.name]:
                    found.wrong.append("an unfinished file is still there after the next save")
        askew.load(path)
    return found


def _save_until_killed(models: list[askew.CARTClassifier], path: Path, seconds: float) -> None:
    child = os.fork()
    if child == 0:
        try:
            while True:
                for model in models:
                    askew.save(model, path)
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
