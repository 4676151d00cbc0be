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
    """Run the tests; a hasty run only looks which there are."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    files = numbered_files()
    if budget.quick:
        for path in files:
            for number in NUMBERED.findall(path.read_text(encoding="utf-8")):
                found[int(number)]["not run"] += 1
    else:
        for one in outcomes(files, "-k", " or ".join(f"test_{number:02}_" for number in FAULTS)):
            found[int(one.name[5:7])][one.state] += 1
    return [section(found)]


def numbered_files() -> list[Path]:
    """Return the files with tests that carry the number of a fault."""
    return [path for path in sorted(ROOT.glob("tests/**/test_*.py")) if NUMBERED.search(path.read_text("utf-8"))]


def section(found: dict[int, Counter[str]]) -> Section:
    """Return the table."""
    rows = []
    for number, (fault, answer) in FAULTS.items():
        states = found.get(number, Counter())
        verdict = ", ".join(f"{n} {state}" for state, n in sorted(states.items())) or "**no test**"
        rows.append((str(number), fault, answer, verdict))
    missing = [number for number in FAULTS if not found.get(number)]
    failed = sum(states["failed"] for states in found.values())
    return Section(
        "Faults",
        "What a user can meet, what happens then, and the tests with that number in their names. The tests run over "
        "every public estimator or command that the fault can meet.",
        ("#", "fault", "what happens", "tests"),
        rows,
        (
            Goal(f"each of the {len(FAULTS)} faults has a test; {len(missing)} have none", not missing),
            Goal(f"every test passes; {failed} failed", failed == 0),
        ),
    )
