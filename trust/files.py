"""Model files from strangers: mutated, cut short, with one byte changed. Each is refused, or is a model that works."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from functools import partial, reduce
from operator import add
from pathlib import Path

import numpy as np
from benchmarks.report import Goal, Section

import askew
from trust import guided, sanitized
from trust.budget import Budget, add_to_life, count
from trust.models import memory_folder, small_files
from trust.mutated import Found, mutate
from trust.processes import doing, in_processes

CONSTANT = 200_000  # bytes beside twice the file: the estimator's Python objects, buffers of the reader
GOAL = 50_000_000
MASKS = 15  # that one task changes every byte of a model by; a divisor of 255
ROWS = {
    "mutated": "mutated fields and entries, digest made to fit",
    "sanitized": "the same, core built with address and undefined-behaviour sanitizers",
    "guided": "the same, guided by coverage (atheris)",
    "one byte changed": "one byte changed",
    "cut short": "cut short",
}


def run(budget: Budget) -> list[Section]:
    """Change every byte to everything else, if there is time; mutate for what is left of it."""
    start = time.monotonic()
    models = small_files(1)
    found = {"cut short": _cut(budget, models)}
    found["one byte changed"], passes = _single_bytes(budget.part(0.6), models)
    left = Budget(max(budget.seconds - (time.monotonic() - start), 0.2 * budget.seconds), budget.quick)
    if not budget.quick:
        workers = [partial(sanitized.mutate, left.part(0.2))] * (os.cpu_count() or 1)
        found["sanitized"] = _sum(in_processes(workers, _lost))
        found["guided"] = guided.mutate(left.part(0.2))
    workers = [partial(mutate, left.part(0.6))] * (os.cpu_count() or 1)
    found["mutated"] = _sum(in_processes(workers, _lost, here=budget.quick))
    tried = Counter({f"{key}: {kind}": n for key in ROWS for kind, n in found.get(key, Found()).tried.items()})
    life = add_to_life("files", tried, keep=not budget.quick)
    return [_section(found, life, len(models), passes, budget)]


def _sum(found: list[Found]) -> Found:
    return reduce(add, found, Found())


def _lost(died: str) -> Found:
    """Return what is known of the files that a process tried which died."""
    return Found(wrong=[died])


# --- bytes


def _single_bytes(budget: Budget, models: dict[str, bytes]) -> tuple[Found, int]:
    """Change each byte of each model by exclusive or with one mask after the other, for as long as there is time.

    Return what was found, and how many of the masks were tried at every place of every model.
    """
    masks = np.random.default_rng(0).permutation(255) + 1
    end = time.time() + budget.seconds  # the same in all processes
    step = 97 if budget.quick else 1
    tasks = [
        partial(_change, kind, whole, some.tolist(), step, end)
        for some in masks.reshape(-1, 1 if budget.quick else MASKS)[: 1 if budget.quick else None]
        for kind, whole in models.items()
    ]
    results = in_processes(tasks, _lost, here=budget.quick)
    done = [all(r and r.total() for r in results[i : i + len(models)]) for i in range(0, len(results), len(models))]
    passes = sum(done) * (1 if budget.quick else MASKS)
    return _sum([found for found in results if found is not None]), passes


def _change(kind: str, whole: bytes, masks: list[int], step: int, end: float) -> Found | None:
    """Change each byte of one model by each of some masks; None when the time was over before."""
    if time.time() > end:
        return None
    found = Found()
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        path = Path(folder) / "m.askew"
        path.write_bytes(whole)
        with open(path, "r+b", buffering=0) as file:
            for place in range(0, len(whole), step):
                for mask in masks:
                    os.pwrite(file.fileno(), bytes([whole[place] ^ mask]), place)
                    _refused(path, found, kind, f"byte {place} xor {mask}")
                os.pwrite(file.fileno(), whole[place : place + 1], place)
        askew.load(path)
    return found


def _cut(budget: Budget, models: dict[str, bytes]) -> Found:
    """Try every length that is shorter than the file."""
    step = 97 if budget.quick else 1
    return _sum(in_processes([partial(_shorten, *item, step) for item in models.items()], _lost, here=budget.quick))


def _shorten(kind: str, whole: bytes, step: int) -> Found:
    found = Found()
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        path = Path(folder) / "m.askew"
        path.write_bytes(whole)
        for length in reversed(range(0, len(whole), step)):
            os.truncate(path, length)
            _refused(path, found, kind, f"cut to {length} bytes")
    return found


def _refused(path: Path, found: Found, kind: str, what: str) -> None:
    found.tried[kind] += 1
    doing(f"{kind}, {what}")
    try:
        askew.load(path)
        found.wrong.append(f"{kind}, {what}: accepted")
    except askew.ModelFileError:
        pass
    except Exception as error:
        found.wrong.append(f"{kind}, {what}: {error!r}")


# --- the page


def _section(found: dict[str, Found], life: Counter[str], models: int, passes: int, budget: Budget) -> Section:
    wrong = [line for one in found.values() for line in one.wrong]
    above = max(one.above for one in found.values())
    rows = [
        (
            title,
            *(map(count, (found[key].total(), found[key].accepted, len(found[key].wrong))) if key in found else "---"),
            count(sum(n for kind, n in life.items() if kind.startswith(key))),
        )
        for key, title in ROWS.items()
    ]
    text = (
        f"Mutations change the content of {len(found['mutated'].tried)} kinds of models, ensembles and linear leaves "
        "too; what is accepted must predict, print itself, be saved and pickled, and give the same again. One of 50 "
        "and all that are accepted go through a file that is signed anew, the others through what `load` runs once "
        f"the digest fits. Bytes are changed at every place of {models} models by exclusive or with {passes} of the "
        f"255 masks{' (every 97th place)' if budget.quick else ''}; every shorter length is tried once."
    )
    for key, reason in (("sanitized", sanitized.missing()), ("guided", guided.missing())):
        text += f" {ROWS[key].split(', ')[1].capitalize()}: not run, {reason}." if reason else ""
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
