"""A plugin of pytest: a line for each test as soon as it is over, so that a run that is stopped is not lost."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Log in the process that was started, which processes of pytest-xdist report to."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Log())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run one case of each test first: a run that is stopped has then seen as many tests as it could."""
    seen: set[str] = set()
    first, others = [], []
    for item in items:
        name = item.nodeid.partition("[")[0]
        (others if name in seen else first).append(item)
        seen.add(name)
    items[:] = [*first, *others]


class _Log:
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Write name, state and reason of a test to the file that TRUST_LOG names."""
        if report.when != "call" and report.passed:
            return  # before and after the test
        reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
        line = [report.nodeid.rpartition("::")[2], report.outcome, reason.removeprefix("Skipped: ")]
        with open(os.environ["TRUST_LOG"], "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
