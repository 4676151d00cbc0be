"""The ways to grow a tree that are tried, by name and by effort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askew.errors import InvalidParameterError, brief
from askew.grow import Search
from askew.refinement.soft import SoftRefiner
from askew.search.axis import AxisParallel
from askew.search.cross_entropy import CrossEntropy
from askew.search.householder import Householder
from askew.search.linear import LinearPlanes
from askew.search.oc1 import OC1


@dataclass(frozen=True)
class Candidate:
    """A way to grow trees, by name.

    Attributes
    ----------
    name : what it is, in words
    search : how a tree is grown
    leaf_model : what a leaf predicts
    """

    name: str
    search: Search
    leaf_model: str = "constant"


#: Name -> name in words and search. A new candidate is one line here.
CANDIDATES: dict[str, tuple[str, Search]] = {
    "axis": ("axis-parallel", AxisParallel()),
    "linear_1": ("linear (l2 = 1)", LinearPlanes(l2=1.0)),
    "linear_10": ("linear (l2 = 10)", LinearPlanes(l2=10.0)),
    "linear_100": ("linear (l2 = 100)", LinearPlanes(l2=100.0)),
    "oc1_quick": ("OC1 (5 restarts)", OC1(n_restarts=5, n_jumps=3)),
    "oc1": ("OC1", OC1()),
    "ce_dt": ("CE-DT", CrossEntropy()),
    "hhcart": ("HHCART(A)", Householder(variant="A")),
}


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    Attributes
    ----------
    candidates : names in `CANDIDATES`
    folds : parts of the rows, each held out once
    held_out : rows that are held out in all, at least: the folds are drawn so often, if rows are few
    repeats : how often the folds are drawn, at most
    refined : how many trees are refined
    refiners : penalties of the refinement
    """

    candidates: tuple[str, ...]
    folds: int
    held_out: int
    repeats: int
    refined: int
    refiners: tuple[SoftRefiner, ...]


EFFORTS: dict[str, Effort] = {
    "low": Effort(("axis", "linear_10", "ce_dt"), 3, 300, 2, 1, (SoftRefiner(l2=0.01),)),
    "medium": Effort(
        ("axis", "linear_1", "linear_10", "linear_100", "oc1_quick", "ce_dt"),
        5,
        2000,
        5,
        4,
        (SoftRefiner(l2=0.03), SoftRefiner(l2=0.003)),
    ),
    "high": Effort(
        ("axis", "linear_1", "linear_10", "linear_100", "oc1", "ce_dt", "hhcart"),
        5,
        6000,
        10,
        8,
        (SoftRefiner(l2=0.1), SoftRefiner(l2=0.01), SoftRefiner(l2=0.001)),
    ),
}


def candidates_of(names: Sequence[object]) -> list[Candidate]:
    """Return the candidates of these names, or of searches of one's own."""
    found = []
    for given in names:
        if isinstance(given, str) and given in CANDIDATES:
            found.append(Candidate(*CANDIDATES[given]))
        elif not isinstance(given, str | type) and isinstance(given, Search):
            found.append(Candidate(type(given).__name__, given))
        else:
            raise InvalidParameterError(
                "The 'candidates' parameter must be None or a list of names and searches, names among "
                f"{sorted(CANDIDATES)}. Got {brief(given)} instead."
            )
    return found
