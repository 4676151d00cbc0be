"""Mutants of some files, made by mutmut: one small change of the code each, and whether a test fails with it.

mutmut writes every mutant of a function beside the original and chooses between them at run time, so that a mutant
costs a fork and the tests that reach its function (`trust.mutant_runs`). The sources in `build/mutation/` are copies.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import askew
from trust import ROOT

FILES = ("model/tree.py", "model/validate.py", "grow/grow.py", "store/*.py")
TESTS = ("tests/store", "tests/model/test_tree.py", "tests/model/test_validate.py", "tests/grow/test_grow.py")
# What begins like this is left out.
LEFT_OUT = (
    # The line that a warning names is another one: the wrappers of mutmut stand between.
    "tests/store/test_save.py::test_a_warning_names_the_line_that_saves",
    # Random changes and every kind of model: seconds for each mutant, which the other tests kill as well.
    "tests/store/test_mutated_files.py",
    "tests/store/test_other_stores.py",
    "tests/store/test_hostile_files.py::test_29_any_document",
    "tests/store/test_hostile_files.py::test_29_huge_parameters",
    "tests/store/test_container.py::test_30_death",
    "tests/store/test_description.py::test_pickle",
    "tests/store/test_description.py::test_predictions",
    *(
        f"tests/store/test_description.py::test_a_loaded_estimator_is_the_same_to_the_bit[{missing}-{kind}"
        for missing in ("error", "mean")
        for kind in ("AutoTreeC", "CARTELC", "OC1", "SADT", "CEDT", "HHCART", "APDT", "LMDT")
    ),
)
WORK = ROOT / "build" / "mutation"
_AROUND = 30  # characters


@dataclass(frozen=True)
class Mutant:
    """A change of one function.

    Attributes
    ----------
    file, function : where it is
    change : the characters that differ and those around them, as `ast.unparse` writes the function
    """

    file: str
    function: str
    change: str

    def __str__(self) -> str:
        return f"{self.file} {self.function}: {self.change}"


def make_mutants() -> dict[str, Mutant]:
    """Put copies of the sources with all mutants into `WORK`, and return the mutants by the names of mutmut."""
    from mutmut.mutation.file_mutation import mutate_file_contents

    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(ROOT / "src", WORK / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for core in Path(askew.__file__).parent.glob("_core*.so"):
        shutil.copy(core, WORK / "src" / "askew")
    made: dict[str, Mutant] = {}
    with contextlib.chdir(ROOT):  # where mutmut looks for its settings
        for path in sorted(path for pattern in FILES for path in ROOT.glob(f"src/askew/{pattern}")):
            place = path.relative_to(ROOT / "src")
            mutated = mutate_file_contents(str(place), path.read_text(encoding="utf-8"))
            (WORK / "src" / place).write_text(mutated.code, encoding="utf-8")
            module = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
            file = str(place.relative_to("askew"))
            made |= {f"{module}.{one}": mutant for one, mutant in _read(file, mutated.code, mutated.mutant_names)}
    return made


def _read(file: str, code: str, names: Sequence[str]) -> Iterator[tuple[str, Mutant]]:
    """Find the mutants of a file in what mutmut made of it."""
    functions = {node.name: node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)}
    for name in names:
        mangled = name.rpartition("__mutmut_")[0]
        function = mangled.removeprefix("x_") if mangled.startswith("x_") else mangled[2:].replace("ǁ", ".")
        yield name, Mutant(file, function, difference(functions[f"{mangled}__mutmut_orig"], functions[name]))


def run_mutants(names: Sequence[str], processes: int = 2) -> dict[str, str]:
    """Run the tests for each of these mutants; return "killed", "timeout" or "survived" by name."""
    running = []
    for i in range(processes):
        listed, log = WORK / f"mutants-{i}.txt", WORK / f"log-{i}.txt"
        listed.write_text("\n".join(names[i::processes]), encoding="utf-8")
        log.write_text("", encoding="utf-8")
        options = [
            "-q",
            "--capture=no",
            "--assert=plain",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:faulthandler",
            "-p",
            "trust.mutant_runs",
            f"--basetemp={WORK}/scratch-{i}",
        ]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(WORK / "src"), str(ROOT)]),
            "MUTANTS": str(listed),
            "MUTANT_LOG": str(log),
        }
        command = [sys.executable, "-m", "pytest", *options, *(f"--deselect={test}" for test in LEFT_OUT), *TESTS]
        running.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True))
    for process in running:
        said = process.communicate()[0]
        if process.returncode:
            raise RuntimeError(f"the tests of mutants failed:\n{said[-3000:]}")
    lines = [line for i in range(processes) for line in (WORK / f"log-{i}.txt").read_text("utf-8").splitlines()]
    return dict(line.split() for line in lines)


def difference(original: ast.FunctionDef, mutant: ast.FunctionDef) -> str:
    """Return what is changed, with what stands around it: ``return a [+ -> -] b``."""
    old, new = (ast.unparse(one).replace(one.name, "f", 1) for one in (original, mutant))
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    while start and re.match(r"\w", old[start - 1]):  # words are whole
        start -= 1
    while end and re.match(r"\w", old[len(old) - end]):
        end -= 1
    before, after = old[max(start - _AROUND, 0) : start], old[len(old) - end :][:_AROUND]
    changed = f"{before}[{old[start : len(old) - end]} -> {new[start : len(new) - end]}]{after}"
    return " ".join(changed.split())


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
