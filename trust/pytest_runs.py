"""Tests of the suite, run by pytest; what came of each of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from trust import ROOT


@dataclass(frozen=True)
class Outcome:
    """One test: `state` is passed, failed or skipped; `reason` is that of a skip."""

    name: str
    state: str
    reason: str = ""


def outcomes(paths: Iterable[Path], *options: str) -> list[Outcome]:
    """Run the tests of some files and return what came of each."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "tests.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *options]
        subprocess.run([*command, *map(str, paths)], cwd=ROOT, env=os.environ, stdout=subprocess.DEVNULL, check=False)
        return [_outcome(case) for case in ET.parse(report).iter("testcase")]


def _outcome(case: ET.Element) -> Outcome:
    skipped = case.find("skipped")
    if skipped is not None:
        return Outcome(case.attrib["name"], "skipped", skipped.attrib.get("message", ""))
    failed = case.find("failure") is not None or case.find("error") is not None
    return Outcome(case.attrib["name"], "failed" if failed else "passed")
