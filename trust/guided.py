"""Mutated model files, guided by coverage: atheris (libFuzzer) keeps those that reach new code, and mutates them again.

``python -m trust.guided FOLDER [options of libFuzzer]`` fuzzes in a process of its own, beginning with the model
files in the folder; what it finds ends the process.
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
from typing import TYPE_CHECKING

from trust import ROOT

if TYPE_CHECKING:  # askew must be imported under instrumentation
    from trust.budget import Budget
    from trust.mutated import Found

LONGEST = 30_000  # bytes of a file
HANGS = 180.0  # seconds after the time is over


def missing() -> str | None:
    """Return why nothing can be run, or None."""
    return None if find_spec("atheris") else "atheris is not installed"


def mutate(budget: Budget) -> Found:
    """Fuzz for so long, in two processes that share what they find; an exception is what is wrong."""
    from trust.models import memory_folder, small_files
    from trust.mutated import Found

    if missing():
        return Found()
    with tempfile.TemporaryDirectory(dir=memory_folder()) as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for kind, content in small_files(2).items():
            (corpus / kind).write_bytes(content)
        command = [sys.executable, "-m", "trust.guided", str(corpus), f"-artifact_prefix={folder}/"]
        command += [f"-max_total_time={int(budget.seconds)}", f"-max_len={LONGEST}", "-timeout=60", "-verbosity=0"]
        started = [
            subprocess.Popen(
                [*command, "-print_final_stats=1"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        found = Found()
        for process in started:
            try:
                found += _outcome(*process.communicate(timeout=budget.seconds + HANGS), process.returncode)
            except subprocess.TimeoutExpired:
                process.kill()
                found += _outcome(*process.communicate(), status=1)
    return found


def _outcome(accepted: str, report: str, status: int) -> Found:
    from trust.mutated import Found

    units = re.search(r"stat::number_of_executed_units:\s*(\d+)", report)
    exception = accepted.lstrip(".")  # a dot for each model, then what ended the process
    found = Found(Counter({"all kinds": int(units[1]) if units else 0}), len(accepted) - len(exception))
    if status:
        found.wrong.append(f"guided by coverage: {exception[-1000:] or report[-1000:]}")
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
        """Mutate the content of a file and sign it anew; what is no such file stays as it is."""
        try:
            changed = container.to_bytes(*mutated(random.Random(seed), *container.read(BytesIO(data))))
        except ValueError:
            return data
        return changed if len(changed) <= longest else data

    atheris.Setup(arguments, try_one, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    _fuzz(sys.argv)
