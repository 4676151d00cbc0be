"""Mutated model files with the core built with sanitizers (`make trust` builds it): what they find ends the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from functools import partial

from trust import ROOT
from trust.budget import Budget
from trust.mutated import Found

BUILT = ROOT / "build" / "checks" / "address"


def missing() -> str | None:
    """Return why nothing can be run under sanitizers, or None."""
    return None if (BUILT / "askew").is_dir() else f"there is no build in {BUILT.relative_to(ROOT)}"


def mutate(budget: Budget) -> Found:
    """Mutate for so long; a report of a sanitizer is what is wrong."""
    if missing():
        return Found()
    library = partial(subprocess.check_output, text=True)
    preload = [library(["g++", f"-print-file-name={name}.so"]).strip() for name in ("libasan", "libstdc++")]
    search = [str(BUILT), str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    settings = {
        "LD_PRELOAD": " ".join(preload),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONPATH": os.pathsep.join(search),
    }
    command = [sys.executable, "-m", "trust.mutated", str(budget.seconds)]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    if done.returncode:
        return Found(wrong=[f"under sanitizers: {done.stderr[-2000:]}"])
    found = json.loads(done.stdout)
    return Found(Counter(found["tried"]), found["accepted"], found["wrong"])
