"""The property tests of the suite (hypothesis) on new random data, again and again until the time is over."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter

from fuzz import ROOT
from fuzz.findings import Found, rounds

COMMAND = ("-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", "-m", "hypothesis and not slow")


def run(seconds: float) -> Found:
    """Run them; hypothesis prints how to repeat a failure."""
    found = Found()
    for _ in rounds(seconds):
        done = subprocess.run(
            [sys.executable, *COMMAND],
            cwd=ROOT,
            env={**os.environ, "ASKEW_FUZZ": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        passed = re.search(r"(\d+) passed", done.stdout)
        found += Found(Counter({"property tests": int(passed[1]) if passed else 0}))
        if done.returncode:
            found.wrong.append(done.stdout[-4000:])
            break  # the same failure again would be of no use
    return found
