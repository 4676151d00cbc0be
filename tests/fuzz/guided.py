"""Mutated model files, guided by coverage: atheris (libFuzzer) keeps those that reach new code, and mutates them again.

``python -m fuzz.guided FOLDER [options of libFuzzer]`` fuzzes in a process of its own, beginning with the model
files in the folder; a failure ends the process.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from fuzz import ROOT
from fuzz.findings import Found

LONGEST = 30_000  # bytes of a file
HANGS = 180.0  # seconds after the time is over
AT_ONCE = 2  # processes, which share the files that they find


def run(seconds: float) -> Found:
    """Fuzz in two processes; an exception that is not documented is a failure."""
    if find_spec("atheris") is None:
        return Found(Counter({"not run: atheris is not installed": 0}))
    from fuzz.models import memory_folder, small_files  # not at the top: askew must be imported under instrumentation

    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for kind, content in small_files(2).items():
            (corpus / kind).write_bytes(content)
        command = [sys.executable, "-m", "fuzz.guided", str(corpus), f"-artifact_prefix={folder}/", "-timeout=60"]
        command += [f"-max_total_time={int(seconds)}", f"-max_len={LONGEST}", "-verbosity=0", "-print_final_stats=1"]
        pipe = subprocess.PIPE
        started = [subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) for _ in range(AT_ONCE)]
        return sum((_outcome_of(process, seconds + HANGS) for process in started), Found())


def _outcome_of(process: subprocess.Popen[str], seconds: float) -> Found:
    try:
        printed, report = process.communicate(timeout=seconds)
        return outcome(printed, report, process.returncode)
    except subprocess.TimeoutExpired:
        process.kill()
        return outcome(*process.communicate(), status=1)


def outcome(printed: str, report: str, status: int) -> Found:
    """Return the figures of one process: it prints a dot for each model, and then the exception that ended it."""
    units = re.search(r"stat::number_of_executed_units:\s*(\d+)", report)
    exception = printed.lstrip(".")
    accepted = len(printed) - len(exception)
    found = Found(Counter({"accepted and works": accepted, "refused": (int(units[1]) if units else 0) - accepted}))
    if status:
        found.wrong.append(exception[-1000:] or report[-1000:])
    return found


def _fuzz(arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["askew"]):
        import askew.store.estimators as description
        from askew.store import container
    import random
    import warnings

    from mutations import mutated
    from store.test_mutated_files import predictions, rows_for

    warnings.simplefilter("ignore")

    def try_one(data: bytes) -> None:
        try:
            model = description.unpack_estimator(*container.read(BytesIO(data)))
        except (ValueError, RecursionError):  # what `load` makes a ModelFileError of
            return
        X = rows_for(model, random.Random(0))
        predictions(model, X)
        packed, arrays, _ = description.pack_estimator(model)
        description.unpack_estimator(arrays, packed)
        os.write(1, b".")  # counted by the process that started this one

    def change(data: bytes, longest: int, seed: int) -> bytes:
        """Mutate the content of a file and compute the digest again; what is no such file stays as it is."""
        try:
            changed = container.to_bytes(*mutated(random.Random(seed), *container.read(BytesIO(data))))
        except ValueError:
            return data
        return changed if len(changed) <= longest else data

    atheris.Setup(arguments, try_one, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    _fuzz(sys.argv)
