"""A plugin of pytest: a line for each test as soon as it is over, so that a run that is stopped is not lost."""

from __future__ import annotations

import json
import os
from typing import Any


def pytest_runtest_logreport(report: Any) -> None:
    """Write name, state and reason of a test to the file that TRUST_LOG names."""
    if report.when != "call" and report.passed:
        return  # before and after the test
    reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
    line = [report.nodeid.rpartition("::")[2], report.outcome, reason.removeprefix("Skipped: ")]
    with open(os.environ["TRUST_LOG"], "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
