"""`python -m benchmarks.against REVISION`: time this askew beside that of another revision, in turns.

Each side is a process of its own that gets requests through a pipe: first one, then the other, in every round in the
opposite order. The other revision is taken out of git and installed in its own virtual environment under
`build/against`, where the next run finds it again. The best of the rounds counts, as processor time on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, exp, log
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.report import Goal, Section, show, times

ROOT = Path(__file__).parent.parent
WORKER = Path(__file__).with_name("against_worker.py")
SIDES = ("base", "this")
TURN = 0.1  # seconds that a turn takes at least: small work is repeated
MEAN_LIMIT, WORST_LIMIT = 1.03, 1.15


@dataclass(frozen=True)
class Work:
    """A request to both sides.

    Attributes
    ----------
    title : str
        As shown in the table.
    kind : str
        {"fit", "predict", "prune", "command"} A function of `benchmarks.against_worker`.
    arguments : tuple of str
        Its positional arguments.
    parameters : dict
        Parameters of the estimator.
    """

    title: str
    kind: str
    arguments: tuple[str, ...]
    parameters: dict[str, Any]

    def request(self, loops: int) -> str:
        """Return the line that asks a side to do it `loops` times."""
        work = {"kind": self.kind, "arguments": self.arguments, "parameters": self.parameters}
        return json.dumps({"work": work, "loops": loops})


# Estimator, data, parameters: each is fitted; those of the second table predict as well.
_FITTED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("CARTClassifier", "classes 20000 20", {}),
    ("CARTRegressor", "numbers 5000 20", {}),
    ("C45Classifier", "breast_cancer, missing", {}),
    ("OC1Classifier", "digits", {}),
    ("OC1Regressor", "diabetes", {}),
    ("CARTLCRegressor", "diabetes", {}),
    ("SADTRegressor", "diabetes", {"max_unproductive": 500}),
    ("CEDTRegressor", "diabetes", {}),
    ("CARTELCClassifier", "wine", {}),
    ("CARTELCRegressor", "numbers 100 4", {}),
    ("HHCARTRegressor", "diabetes", {}),
)
_PREDICTING: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("CARTClassifier", "digits", {}),
    ("C45Classifier", "digits", {}),
    ("ID3Classifier", "breast_cancer", {}),
    ("OC1Classifier", "breast_cancer", {}),
    ("CARTLCClassifier", "breast_cancer", {}),
    ("SADTClassifier", "breast_cancer", {"max_unproductive": 2000}),
    ("LMDTClassifier", "digits", {"max_passes": 50}),
    ("CEDTClassifier", "breast_cancer", {}),
    ("CARTELCClassifier", "iris", {}),
    ("HHCARTClassifier", "breast_cancer", {}),
    ("APDTClassifier", "apdt2_standin", {}),
    ("KDTClassifier", "wine", {"estimator": "OC1Classifier", "n_estimators": 5}),
)
_PRUNED = tuple(
    (pruner, "OC1Classifier", "apdt2_standin", {"pruning": None}) for pruner in ("LearningAutomata", "GeneticAlgorithm")
)
_COMMANDS = (
    ("train", "table.csv", "--target", "class", "--method", "cart", "-o", "again.askew", "--force"),
    ("predict", "model.askew", "table.csv", "-o", "-"),
    ("show", "model.askew"),
)


def works() -> list[Work]:
    """Return all that is timed, in the order in which it is shown."""
    seeded: dict[str, Any] = {"random_state": 0}
    found = [Work(f"{name}, {data}", "fit", (name, data), seeded | more) for name, data, more in _FITTED + _PREDICTING]
    found += [Work(f"{name}, {data}", "predict", (name, data), seeded | more) for name, data, more in _PREDICTING]
    found += [Work(f"{p}, {name}, {data}", "prune", (p, name, data), seeded | more) for p, name, data, more in _PRUNED]
    found += [Work(f"askew {words[0]}, digits", "command", ("digits", *words), {}) for words in _COMMANDS]
    return found


# --- the two sides


class Side:
    """A process that answers requests, one at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, work: Work, loops: int = 1) -> dict[str, Any]:
        """Return the seconds of one and the digest of the result, or an error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(work.request(loops), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process ended at {work.kind} {work.title}")
        found: dict[str, Any] = json.loads(line)
        return found


@contextmanager
def started(python: Path, path: Path | None) -> Iterator[Side]:
    """Start a side with an interpreter and, where askew is not installed in that, the folder that it is in."""
    environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    if path is not None:
        environment["PYTHONPATH"] = str(path.resolve())
    # -P: nothing is imported from the folder of the worker or from the current one.
    command = [str(python), "-P", str(WORKER)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield Side(process)
        assert process.stdin is not None
        process.stdin.close()  # ends it


def installed(revision: str) -> Path:
    """Return the interpreter of an environment that has askew of a revision; build it if there is none yet."""
    commit = _git("rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
    folder = ROOT / "build" / "against" / commit[:12]
    python, done = folder / "venv" / "bin" / "python", folder / "done"
    if not done.exists():
        source = folder / "source"
        source.mkdir(parents=True, exist_ok=True)
        subprocess.run(["tar", "-x", "-C", str(source)], input=_git("archive", commit), check=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", f"{source}[bench]"], check=True)
        done.touch()
    return python


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, stdout=subprocess.PIPE).stdout


# --- timing


@dataclass(frozen=True)
class Timing:
    """The times of a request, and whether both sides agree.

    Attributes
    ----------
    work : Work
        What was timed.
    seconds : dict of str to float
        The best time of each side; empty if a side failed.
    same : str
        Whether all results were the same; if a side failed, its error.
    """

    work: Work
    seconds: dict[str, float]
    same: str

    @property
    def ratio(self) -> float:
        """Time of this askew over that of the other revision."""
        return self.seconds["this"] / self.seconds["base"]

    def row(self) -> list[str]:
        """Return the line of the table."""
        title = f"{self.work.kind} {self.work.title}"
        if not self.seconds:
            return [title, "", "", "", self.same]
        shown = [f"{1000 * self.seconds[side]:.3g} ms" for side in SIDES]
        return [title, *shown, times(self.ratio), self.same]


def timed(work: Work, sides: dict[str, Side], rounds: int) -> Timing:
    """Ask both sides in turns; the first answers only say how often to repeat, and whether both can do it."""
    first = {name: side.ask(work) for name, side in sides.items()}
    errors = [f"{name}: {found['error']}" for name, found in first.items() if "error" in found]
    if errors:
        return Timing(work, {}, "; ".join(errors))
    loops = max(1, ceil(TURN / max(1e-6, *(found["seconds"] for found in first.values()))))
    best, digests = dict.fromkeys(SIDES, float("inf")), {found["digest"] for found in first.values()}
    for turn in range(rounds):
        for name in SIDES if turn % 2 else SIDES[::-1]:
            found = sides[name].ask(work, loops)
            best[name] = min(best[name], found["seconds"])
            digests.add(found["digest"])
    return Timing(work, best, "yes" if len(digests) == 1 else "NO")


def section(timings: list[Timing], base: str, rounds: int) -> Section:
    """Return the table, the geometric means and the verdict."""
    rows = [timing.row() for timing in timings]
    judged = [timing for timing in timings if timing.seconds]
    kinds = dict.fromkeys(timing.work.kind for timing in judged)
    rows += [_mean(kind, [timing for timing in judged if timing.work.kind == kind]) for kind in kinds]
    rows.append(_mean("all", judged))
    mean, worst = _geometric_mean(judged), max((timing.ratio for timing in judged), default=1.0)
    return Section(
        f"Beside {base}",
        f"Processor time, one thread, in turns, best of {rounds}; below 1x this askew is the faster one. The last "
        "column says whether the trees or predictions are equal bit for bit.",
        ("work", "base", "this", "this / base", "same"),
        rows,
        [
            Goal(f"geometric mean at most {times(MEAN_LIMIT)}", mean <= MEAN_LIMIT),
            Goal(f"nothing above {times(WORST_LIMIT)}", worst <= WORST_LIMIT),
            Goal("every result is the same", all(timing.same == "yes" for timing in timings)),
        ],
    )


def _geometric_mean(timings: list[Timing]) -> float:
    return exp(sum(log(timing.ratio) for timing in timings) / max(1, len(timings)))


def _mean(title: str, timings: list[Timing]) -> list[str]:
    return [f"geometric mean, {title}", "", "", times(_geometric_mean(timings)), ""]


def main() -> None:
    arguments = _parse()
    python = arguments.base_python or (Path(sys.executable) if arguments.base_path else installed(arguments.base))
    console = Console(width=140)
    wanted = [work for work in works() if arguments.only.lower() in f"{work.kind} {work.title}".lower()]
    timings = []
    with started(python, arguments.base_path) as base, started(Path(sys.executable), None) as this:
        for work in wanted:
            timings.append(timed(work, {"base": base, "this": this}, arguments.rounds))
            console.print(f"[dim]{'  '.join(timings[-1].row())}[/]", highlight=False)
    show(section(timings, str(arguments.base_path or arguments.base), arguments.rounds), console)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("base", nargs="?", default="HEAD~1", metavar="REVISION", help="default: the commit before")
    parser.add_argument("--base-python", type=Path, help="interpreter that has the other askew; nothing is built then")
    parser.add_argument("--base-path", type=Path, help="folder that the other askew is in; nothing is built then")
    parser.add_argument("--only", default="", metavar="TEXT", help="only work that has this in its name")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each side")
    return parser.parse_args()


if __name__ == "__main__":
    main()
