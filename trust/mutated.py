"""Mutations of what a model file holds, through the code that `load` runs once a digest fits.

``python -m trust.mutated SECONDS`` does so in a process of its own, as under sanitizers, and prints what it found.
"""

from __future__ import annotations

import json
import random
import secrets
import sys
import tempfile
import tracemalloc
import warnings
from collections import Counter
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import askew
from askew.store import container
from askew.store.estimators import unpack_estimator
from trust.budget import Budget
from trust.models import memory_folder, small_files
from trust.processes import doing

SIGNED = 50  # of so many mutations one is written to a file, whose size its memory is compared with
COUNTS = (1, 2, 3, 5, 8, 13)  # mutations of one file
REFUSALS = (ValueError, RecursionError)  # what `load` makes a ModelFileError of


@dataclass
class Found:
    """Files that were tried, by kind; how many were accepted; what went wrong; most bytes above twice the file."""

    tried: Counter[str] = field(default_factory=Counter)
    accepted: int = 0
    wrong: list[str] = field(default_factory=list)
    above: int = 0

    def total(self) -> int:
        """Return how many files were tried."""
        return self.tried.total()

    def __add__(self, other: Found) -> Found:
        accepted, above = self.accepted + other.accepted, max(self.above, other.above)
        return Found(self.tried + other.tried, accepted, self.wrong + other.wrong, above)


def mutate(budget: Budget) -> Found:
    """Change fields and entries of small models, each kind in turns."""
    found, first = Found(), secrets.randbelow(2**40)
    contents = {kind: container.read(BytesIO(whole)) for kind, whole in small_files(2).items()}
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that predict odd numbers; the tests look at these
        path = Path(folder) / "m.askew"
        for number in budget.rounds():
            for kind, (arrays, document) in contents.items():
                found.tried[kind] += 1
                doing(f"{kind}, seed {first + number}")
                try:
                    accepted, above = check(arrays, document, first + number, path)
                    found.accepted += accepted
                    found.above = max(found.above, above)
                except Exception as error:
                    found.wrong.append(f"{kind}, seed {first + number}: {error!r}")
    return found


def check(arrays: container.Arrays, document: Any, seed: int, path: Path) -> tuple[bool, int]:
    """Mutate once; return whether it is accepted, after everything that a model does. Raises for what is wrong.

    Also return the most bytes above twice the file, where the memory was looked at.
    """
    from mutations import mutated
    from store.test_mutated_files import use, watched

    rng, above = random.Random(seed), 0
    arrays, document = mutated(rng, arrays, document, COUNTS)
    try:
        model = unpack_estimator(arrays, document)
    except REFUSALS:
        model = None
    if model is not None or seed % SIGNED == 0:
        path.write_bytes(container.to_bytes(arrays, document))
        loads, above = load_with_memory(path) if seed % SIGNED == 0 else (_loads(path), 0)
        assert loads == (model is not None), "the file is judged otherwise than its content"
    if model is not None:
        with watched():
            use(model, rng, path)
    return model is not None, above


def load_with_memory(path: Path) -> tuple[bool, int]:
    """Return whether a file loads, and how many bytes more than twice its size that takes at most."""
    tracemalloc.start()
    try:
        return _loads(path), tracemalloc.get_traced_memory()[1] - 2 * path.stat().st_size
    finally:
        tracemalloc.stop()


def _loads(path: Path) -> bool:
    try:
        askew.load(path)
    except askew.ModelFileError:
        return False
    return True


if __name__ == "__main__":
    print(json.dumps(vars(mutate(Budget(float(sys.argv[1]))))))
