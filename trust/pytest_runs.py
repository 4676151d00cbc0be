"""Tests of the suite, run by pytest; what came of each of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from trust import ROOT


@dataclass(frozen=True)
class Outcome:
    """One test: `state` is passed, failed or skipped; `reason` is that of a skip."""

    name: str
    state: str
    reason: str = ""


def outcomes(paths: Iterable[Path], *options: str, seconds: float | None = None) -> list[Outcome]:
    """Run the tests of some files, for so long at most, and return what came of each."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        log.touch()
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "trust.pytest_log", *options]
        environment = {**os.environ, "TRUST_LOG": str(log)}
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [*command, *map(str, paths)],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
                timeout=seconds,
                check=False,
            )
        return [Outcome(*json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()]
