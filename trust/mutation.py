"""Mutation testing: whether the tests notice small changes of the code that all else stands on."""

from __future__ import annotations

import importlib.util
import random
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import Goal, Section

from trust.budget import Budget, count
from trust.mutants import Mutant, make_mutants, run_mutants

JUSTIFIED = Path(__file__).parent / "survivors.toml"
AIM = 0.85
TITLE = "Mutation testing"
Outcomes = list[tuple[Mutant, str]]  # "killed", "timeout" or "survived"


def run(budget: Budget) -> list[Section]:
    """Run all mutants; a hasty run those of one small function."""
    if importlib.util.find_spec("mutmut") is None:
        goal = Goal(f"at least {AIM:.0%} of the mutants are killed", False)
        return [Section(TITLE, "mutmut is not installed: `pip install mutmut`.", ("file", "mutants"), [], (goal,))]
    made = make_mutants()
    chosen = [name for name, mutant in made.items() if not budget.quick or mutant.function == "_is_amount"]
    outcomes = run_mutants(random.Random(0).sample(chosen, len(chosen)))  # shuffled: both processes end together
    return [section([(made[name], outcome) for name, outcome in outcomes.items()], justified(), list(made.values()))]


def justified(path: Path = JUSTIFIED) -> dict[str, str]:
    """Return why mutants may survive, by their names as `str` gives them."""
    groups = tomllib.loads(path.read_text(encoding="utf-8"))["group"]
    return {name: group["why"] for group in groups for name in group["mutants"]}


def section(outcomes: Outcomes, reasons: dict[str, str], made: list[Mutant]) -> Section:
    """Return the figures of each file, and the survivors that nobody has justified."""
    files = sorted({mutant.file for mutant, _ in outcomes})
    tables = {file: [one for one in outcomes if one[0].file == file] for file in files} | {"**all**": outcomes}
    figures = {file: Figures.of(table, reasons) for file, table in tables.items()}
    total = figures["**all**"]
    unknown = set(reasons) - set(map(str, made))
    text = (
        "One small change at a time (an operator, a number, a text, an argument, a condition) in the functions of the "
        "tree, its validator, its growth and the model file; does a test fail? Mutants are mutmut's. One that the "
        "tests do not end with counts as killed. The share is of the mutants that are not justified: "
        "`trust/survivors.toml` says of each of those why it changes nothing that is promised. Properties and "
        "constants of modules are not mutated."
    )
    if len(outcomes) < len(made):
        text += f" {count(len(outcomes))} of {count(len(made))} mutants were run, chosen at random."
    columns = ("file", "mutants", "killed", "out of time", "justified", "survivors", "share killed")
    goals = (
        Goal(f"at least {AIM:.0%} of the mutants are killed; {total.share:.1%} are", total.share >= AIM),
        Goal(f"each survivor is justified; {total.survivors} are not", total.survivors == 0),
        Goal(f"each justification is of a mutant that is made; {len(unknown)} are not", not unknown),
    )
    survivors = sorted(str(one) for one, state in outcomes if state == "survived" and str(one) not in reasons)
    if survivors:
        text += " Nobody has justified " + ", ".join(f"`{one}`" for one in survivors) + "."
    return Section(TITLE, text, columns, [figures[file].row(file) for file in tables], goals)


@dataclass(frozen=True)
class Figures:
    """How many mutants there are, and what came of them."""

    mutants: int
    killed: int
    timeouts: int
    justified: int

    @classmethod
    def of(cls, outcomes: Outcomes, reasons: dict[str, str]) -> Figures:
        """Count outcomes; only what survives needs a reason."""
        states = Counter(state for _, state in outcomes)
        justified = sum(state == "survived" and str(mutant) in reasons for mutant, state in outcomes)
        return cls(len(outcomes), states["killed"], states["timeout"], justified)

    @property
    def survivors(self) -> int:
        """Those that no test notices and nobody has justified."""
        return self.mutants - self.killed - self.timeouts - self.justified

    @property
    def share(self) -> float:
        """Killed of all that are not justified."""
        return (self.killed + self.timeouts) / max(self.mutants - self.justified, 1)

    def row(self, file: str) -> tuple[str, ...]:
        """Return the row of a table."""
        numbers = (self.mutants, self.killed, self.timeouts, self.justified, self.survivors)
        return (file, *map(count, numbers), f"{self.share:.1%}")
