"""scikit-learn's own tests, run against this library: what passes, what is left out, and why."""

from __future__ import annotations

from collections import Counter

from benchmarks.report import Goal, Section

from trust import ROOT
from trust.budget import Budget
from trust.pytest_runs import outcomes


def run(budget: Budget) -> list[Section]:
    """Run the adopted modules; a hasty run does not."""
    if budget.quick:
        return []
    rows, failed = [], 0
    for path in sorted((ROOT / "tests" / "external").glob("test_*.py")):
        found = outcomes([path], "-m", "slow or not slow", "-n", "2")
        states = Counter(one.state for one in found)
        failed += states["failed"]
        module = path.stem.removeprefix("test_sklearn_")
        rows.append((module, "**run**", f"{states['passed']} passed, {states['failed']} failed"))
        reasons = Counter(one.reason for one in found if one.state == "skipped")
        rows += [(module, f"left out: {reason}", str(n)) for reason, n in reasons.most_common()]
    text = (
        "The test modules of the installed scikit-learn, read with estimators of this library in the place of its own "
        "(`tests/external/adopted.py`). What cannot hold here is left out, each case with a reason. Bagging is run "
        "twice: scikit-learn's own over trees and forests of this library (bagging), and with k-DT in its place "
        "(bagging_kdt). k-DT is a vote of trees that all see every row and every feature, so that most of these tests, "
        "which are of drawn samples, out-of-bag scores and warm starts, say nothing about it."
    )
    goal = Goal(f"every test that applies passes; {failed} failed", failed == 0)
    return [Section("scikit-learn's own tests", text, ("module", "what", "cases"), rows, (goal,))]
