"""What the core compiles to on other platforms, as far as the preprocessor of this one shows."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SIMD = Path(__file__).parents[2] / "core" / "base" / "simd.hpp"


def _macros(tmp_path: Path, before: str) -> dict[str, str]:
    """Return the macros that g++ has after simd.hpp, with some lines of source before it."""
    source = tmp_path / "source.cpp"
    source.write_text(f'{before}\n#include "{SIMD}"\n')
    command = ["g++", "-std=c++20", "-E", "-dM", str(source)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(re.findall(r"#define (\w+) ?(.*)", text))


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_loader_picks_a_loop_with_glibc_alone(tmp_path: Path) -> None:
    with_glibc = _macros(tmp_path, "")
    if "__GLIBC__" not in with_glibc or "__x86_64__" not in with_glibc or "__clang__" in with_glibc:
        pytest.skip("needs GCC for glibc on x86-64")
    without = _macros(tmp_path, "#include <features.h>\n#undef __GLIBC__")  # as with musl, which defines no such macro
    assert "target_clones" in with_glibc["ASKEW_WIDE_VECTORS"]
    assert without["ASKEW_WIDE_VECTORS"] == ""
    assert without["ASKEW_HAS_AVX2"] == "1"  # what asks for the processor itself works there, too
