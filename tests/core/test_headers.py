"""The headers of the compiled core in one source: each name in them is one thing, so that all may be linked."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"
HEADERS = sorted(path.relative_to(CORE) for path in CORE.glob("*/*.hpp") if not path.name.startswith("bind"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wmissing-declarations", "-Werror"]
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


# A type or an inline function that two headers define differently is no error while no source includes both, and the
# linker then keeps either. A function that is not inline (-Wmissing-declarations) would be defined in several objects.
@pytest.mark.skipif(not COMPILERS, reason="there is no C++ compiler")
def test_all_headers_compile_as_one_source_without_warnings(tmp_path: Path) -> None:
    source = tmp_path / "all_headers.cpp"
    source.write_text("".join(f'#include "{name.as_posix()}"\n' for name in HEADERS))
    flags = ["-std=c++20", "-O0", *WARNINGS, f"-I{CORE}"]
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # no sanitizer in it
    command = [COMPILERS[0], *flags, "-c", str(source), "-o", str(tmp_path / "all.o")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_there_are_headers_of_every_folder_to_compile() -> None:
    assert {path.parts[0] for path in HEADERS} == {path.name for path in CORE.iterdir() if path.is_dir()}
