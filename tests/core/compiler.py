"""A C++ compiler for tests of the headers of the compiled core alone, without Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"
COMPILER = shutil.which("g++") or shutil.which("clang++")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command without the sanitizer that this process may have been started with."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def compiled(source: Path, to: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Compile a source that includes headers of the core, without optimisation."""
    return run([str(COMPILER), "-std=c++20", "-O0", f"-I{CORE}", *flags, str(source), "-o", str(to)])
