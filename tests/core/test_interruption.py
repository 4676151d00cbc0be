"""Ctrl-C in kernels that work on several threads: `interruption.cpp`, without Python."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.core.compiler import compiled, needs_compiler, run

SOURCE = Path(__file__).with_name("interruption.cpp")


@needs_compiler
def test_an_interrupt_ends_the_long_tasks_of_all_threads(tmp_path: Path) -> None:
    built = compiled(SOURCE, tmp_path / "interruption", "-pthread")
    assert built.returncode == 0, built.stderr
    done = run(["timeout", "300", str(tmp_path / "interruption")])
    assert done.returncode == 0, done.stderr


# Without random addresses, which this sanitizer does not always find room beside.
@needs_compiler
@pytest.mark.skipif(shutil.which("setarch") is None, reason="there is no setarch")
def test_threads_that_check_for_an_interrupt_do_not_race(tmp_path: Path) -> None:
    program = tmp_path / "interruption"
    built = compiled(SOURCE, program, "-pthread", "-g1", "-fsanitize=thread", "-DASKEW_SANITIZED")
    if "tsan" in built.stderr:
        pytest.skip("there is no thread sanitizer")
    assert built.returncode == 0, built.stderr
    done = run(["timeout", "300", "setarch", "-R", "env", "TSAN_OPTIONS=halt_on_error=1", str(program)])
    if "Operation not permitted" in done.stderr:
        pytest.skip("random addresses cannot be switched off here")
    assert done.returncode == 0, done.stderr
