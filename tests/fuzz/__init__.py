"""Fuzzing: random model files and tables, interrupts, and mutants of the code. `make fuzz MINUTES=60` runs it."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
