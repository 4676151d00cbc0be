"""The table of the 40 faults, from a run of the tests that carry their numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.report import Goal, Section

from trust import ROOT
from trust.budget import Budget
from trust.fault_list import FAULTS
from trust.pytest_runs import Outcome, outcomes

NUMBERED = re.compile(r"^def test_(\d\d)_", re.M)
_LONG = 1200.0  # seconds: the tests end by themselves, unless one hangs
_NOT_RUN = "**not run**"


def run(budget: Budget) -> list[Section]:
    """Run the tests in two processes; a hasty run only looks which there are."""
    files = numbered_files()
    found: list[Outcome] = []
    if not budget.quick:
        chosen = " or ".join(f"test_{number:02}_" for number in FAULTS)
        options = ["-k", chosen, "-n", "2", "--dist", "worksteal"]
        found = outcomes(files, *options, seconds=max(budget.seconds, _LONG))
    there = {int(number) for path in files for number in NUMBERED.findall(path.read_text(encoding="utf-8"))}
    not_run = there - {number_of(one) for one in found}
    return [section([*found, *(Outcome(f"test_{number:02}_", _NOT_RUN) for number in not_run)])]


def number_of(one: Outcome) -> int:
    """Return the number of the fault that a test is of."""
    return int(one.name[5:7])


def numbered_files() -> list[Path]:
    """Return the files with tests that carry the number of a fault; those that start clusters come last."""
    found = [path for path in ROOT.glob("tests/**/test_*.py") if NUMBERED.search(path.read_text("utf-8"))]
    return sorted(found, key=lambda path: (path.parent.name == "dask", path.parent.name == "faults", path))


def subjects() -> dict[str, frozenset[str]]:
    """Return what faults are tried on: the names of all public estimators and commands, by kind."""
    from registry import EVERY

    from askew import dask
    from askew.cli.app import EXAMPLES

    return {
        "estimators": frozenset(cls.__name__ for cls in EVERY),
        "estimators on Dask": frozenset(dask.__all__),
        "commands": frozenset(command.__name__ for command in EXAMPLES),
    }


def section(found: Iterable[Outcome]) -> Section:
    """Return the table."""
    of_fault: dict[int, list[Outcome]] = defaultdict(list)
    for one in found:
        of_fault[number_of(one)].append(one)
    known = subjects()
    rows = [
        (str(number), fault, answer, _over(of_fault[number], known), _verdict(of_fault[number]))
        for number, (fault, answer) in FAULTS.items()
    ]
    states = {number: Counter(one.state for one in of_fault[number]) for number in FAULTS}
    missing = [number for number in FAULTS if not of_fault[number]]
    not_run = sum(_NOT_RUN in one for one in states.values())
    failed = sum(one["failed"] for one in states.values())
    return Section(
        "Faults",
        "What a user can meet, what happens then, and the tests with that number in their names: on how many of the "
        f"{len(known['estimators'])} public estimators, the {len(known['estimators on Dask'])} for Dask and the "
        f"{len(known['commands'])} commands they ran. Faults of a kernel, of a model file or of a single command have "
        "tests of their own, which are not counted by estimator.",
        ("#", "fault", "what happens", "on", "tests"),
        rows,
        (
            Goal(f"each of the {len(FAULTS)} faults has a test; {len(missing)} have none", not missing),
            Goal(f"no test fails; {failed} did", failed == 0),
            Goal(f"the tests of every fault were run in the time there was; of {not_run} none was", not_run == 0),
        ),
    )


def _over(found: list[Outcome], known: Mapping[str, frozenset[str]]) -> str:
    """Return on how many estimators and commands the cases of a fault ran."""
    named = {part for one in found for part in one.name.partition("[")[2].rstrip("]").split("-")}
    counts = {kind: len(names & named) for kind, names in known.items()}
    return ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)


def _verdict(found: list[Outcome]) -> str:
    states = Counter(one.state for one in found)
    return ", ".join(s if s == _NOT_RUN else f"{n} {s}" for s, n in sorted(states.items())) or "**no test**"
