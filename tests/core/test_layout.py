"""The folders of the compiled core: each family of methods includes what all share, and itself, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"
SHARED = {"numeric", "score", "tree"}
SOURCES = sorted(path for path in CORE.glob("*/*") if path.suffix in {".hpp", ".cpp", ".inc"})


def includes(source: Path) -> list[str]:
    return re.findall(r'^#include "([^"]+)"', source.read_text(), flags=re.MULTILINE)


def test_there_are_sources_to_look_at() -> None:
    assert len({path.parent.name for path in SOURCES}) > 5


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_folder_includes_the_shared_ones_and_itself_only(source: Path) -> None:
    folders = {name.split("/")[0] for name in includes(source)}
    assert folders <= {"bind.hpp", *SHARED, source.parent.name}


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_kernels_know_nothing_of_python(source: Path) -> None:
    if not source.name.startswith("bind"):
        assert "nanobind" not in source.read_text()
        assert not any(Path(name).name.startswith("bind") for name in includes(source))
