"""The core's own elementary functions: `precise_math.cpp`, beside the C library's in more digits."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
from tests.core.compiler import compiled, needs_compiler, run

SOURCE = Path(__file__).with_name("precise_math.cpp")


# The error of a value rounded correctly is up to half a unit in the last place; the reference's own is 2^-11 on x86-64.
@needs_compiler
def test_elementary_functions_are_correctly_rounded_but_for_few_arguments(tmp_path: Path) -> None:
    built = compiled(SOURCE, tmp_path / "precise_math", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
    if "LDBL_MANT_DIG" in built.stderr:
        pytest.skip("a long double is a double here")
    assert built.returncode == 0, built.stderr
    lines = [line.split() for line in run([str(tmp_path / "precise_math")]).stdout.splitlines()]
    errors = {name: float(error) for name, error, _ in lines}
    assert set(errors) >= {"exp", "exp-small", "expm1", "expm1-small", "log2", "log2-share", "log2-whole", "pow"}
    assert max(errors.values()) < 0.502, errors
    if platform.libc_ver()[0] == "glibc":  # a library whose own errors are below one unit
        assert min(float(same) for *_, same in lines) > 0.9
