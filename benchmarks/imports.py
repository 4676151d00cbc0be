"""What `import askew` adds to `import sklearn`."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.report import Goal, Options, Section

LIMIT = 0.050
# One clock in one process: the difference of two processes would drown in their noise.
SCRIPT = """
from time import perf_counter
start = perf_counter()
import sklearn
middle = perf_counter()
import askew
print(middle - start, perf_counter() - middle)
"""


def run(options: Options) -> list[Section]:
    command = [sys.executable, "-c", SCRIPT]
    outputs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for _ in range(3 if options.quick else 12)
    ]
    sklearn, added = (min(times) for times in zip(*(map(float, out.split()) for out in outputs), strict=True))
    return [
        Section(
            "Import",
            "In a new interpreter, one after the other.",
            ("statement", "time"),
            [["import sklearn", f"{1000 * sklearn:.0f} ms"], ["then import askew", f"{1000 * added:.0f} ms"]],
            [Goal(f"import askew adds no more than {1000 * LIMIT:.0f} ms", added <= LIMIT)],
        )
    ]
