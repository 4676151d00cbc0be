"""Where the package comes from: build requirements, known vulnerabilities of what it needs, the policy."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib

from benchmarks.report import Goal, Section

from trust import ROOT, components
from trust.budget import Budget
from trust.pytest_runs import outcomes

_UNREACHED = "not known: its database could not be reached from here"


def run(budget: Budget) -> list[Section]:
    """Look at the files, and ask pip-audit if it is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requires = project["build-system"]["requires"]
    pinned = all(re.fullmatch(r"[\w-]+==[\w.]+", one) for one in requires)
    audit, clean = ("not run", True) if budget.quick else _audit(project["project"]["dependencies"])
    offline = budget.quick or all(one.state == "passed" for one in outcomes([ROOT / "tests/trust/test_network.py"]))
    release = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    policy = (ROOT / "SECURITY.md").exists()
    listed = 0 if budget.quick else components.write(project["project"]["dependencies"])
    of_release = "cyclonedx" in release
    rows = [
        ("build requirements", ", ".join(requires)),
        ("pip-audit of the dependencies", audit),
        ("list of components (CycloneDX), of this run", f"{listed} in {components.PLACE.relative_to(ROOT)}"),
        ("list of components of a release", "by cyclonedx-bom, in release.yml" if of_release else "none"),
        ("connections at run time", "none" if offline else "**some**"),
        ("how to report", "SECURITY.md" if policy else "none"),
    ]
    return [
        Section(
            "Supply",
            "A test runs fit, predict, save, load, export and report with every connection refused. pip-audit needs "
            "the network: without it nothing is known of vulnerabilities, which counts as missed. The components are "
            "those that the package needs to run, as they are installed here.",
            ("what", "state"),
            rows,
            (
                Goal("build requirements are pinned", pinned),
                Goal("no known vulnerability in a dependency", clean),
                Goal(
                    "a list of components, a policy, no network at run time",
                    of_release and (budget.quick or listed > 0) and policy and offline,
                ),
            ),
        )
    ]


def _audit(dependencies: list[str]) -> tuple[str, bool]:
    """Return what pip-audit says of the versions installed here of the dependencies, and whether it is good."""
    from importlib.metadata import version

    command = shutil.which("pip-audit")
    if command is None:
        return "pip-audit is not installed", False
    names = [re.match(r"[\w-]+", one)[0] for one in dependencies]  # type: ignore[index]
    pins = "\n".join(f"{name}=={version(name)}" for name in names)
    options = ["--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off", "-r", "/dev/stdin"]
    done = subprocess.run([command, *options], input=pins, capture_output=True, text=True, timeout=120, check=False)
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        print(done.stderr[-500:], file=sys.stderr)
        return _UNREACHED, False
    if any("skip_reason" in one for one in found):
        return _UNREACHED, False
    known = [f"{one['name']} {fault['id']}" for one in found for fault in one.get("vulns", [])]
    return ", ".join(known) or f"{len(found)} dependencies, no known vulnerability", not known
