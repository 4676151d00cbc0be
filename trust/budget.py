"""Time that a section may take, and counts that outlast a run."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LIFE = Path(__file__).parent / "counts.json"


@dataclass(frozen=True)
class Budget:
    """Seconds for a section; `quick` asks for no more than that everything runs."""

    seconds: float
    quick: bool = False

    def rounds(self, share: float = 1.0) -> Iterator[int]:
        """Count up from 0 until this share of the time is over."""
        end = time.monotonic() + share * self.seconds
        number = 0
        while number == 0 or time.monotonic() < end:
            yield number
            number += 1


def add_to_life(theme: str, found: Counter[str], *, keep: bool = True, path: Path = LIFE) -> Counter[str]:
    """Add counts to those of the project's life, and return these."""
    life = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    total = Counter(life.get(theme, {})) + found
    if keep:
        life[theme] = dict(sorted(total.items()))
        path.write_text(json.dumps(life, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return total


def count(number: float) -> str:
    """Write a number with commas."""
    return f"{number:,.0f}"
