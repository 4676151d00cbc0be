"""Model files that are cut short, have one byte changed, or are mutated: each is refused, or is a model that works."""

from __future__ import annotations

import os
import random
import secrets
import tempfile
import time
import tracemalloc
import warnings
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
from mutations import mutated
from store.test_mutated_files import use, watched

import askew
from askew.store import container
from askew.store.estimators import unpack_estimator
from fuzz.findings import Found, rounds
from fuzz.models import memory_folder, small_files
from fuzz.processes import doing, in_processes

MASKS = 15  # by which one task changes every byte of a model; a divisor of 255
SIGNED = 50  # one of 50 mutations is written to a file, and the memory that it takes is compared with its size
CONSTANT = 200_000  # bytes beside twice the file: the estimator's Python objects, buffers of the reader
COUNTS = (1, 2, 3, 5, 8, 13)  # mutations of one file
REFUSALS = (ValueError, RecursionError)  # what `load` makes a ModelFileError of


# --- bytes: the digest does not fit


def damage(seconds: float) -> Found:
    """Try every shorter length; then change every byte by exclusive or with 255 masks, while there is time."""
    end = time.time() + seconds  # the clock that all processes share
    models = secrets.randbelow(2**31)
    files = {f"{kind} of small_files(1, {models})": whole for kind, whole in small_files(1, models).items()}
    masks = np.random.default_rng().permutation(255) + 1
    tasks = [partial(shorten, *item) for item in files.items()]
    for some in masks.reshape(-1, MASKS):
        tasks += [partial(change, *item, some.tolist(), end) for item in files.items()]
    return in_processes(tasks)


def shorten(kind: str, whole: bytes, step: int = 1) -> Found:
    """Cut a file to every shorter length, or to every `step`-th of them."""
    found = Found()
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        path = Path(folder) / "m.askew"
        path.write_bytes(whole)
        for length in reversed(range(0, len(whole), step)):
            os.truncate(path, length)
            _refused(path, found, "cut short", f"{kind} cut to {length} bytes")
    return found


def change(kind: str, whole: bytes, masks: list[int], end: float, step: int = 1) -> Found:
    """Change each byte of a file, or every `step`-th, by each of some masks; nothing after the end."""
    found = Found()
    if time.time() > end:
        return found
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        path = Path(folder) / "m.askew"
        path.write_bytes(whole)
        with open(path, "r+b", buffering=0) as file:
            for place in range(0, len(whole), step):
                for mask in masks:
                    os.pwrite(file.fileno(), bytes([whole[place] ^ mask]), place)
                    _refused(path, found, "one byte changed", f"{kind} with byte {place} xor {mask}")
                os.pwrite(file.fileno(), whole[place : place + 1], place)
        askew.load(path)
    return found


def _refused(path: Path, found: Found, kind: str, what: str) -> None:
    found.tried[kind] += 1
    doing(what)
    try:
        askew.load(path)
        found.wrong.append(f"{what}: accepted")
    except askew.ModelFileError:
        pass
    except Exception as error:
        found.wrong.append(f"{what}: {error!r}")


# --- mutated content: the digest fits


def mutate(seconds: float) -> Found:
    """Change fields and entries of small models of all kinds."""
    return in_processes([partial(_mutate, seconds)] * (os.cpu_count() or 1))


def _mutate(seconds: float) -> Found:
    found, first, models = Found(), secrets.randbelow(2**40), secrets.randbelow(2**31)
    contents = {kind: container.read(BytesIO(whole)) for kind, whole in small_files(2, models).items()}
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that predict odd numbers; the suite tests these
        path = Path(folder) / "m.askew"
        for number in rounds(seconds):
            for kind, (arrays, document) in contents.items():
                what = f"{kind} of small_files(2, {models}), seed {first + number}"
                doing(what)
                try:
                    accepted = check(arrays, document, first + number, path)
                    found.tried["accepted and works" if accepted else "refused"] += 1
                except Exception as error:
                    found.tried["wrong"] += 1
                    found.wrong.append(f"{what}: {error!r}")
    return found


def check(arrays: container.Arrays, document: object, seed: int, path: Path) -> bool:
    """Mutate once; return whether the content is accepted, after all that a model does. Raises for what is wrong."""
    rng = random.Random(seed)
    arrays, document = mutated(rng, arrays, document, COUNTS)
    try:
        model = unpack_estimator(arrays, document)
    except REFUSALS:
        model = None
    if model is not None or seed % SIGNED == 0:
        path.write_bytes(container.to_bytes(arrays, document))
        loads = _loads_in_little_memory(path) if seed % SIGNED == 0 else _loads(path)
        assert loads == (model is not None), "the file is accepted and its content refused, or the other way round"
    if model is not None:
        with watched():
            use(model, rng, path)
    return model is not None


def _loads_in_little_memory(path: Path) -> bool:
    tracemalloc.start()
    try:
        loads, most = _loads(path), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    size = path.stat().st_size
    assert most <= 2 * size + CONSTANT, f"a file of {size:,} bytes took {most:,} bytes of memory"
    return loads


def _loads(path: Path) -> bool:
    try:
        askew.load(path)
    except askew.ModelFileError:
        return False
    return True
