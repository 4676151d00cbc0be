"""What `import askew` adds to `import sklearn`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from benchmarks.report import Goal, Options, Section
from benchmarks.timing import best_of

LIMIT = 0.050


def run(options: Options) -> list[Section]:
    start = best_of(
        {"nothing": _importing(""), "sklearn": _importing("import sklearn"), "askew": _importing("import askew")},
        rounds=3 if options.quick else 12,
    )
    added = start["askew"] - start["sklearn"]
    rows = [[f"import {name}", f"{1000 * (start[name] - start['nothing']):.0f} ms"] for name in ("sklearn", "askew")]
    return [
        Section(
            "Import",
            "Time of a new interpreter with the import, less that of one without.",
            ("statement", "time"),
            [*rows, ["difference", f"{1000 * added:.0f} ms"]],
            [Goal(f"import askew adds no more than {1000 * LIMIT:.0f} ms", added <= LIMIT)],
        )
    ]


def _importing(statement: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, "-c", statement], check=True)
