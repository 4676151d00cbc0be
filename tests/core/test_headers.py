"""The headers of the compiled core in one source: each name in them is one thing, so that all may be linked."""

from __future__ import annotations

from pathlib import Path

from tests.core.compiler import CORE, compiled, needs_compiler

HEADERS = sorted(path.relative_to(CORE) for path in CORE.glob("*/*.hpp") if not path.name.startswith("bind"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wmissing-declarations", "-Werror"]


# A type or an inline function that two headers define differently is no error while no source includes both, and the
# linker then keeps either. A function that is not inline (-Wmissing-declarations) would be defined in several objects.
@needs_compiler
def test_all_headers_compile_as_one_source_without_warnings(tmp_path: Path) -> None:
    source = tmp_path / "all_headers.cpp"
    source.write_text("".join(f'#include "{name.as_posix()}"\n' for name in HEADERS))
    done = compiled(source, tmp_path / "all_headers.o", "-c", *WARNINGS)
    assert done.returncode == 0, done.stderr


def test_there_are_headers_of_every_folder_to_compile() -> None:
    assert {path.parts[0] for path in HEADERS} == {path.name for path in CORE.iterdir() if path.is_dir()}
