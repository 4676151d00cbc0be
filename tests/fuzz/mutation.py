"""Mutation testing: whether the tests notice small changes of the code that everything else depends on.

mutmut writes every mutant of a function beside the original and chooses between them at run time, so that a mutant
costs a fork and the tests that reach its function (`fuzz.mutation_plugin`). The copies are in `build/mutation/`.
A mutant that survives needs a new test, or a line in `survivors.toml` that says why the change makes no difference.
"""

from __future__ import annotations

import ast
import contextlib
import os
import random
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import askew
from fuzz import ROOT
from fuzz.findings import Found

FILES = ("model/tree.py", "model/validate.py", "grow/grow.py", "store/*.py")
TESTS = ("tests/store", "tests/model/test_tree.py", "tests/model/test_validate.py", "tests/grow/test_grow.py")
# Tests whose names begin like this are left out.
LEFT_OUT = (
    # The line that a warning names is another one: the wrappers of mutmut stand between.
    "tests/store/test_save.py::test_a_warning_names_the_line_that_saves",
    # Random changes and every kind of model: seconds for each mutant, which the other tests kill as well.
    "tests/store/test_mutated_files.py",
    "tests/store/test_other_stores.py",
    "tests/store/test_hostile_files.py::test_29_any_document",
    "tests/store/test_hostile_files.py::test_29_huge_parameters",
    "tests/store/test_container.py::test_30_death",
    "tests/store/test_estimators.py::test_pickle",
    "tests/store/test_estimators.py::test_predictions",
    *(
        f"tests/store/test_estimators.py::test_a_loaded_estimator_is_the_same_to_the_bit[{missing}-{kind}"
        for missing in ("error", "mean")
        for kind in ("AutoTreeC", "CARTELC", "OC1", "SADT", "CEDT", "HHCART", "APDT", "LMDT")
    ),
)
WORK = ROOT / "build" / "mutation"
JUSTIFIED = Path(__file__).parent / "survivors.toml"
PROCESSES = 2
_AROUND = 30  # characters


@dataclass(frozen=True)
class Mutant:
    """A change of one function.

    Attributes
    ----------
    file, function : str
        Where it is.
    change : str
        The characters that differ and those around them, as `ast.unparse` writes the function.
    """

    file: str
    function: str
    change: str

    def __str__(self) -> str:
        return f"{self.file} {self.function}: {self.change}"


def run(seconds: float) -> Found:
    """Try mutants in random order until the time is over."""
    if find_spec("mutmut") is None:
        return Found(Counter({"not run: mutmut is not installed": 0}))
    made = make_mutants()
    outcomes = run_mutants(random.sample(list(made), len(made)), time.time() + seconds)
    return judge([(made[name], outcome) for name, outcome in outcomes.items()], justified(), made.values())


def justified(path: Path = JUSTIFIED) -> dict[str, str]:
    """Return why mutants may survive, by their names as `str` gives them."""
    groups = tomllib.loads(path.read_text(encoding="utf-8"))["group"]
    return {name: group["why"] for group in groups for name in group["mutants"]}


def judge(outcomes: Sequence[tuple[Mutant, str]], reasons: dict[str, str], made: Iterable[Mutant]) -> Found:
    """Count outcomes. Wrong are survivors without a reason, and reasons of mutants that are not made."""
    found = Found()
    for mutant, outcome in outcomes:
        is_justified = outcome == "survived" and str(mutant) in reasons
        found.tried["justified" if is_justified else outcome] += 1
        if outcome == "survived" and not is_justified:
            found.wrong.append(f"survives: {mutant}")
    found.wrong += [f"justified, but not made: {name}" for name in sorted(set(reasons) - set(map(str, made)))]
    return found


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


def run_mutants(names: Sequence[str], end: float) -> dict[str, str]:
    """Run the tests for each of these mutants; return "killed", "timeout" or "survived" by name."""
    running = [_start(i, names[i::PROCESSES], end) for i in range(PROCESSES)]
    for process in running:
        printed = process.communicate()[0]
        if process.returncode:
            raise RuntimeError(f"the tests of mutants failed:\n{printed[-3000:]}")
    lines = [line for i in range(PROCESSES) for line in (WORK / f"log-{i}.txt").read_text("utf-8").splitlines()]
    return dict(line.split() for line in lines)


def _start(number: int, names: Sequence[str], end: float) -> subprocess.Popen[str]:
    listed, log = WORK / f"mutants-{number}.txt", WORK / f"log-{number}.txt"
    listed.write_text("\n".join(names), encoding="utf-8")
    log.write_text("", encoding="utf-8")
    options = ["-q", "--capture=no", "--assert=plain", f"--basetemp={WORK}/scratch-{number}"]
    for plugin in ("no:cacheprovider", "no:faulthandler", "fuzz.mutation_plugin"):
        options += ["-p", plugin]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, [WORK / "src", ROOT / "tests", ROOT / "tests" / "helpers"])),
        "MUTANTS": str(listed),
        "MUTANT_LOG": str(log),
        "MUTANT_END": str(end),
    }
    command = [sys.executable, "-m", "pytest", *options, *(f"--deselect={test}" for test in LEFT_OUT), *TESTS]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


def difference(original: ast.FunctionDef, mutant: ast.FunctionDef) -> str:
    """Return the change, with the code around it: ``return a [+ -> -] b``."""
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
    """Return the length of the longest common beginning of two texts."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
