"""Model files from strangers: mutated, cut short, with one byte changed. Each is refused, or is a model that works."""

from __future__ import annotations

import os
import secrets
import tempfile
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from benchmarks.report import Goal, Section

import askew
from trust.budget import Budget, add_to_life, count
from trust.models import memory_folder, small_files

CONSTANT = 200_000  # bytes beside twice the file: the estimator's Python objects, buffers of the reader
GOAL = 50_000_000


def run(budget: Budget) -> list[Section]:
    """Try mutations for half of the time, truncations and single bytes for the other half."""
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that predict odd numbers; the tests look at these
        models = small_files()
        mutations, above = _mutate(budget, Path(folder))
        single, passes = _single_bytes(budget, models, Path(folder) / "m.askew")
        cut = _cut(budget, models, Path(folder) / "m.askew")
    tried = Counter({f"mutated: {kind}": n for kind, n in mutations.tried.items()})
    tried += Counter({"one byte changed": single.total(), "cut short": cut.total()})
    life = add_to_life("files", tried, keep=not budget.quick)
    return [_section(mutations, single, cut, life, above, len(models), passes, budget)]


class Found:
    """Counts of one kind of damage, and what went wrong."""

    def __init__(self) -> None:
        self.tried: Counter[str] = Counter()
        self.accepted = 0
        self.wrong: list[str] = []

    def total(self) -> int:
        """Return how many files were tried."""
        return self.tried.total()


def _mutate(budget: Budget, folder: Path) -> tuple[Found, int]:
    """Change fields and entries of the models that the tests use; return also the most memory above twice the file."""
    from store.test_mutated_files import EXAMPLES, check

    whole = {}
    for kind, model in EXAMPLES.items():
        askew.save(model, folder / "whole.askew")
        with open(folder / "whole.askew", "rb") as file:
            whole[kind] = askew.store.container.read(file)
    found, above, first = Found(), 0, secrets.randbelow(2**40)
    for number in budget.rounds(0.5):
        for kind, (arrays, document) in whole.items():
            found.tried[kind] += 1
            try:
                found.accepted += check(arrays, document, first + number, folder / "m.askew")
            except Exception as error:
                found.wrong.append(f"{kind}, seed {first + number}: {error!r}")
            if number % 10 == 0:
                above = max(above, _memory(folder / "m.askew"))
    return found, above


def _memory(path: Path) -> int:
    """Return how many bytes more than twice the file are allocated at most while it is read."""
    tracemalloc.start()
    try:
        askew.load(path)
    except askew.ModelFileError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak - 2 * path.stat().st_size


def _single_bytes(budget: Budget, models: dict[str, bytes], path: Path) -> tuple[Found, int]:
    """Change each byte of each model by exclusive or with one mask after the other, for as long as there is time."""
    found, passes = Found(), 0
    masks = np.random.default_rng(0).permutation(255) + 1
    for number in budget.rounds(0.35):
        if number == len(masks):
            break
        for kind, content in models.items():
            path.write_bytes(content)
            with open(path, "r+b", buffering=0) as file:
                for place in range(0, len(content), 97 if budget.quick else 1):
                    os.pwrite(file.fileno(), bytes([content[place] ^ int(masks[number])]), place)
                    _refused(path, found, kind, f"byte {place} xor {masks[number]}")
                    os.pwrite(file.fileno(), content[place : place + 1], place)
        passes += 1
    return found, passes


def _cut(budget: Budget, models: dict[str, bytes], path: Path) -> Found:
    """Try every length that is shorter than the file."""
    found = Found()
    for kind, content in models.items():
        path.write_bytes(content)
        for length in reversed(range(0, len(content), 97 if budget.quick else 1)):
            os.truncate(path, length)
            _refused(path, found, kind, f"cut to {length} bytes")
    return found


def _refused(path: Path, found: Found, kind: str, what: str) -> None:
    found.tried[kind] += 1
    try:
        askew.load(path)
        found.wrong.append(f"{kind}, {what}: accepted")
    except askew.ModelFileError:
        pass
    except Exception as error:
        found.wrong.append(f"{kind}, {what}: {error!r}")


def _section(
    mutations: Found,
    single: Found,
    cut: Found,
    life: Counter[str],
    above: int,
    models: int,
    passes: int,
    budget: Budget,
) -> Section:
    wrong = [*mutations.wrong, *single.wrong, *cut.wrong]
    rows = [
        ("mutated fields and entries, digest made to fit", *_cells(mutations), count(_life(life, "mutated"))),
        ("one byte changed", *_cells(single), count(_life(life, "one byte"))),
        ("cut short", *_cells(cut), count(_life(life, "cut"))),
    ]
    text = (
        f"Mutations change the content of {len(mutations.tried)} kinds of models, ensembles and linear leaves too, "
        "and sign it anew; what is accepted must predict, print itself, be saved and pickled, and give the same again. "
        f"Bytes are changed at every place of {models} models by exclusive or with {passes} of the 255 masks"
        f"{' (every 97th place)' if budget.quick else ''}; every shorter length is tried once."
    )
    if wrong:
        text += " Wrong: " + "; ".join(wrong[:10])
    return Section(
        "Model files",
        text,
        ("damage", "tried", "accepted and work", "anything else", "project's life"),
        rows,
        (
            Goal("nothing but ModelFileError or a model that works", not wrong),
            Goal(
                f"no allocation above twice the file and {count(CONSTANT)} bytes (most: {count(above)})",
                above <= CONSTANT,
            ),
            Goal(f"every one-byte change: {passes} of 255 values at each place", passes == 255),
            Goal(f"{count(GOAL)} inputs over the project's life: {count(life.total())}", life.total() >= GOAL),
        ),
    )


def _cells(found: Found) -> Iterator[str]:
    yield from (count(found.total()), count(found.accepted), count(len(found.wrong)))


def _life(life: Counter[str], start: str) -> int:
    return sum(n for kind, n in life.items() if kind.startswith(start))
