"""What the core compiles to on other platforms, as far as the preprocessor of this one shows."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


def _macros(tmp_path: Path, before: str) -> dict[str, str]:
    """Return the macros that g++ has after simd.hpp, with some lines of source before it."""
    source = tmp_path / "source.cpp"
    source.write_text(f'{before}\n#include "numeric/simd.hpp"\n')
    return dict(re.findall(r"#define (\w+) ?(.*)", _compile("-E", "-dM", source)))


def _compile(*arguments: str | Path) -> str:
    command = ["g++", "-std=c++20", f"-I{CORE}", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@needs_compiler
def test_the_loader_picks_a_loop_with_glibc_alone(tmp_path: Path) -> None:
    with_glibc = _macros(tmp_path, "")
    if "__GLIBC__" not in with_glibc or "__x86_64__" not in with_glibc or "__clang__" in with_glibc:
        pytest.skip("needs GCC for glibc on x86-64")
    without = _macros(tmp_path, "#include <features.h>\n#undef __GLIBC__")  # as with musl, which defines no such macro
    assert "target_clones" in with_glibc["ASKEW_WIDE_VECTORS"]
    assert without["ASKEW_WIDE_VECTORS"] == ""
    assert without["ASKEW_HAS_AVX2"] == "1"  # what asks for the processor itself works there, too


@needs_compiler
def test_numbers_of_128_bits_need_no_function_that_clang_lacks_on_windows(tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    source.write_text('#include "elc/exact_frame.hpp"\ntemplate class askew::elc::ExactFrame<askew::elc::Int128>;\n')
    assembly = _compile("-O1", "-S", "-o", "-", source)
    assert re.findall(r"(?<!\w)_{2,3}(?:float|fix|u?div|u?mod|mul)\w*ti\w*", assembly) == []


ROUNDING = """
#include <cstdio>
#include "numeric/rng.hpp"
#include "elc/big_integer.hpp"
int main() {
  askew::numeric::Rng rng(1);
  for (int i = 0; i < 1000000; ++i) {
    // of any length, and with few bits set: halfway cases are among them
    askew::elc::UInt128 bits = (static_cast<askew::elc::UInt128>(rng.next()) << 64 | rng.next()) >> (rng.next() % 128);
    if (i % 2) bits = bits >> 54 << 54 | static_cast<askew::elc::UInt128>(1) << (rng.next() % 127);
    const auto value = static_cast<askew::elc::Int128>(bits);
    if (askew::elc::to_double(value) != static_cast<double>(value)) return 1;
  }
  const askew::elc::Int128 least = static_cast<askew::elc::Int128>(static_cast<askew::elc::UInt128>(1) << 127);
  return askew::elc::to_double(least) != static_cast<double>(least) || askew::elc::to_double(0) != 0;
}
"""


@needs_compiler
def test_numbers_of_128_bits_are_rounded_to_the_nearest_double(tmp_path: Path) -> None:
    source, program = tmp_path / "source.cpp", tmp_path / "program"
    source.write_text(ROUNDING)
    _compile("-O1", "-o", program, source)
    assert subprocess.run([program], check=False).returncode == 0
