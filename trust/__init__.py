"""How far the library can be trusted, in figures: `python -m trust` writes `docs/trust.md`."""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
# What the tests share (estimators, mutations, threads) is used here as it is.
sys.path.insert(0, str(ROOT / "tests"))
