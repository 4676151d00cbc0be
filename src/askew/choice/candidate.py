"""The ways to grow a tree that are tried, by name and by effort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askew.errors import InvalidParameterError, brief
from askew.grow import Search, is_search
from askew.recipe import Refiner
from askew.refinement.boundary import BoundaryCuts
from askew.search.axis import AxisParallel
from askew.search.cross_entropy import CrossEntropy
from askew.search.householder import Householder
from askew.search.linear import LinearPlanes
from askew.search.oc1 import OC1
from askew.search.piecewise import PiecewiseLinear


@dataclass(frozen=True)
class Candidate:
    """A way to grow trees, by name.

    Attributes
    ----------
    name : what it is, in words
    search : how a tree is grown
    leaf_model : what a leaf predicts: "constant" or "linear"
    finish : what is done to a tree once it has its size; None for nothing
    columns : the columns that it sees; None for all
    """

    name: str
    search: Search
    leaf_model: str = "constant"
    finish: Refiner | None = None
    columns: tuple[int, ...] | None = None


def _linear(l2: float) -> Candidate:
    return Candidate(f"linear (l2 = {l2:g})", LinearPlanes(l2=l2), finish=BoundaryCuts())


#: What may be tried, by name. A new candidate is one line here.
CANDIDATES: dict[str, Candidate] = {
    "axis": Candidate("axis-parallel", AxisParallel()),
    "linear_1": _linear(1.0),
    "linear_10": _linear(10.0),
    "linear_100": _linear(100.0),
    "oc1_quick": Candidate("OC1 (5 restarts)", OC1(n_restarts=5, n_jumps=3)),
    "oc1": Candidate("OC1", OC1()),
    "ce_dt": Candidate("CE-DT", CrossEntropy()),
    "hhcart": Candidate("HHCART(A)", Householder(variant="A")),
    "axis_linear": Candidate("axis-parallel, linear leaves", AxisParallel(), "linear"),
    "piecewise": Candidate("piecewise linear", PiecewiseLinear(), "linear"),
    "piecewise_oblique": Candidate("piecewise linear, oblique", PiecewiseLinear(oblique=True), "linear"),
}


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    Attributes
    ----------
    classes, numbers : names in `CANDIDATES` that are tried for classes, for numbers
    folds : parts of the rows, each held out once
    held_out : rows that are held out in all, about, at most: where rows are few, all folds are drawn several times;
        where they are many, some folds are enough
    repeats : how often the folds are drawn, at most
    values : rows x columns of all repetitions, at most, on which the best are judged (`askew.choice.finals`)
    sample : where there are more rows, the candidates are first tried on so many of them, and the best two on all
    starts : of how many candidates trees are refined
    penalties : of the refinement, beside the sum of the rows' losses
    """

    classes: tuple[str, ...]
    numbers: tuple[str, ...]
    folds: int
    held_out: int
    repeats: int
    values: int
    sample: int
    starts: int
    penalties: tuple[float, ...]


EFFORTS: dict[str, Effort] = {
    "low": Effort(
        ("axis", "linear_10", "ce_dt"), ("axis", "linear_10", "piecewise"), 3, 300, 2, 20_000, 1000, 1, (1.0,)
    ),
    "medium": Effort(
        ("axis", "linear_1", "linear_10", "linear_100", "oc1_quick", "ce_dt"),
        ("axis", "linear_10", "axis_linear", "piecewise", "piecewise_oblique"),
        5,
        1200,
        5,
        50_000,
        2500,
        3,
        (0.2, 1.0, 5.0, 25.0),
    ),
    "high": Effort(
        ("axis", "linear_1", "linear_10", "linear_100", "oc1", "ce_dt", "hhcart"),
        ("axis", "linear_1", "linear_10", "oc1", "ce_dt", "axis_linear", "piecewise", "piecewise_oblique"),
        5,
        10000,
        10,
        600_000,
        10000,
        4,
        (0.2, 1.0, 5.0, 25.0),
    ),
}


def candidates_of(names: Sequence[object]) -> list[Candidate]:
    """Return the candidates of these names, or of searches of one's own."""
    found = []
    for given in names:
        if isinstance(given, str) and given in CANDIDATES:
            found.append(CANDIDATES[given])
        elif is_search(given):
            found.append(Candidate(type(given).__name__, given))
        else:
            raise InvalidParameterError(
                "The 'candidates' parameter must be None or a list of names and searches, names among "
                f"{sorted(CANDIDATES)}. Got {brief(given)} instead."
            )
    return found
