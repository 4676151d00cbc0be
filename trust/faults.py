"""The table of the 40 faults, from a run of the tests that carry their numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.report import Goal, Section

from trust import ROOT
from trust.budget import Budget
from trust.fault_list import FAULTS
from trust.pytest_runs import outcomes

NUMBERED = re.compile(r"^def test_(\d\d)_", re.M)


def run(budget: Budget) -> list[Section]:
    """Run the tests, for as long as there is time; a hasty run only looks which there are."""
    files = numbered_files()
    there = {int(number) for path in files for number in NUMBERED.findall(path.read_text(encoding="utf-8"))}
    found: dict[int, Counter[str]] = defaultdict(Counter)
    if not budget.quick:
        chosen = " or ".join(f"test_{number:02}_" for number in FAULTS)
        for one in outcomes(files, "-k", chosen, seconds=budget.seconds):
            found[int(one.name[5:7])][one.state] += 1
    for number in there - found.keys():
        found[number]["**not run**"] += 1
    return [section(found)]


def numbered_files() -> list[Path]:
    """Return the files with tests that carry the number of a fault; those that start clusters come last."""
    found = [path for path in ROOT.glob("tests/**/test_*.py") if NUMBERED.search(path.read_text("utf-8"))]
    return sorted(found, key=lambda path: (path.parent.name == "dask", path.parent.name == "faults", path))


def section(found: dict[int, Counter[str]]) -> Section:
    """Return the table."""
    rows = []
    for number, (fault, answer) in FAULTS.items():
        states = found.get(number, Counter())
        verdict = (
            ", ".join(state if state == "**not run**" else f"{n} {state}" for state, n in sorted(states.items()))
            or "**no test**"
        )
        rows.append((str(number), fault, answer, verdict))
    missing = [number for number in FAULTS if not found.get(number)]
    not_run = sum("**not run**" in states for states in found.values())
    failed = sum(states["failed"] for states in found.values())
    return Section(
        "Faults",
        "What a user can meet, what happens then, and the tests with that number in their names. Those of bad "
        "data run over every public tree; ensembles pass scikit-learn's checks of estimators.",
        ("#", "fault", "what happens", "tests"),
        rows,
        (
            Goal(f"each of the {len(FAULTS)} faults has a test; {len(missing)} have none", not missing),
            Goal(f"no test fails; {failed} did", failed == 0),
            Goal(f"the tests of every fault were run in the time there was; of {not_run} none was", not_run == 0),
        ),
    )
