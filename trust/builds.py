"""The same trees from other compilers, instruction sets and versions of Python."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.report import Goal, Section

from trust import ROOT
from trust.budget import Budget, count

BUILDS = ("gcc", "gcc-without-avx", "gcc-native", "clang", "clang-native")  # of `make portable`
PACKAGES = ("numpy", "scipy", "scikit-learn", "safetensors", "joblib", "threadpoolctl")
CHECKS = ROOT / "build" / "checks"
HASHES = ROOT / "tests" / "portable" / "tree_hashes.py"
OLDEST = (3, 11)
SUFFIXES = (".py", ".hpp", ".cpp", ".inc")
LONG = 1800  # seconds of one command
ABOUT = "import sys, sysconfig; print(*sys.version_info[:3], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"


@dataclass(frozen=True)
class Interpreter:
    """Another version of Python."""

    path: str
    version: tuple[int, ...]
    free_threaded: bool

    @property
    def name(self) -> str:
        """What it is called in the table."""
        return f"Python {'.'.join(map(str, self.version))}{', free-threaded' if self.free_threaded else ''}"


def run(budget: Budget) -> list[Section]:
    """Compare the hashes of trees with those of this interpreter; a hasty run takes what is there."""
    found = {name: _of_build(name) for name in BUILDS}
    for one in interpreters():
        found[one.name] = "not tried" if budget.quick else _of_python(one)
    found = {f"core by {name}" if name in BUILDS else name: hashes for name, hashes in found.items()}
    here = {} if budget.quick else _hashes(sys.executable, CHECKS / "here.json")
    return [section(here, found)]


def section(here: dict[str, str], found: dict[str, dict[str, str] | str]) -> Section:
    """Return the table: each build beside this interpreter's hashes, or why there are none of it."""
    rows, differ, compared = [], 0, []
    for name, hashes in found.items():
        if isinstance(hashes, str) or not here:
            rows.append((name, hashes if isinstance(hashes, str) else "not compared", ""))
            continue
        other = [key for key in here.keys() | hashes.keys() if here.get(key) != hashes.get(key)]
        rows.append((name, count(len(here)), count(len(other)) + (f" {', '.join(sorted(other)[:3])}" if other else "")))
        differ += len(other)
        compared.append(name)
    missing = [name for name in found if name not in compared]
    text = (
        f"Hashes of all arrays of trees of every estimator, criterion and several data sets, with and without weights, "
        f"beside those of Python {sys.version.split()[0]} with the core that is installed. Builds are those of `make "
        f"portable`; other Pythons are those that are found, with the same NumPy, SciPy and scikit-learn. "
        f"{'Not compared: ' + ', '.join(missing) + '.' if missing else ''}"
    )
    goals = (
        Goal(f"the same trees; {differ} differ", differ == 0),
        Goal("two compilers, with AVX and without, and two versions of Python were compared", _enough(compared)),
    )
    return Section("Determinism: builds and Pythons", text, ("build", "trees", "differ"), rows, goals)


def _enough(compared: list[str]) -> bool:
    kinds = ("core by gcc-without-avx", "core by gcc-native", "core by clang", "Python")
    return all(any(name.startswith(kind) for name in compared) for kind in kinds)


def _of_build(name: str) -> dict[str, str] | str:
    """Return the hashes that `make portable` wrote, or why they cannot be used."""
    path = CHECKS / f"{name}.json"
    if not path.exists():
        return "not built"
    return _read(path) if _is_new(path) else "older than the source"


def _of_python(interpreter: Interpreter) -> dict[str, str] | str:
    """Install the library for another version of Python, and return its hashes, or what went wrong."""
    folder = CHECKS / interpreter.name.lower().replace(", ", "-").replace(" ", "-")
    path = folder.with_suffix(folder.suffix + ".json")
    if path.exists() and _is_new(path):
        return _read(path)
    python = str(folder / "bin" / "python")
    pins = [f"{name}=={version(name)}" for name in PACKAGES]
    pip = [python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        _call([interpreter.path, "-m", "venv", str(folder)])
        _call([*pip, "--only-binary", ":all:", *pins])
        _call([*pip, "--no-deps", "--force-reinstall", f"-Cbuild-dir={folder}.build", str(ROOT)])
        return _hashes(python, path, "-I")
    except subprocess.SubprocessError as error:
        said = str(getattr(error, "stderr", None) or error).strip().splitlines()
        return f"not installed: {said[-1] if said else error}"


def _hashes(python: str, path: Path, *options: str) -> dict[str, str]:
    """Return the hashes of the trees that an interpreter makes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _call([python, *options, str(HASHES), str(path)])
    return _read(path)


def _call(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONG).stdout


def _read(path: Path) -> dict[str, str]:
    hashes: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return hashes


def _is_new(path: Path) -> bool:
    """Whether a file was made after the last change of the source."""
    source = [one for folder in ("core", "src") for one in (ROOT / folder).rglob("*") if one.suffix in SUFFIXES]
    return all(one.stat().st_mtime <= path.stat().st_mtime for one in [HASHES, *source])


def interpreters() -> list[Interpreter]:
    """Return one interpreter of every other version that can run the library: on the path, pyenv's, or given.

    `ASKEW_PYTHONS` may name more, separated as in PATH.
    """
    versions = {}
    for path in _candidates():
        try:
            *number, free = map(int, _call([path, "-I", "-c", ABOUT]).split())
        except (OSError, subprocess.SubprocessError, ValueError):
            continue  # such as pyenv's commands for versions that are not active
        if tuple(number) >= OLDEST and number[:2] != list(sys.version_info[:2]):
            versions.setdefault((*number[:2], free), Interpreter(path, tuple(number), bool(free)))
    return [versions[key] for key in sorted(versions)]


def _candidates() -> Iterator[str]:
    yield from filter(None, os.environ.get("ASKEW_PYTHONS", "").split(os.pathsep))
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [Path(name) for name in os.environ.get("PATH", "").split(os.pathsep)] + sorted(root.glob("*/bin"))
    for folder in folders:
        if folder.is_dir():
            yield from sorted(str(one) for one in folder.iterdir() if re.fullmatch(r"python3\.\d+t?", one.name))
