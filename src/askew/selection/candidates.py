"""Candidates: the ways to grow a tree that are tried, by name and by effort; and settings: a candidate and a size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askew.data.table import Table
from askew.grow.criterion import Criterion
from askew.grow.grow import Search, grow, is_search
from askew.grow.limits import Limits
from askew.grow.recipe import Refiner
from askew.model.edit import narrowed, renumbered
from askew.model.linear_leaves import fit_leaf_models
from askew.model.tree import Tree
from askew.parallel import Progress
from askew.parameters import InvalidParameterError, brief
from askew.prune.cost_complexity import PruningPath
from askew.refinement.boundary import BoundaryCuts
from askew.refinement.soft import SoftRefiner
from askew.search.axis import AxisParallel
from askew.search.cross_entropy import CrossEntropy
from askew.search.householder import Householder
from askew.search.linear import LinearPlanes
from askew.search.oc1 import OC1
from askew.search.piecewise import PiecewiseLinear


@dataclass(frozen=True)
class Candidate:
    """A way to grow trees.

    Attributes
    ----------
    name : str
        Its name on the leaderboard.
    search : Search
        How splits are found.
    leaf_model : "constant" or "linear"
        Model of a leaf.
    finish : Refiner or None
        Refiner of the splits of a tree that has been pruned to its size.
    columns : tuple of int or None
        The columns that it may test; None for all.
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
    """The number of candidates, folds and refinements of a selection.

    Attributes
    ----------
    classes, numbers : tuple of str
        Names in `CANDIDATES` that are tried for classification, for regression.
    folds : int
        Number of folds.
    held_out : int
        Most rows that are held out, over all folds (about). With fewer rows in all, the folds are repeated; with more,
        only some folds are used.
    repeats : int
        Most repetitions of the folds.
    values : int
        Most rows x columns, over all repetitions, that the best are evaluated on.
    sample : int
        With more rows than this, the candidates are screened on a sample of this size, and the best two tried on all.
    starts : int
        Number of candidates whose trees are refined.
    penalties : tuple of float
        Penalties of the refinement, relative to the sum of the rows' losses.
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
        classes=("axis", "linear_10", "ce_dt"),
        numbers=("axis", "linear_10", "piecewise"),
        folds=3,
        held_out=300,
        repeats=2,
        values=20_000,
        sample=1000,
        starts=1,
        penalties=(1.0,),
    ),
    "medium": Effort(
        classes=("axis", "linear_1", "linear_10", "linear_100", "oc1_quick", "ce_dt"),
        numbers=("axis", "linear_10", "axis_linear", "piecewise", "piecewise_oblique"),
        folds=5,
        held_out=1200,
        repeats=5,
        values=50_000,
        sample=2500,
        starts=3,
        penalties=(0.2, 1.0, 5.0, 25.0),
    ),
    "high": Effort(
        classes=("axis", "linear_1", "linear_10", "linear_100", "oc1", "ce_dt", "hhcart"),
        numbers=("axis", "linear_1", "linear_10", "oc1", "ce_dt", "axis_linear", "piecewise", "piecewise_oblique"),
        folds=5,
        held_out=10_000,
        repeats=10,
        values=600_000,
        sample=10_000,
        starts=4,
        penalties=(0.2, 1.0, 5.0, 25.0),
    ),
}


def as_candidates(names: Sequence[object]) -> list[Candidate]:
    """Return the candidates of these names; a search becomes a candidate that has the name of its class."""
    found = []
    for name in names:
        if isinstance(name, str) and name in CANDIDATES:
            found.append(CANDIDATES[name])
        elif is_search(name):
            found.append(Candidate(type(name).__name__, name))
        else:
            raise InvalidParameterError(
                "The 'candidates' parameter must be None or a list of names and searches, names among "
                f"{sorted(CANDIDATES)}. Got {brief(name)} instead."
            )
    return found


_ITERATIONS = 50  # at each sharpness: more are no better on held-out rows


@dataclass(frozen=True)
class CandidateGrower:
    """Grows the trees of all candidates.

    Attributes
    ----------
    criterion, limits, seed
        How trees are grown.
    refined_limits : Limits
        The limits of refined trees, whose leaves may be smaller.
    keep_zeros : bool
        Whether a refined plane tests no other features than it was grown with.
    """

    criterion: Criterion
    limits: Limits
    refined_limits: Limits
    seed: int
    keep_zeros: bool = False

    def path(
        self, candidate: Candidate, table: Table, threads: int = 1, progress: Progress | None = None
    ) -> PruningPath:
        """Grow a candidate on a table, and return all sizes of its tree."""
        table = narrowed(table, candidate.columns)
        tree = grow(table, candidate.search, self.criterion, self.limits, self.seed, threads, progress)
        if candidate.leaf_model == "linear":
            tree = fit_leaf_models(tree, table, threads)
        return PruningPath.of(tree, table.classification)

    def allows(self, tree: Tree) -> bool:
        """Whether the leaves of a refined tree have as many samples, and as much weight, as the limits require."""
        leaf, limits = tree.is_leaf, self.refined_limits
        enough = tree.n_samples[leaf].min() >= limits.min_samples_leaf
        return tree.n_leaves == 1 or bool(enough and tree.mass[leaf].min() >= limits.min_weight_leaf)


@dataclass(frozen=True)
class Setting:
    """A setting of the hyperparameters that are selected.

    Attributes
    ----------
    candidate : Candidate
        How the tree is grown.
    max_leaves : int
        Its size: the tree is pruned to at most this number of leaves.
    penalty : float or None
        Penalty of the refinement; None for no refinement.
    """

    candidate: Candidate
    max_leaves: int
    penalty: float | None = None

    @property
    def name(self) -> str:
        """The recipe, as the leaderboard shows it."""
        return self.candidate.name + ("" if self.penalty is None else f", refined (l2 = {self.penalty:g})")

    def fit(self, table: Table, grower: CandidateGrower, threads: int = 1, progress: Progress | None = None) -> Tree:
        """Grow on a table, prune to the size, refine."""
        return self.finished(grower.path(self.candidate, table, threads, progress), table, grower, threads)

    def finished(self, path: PruningPath, table: Table, grower: CandidateGrower, threads: int = 1) -> Tree:
        """Return the subtree of this size, refined unless that violates the limits, with the columns of the table."""
        columns = self.candidate.columns
        tree = self._refined(subtree_of(path, self.max_leaves), narrowed(table, columns), grower, threads)
        return tree if columns is None else renumbered(tree, np.array(columns, dtype=np.int64), table.n_features)

    def _refined(self, kept: Tree, table: Table, grower: CandidateGrower, threads: int) -> Tree:
        refiner = self.candidate.finish
        if self.penalty is not None:
            l2 = self.penalty / float(table.multiplicity.sum())
            refiner = SoftRefiner(l2=l2, max_iter=_ITERATIONS, guarded=False, keep_zeros=grower.keep_zeros)
        if refiner is None:
            return kept
        found = refiner.refine(kept, table, grower.criterion, grower.seed, threads)
        return found if grower.allows(found) else kept


def subtree_of(path: PruningPath, max_leaves: int) -> Tree:
    """Return the largest subtree of a path with at most `max_leaves` leaves."""
    return path.subtree(int(np.argmax(path.n_leaves <= max_leaves)))


def n_weighted_features(tree: Tree) -> int:
    """Return the number of features that have a weight, summed over all splits and the models of leaves.

    The selection measures size by this. `Tree.n_terms`, which is reported, counts the weights themselves: those of a
    leaf model for each class, and only if they are not 0.
    """
    return int(tree.weight.size + tree.payload.n_columns[tree.is_leaf].sum())
