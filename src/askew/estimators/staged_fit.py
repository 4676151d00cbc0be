"""One run of `askew.estimators.boosting.Boosting.fit`: stages, their scores, early stopping, going on from before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from askew import _core
from askew.ensemble.boosting import Stages
from askew.ensemble.losses import Loss
from askew.ensemble.rows import DistinctRows
from askew.grow import Progress, child_seed
from askew.table import Table
from askew.tree import Tree

if TYPE_CHECKING:
    from askew.estimators.boosting import Boosting


class StagedFit:
    """One run of `Boosting.fit`."""

    def __init__(self, model: Boosting, loss: Loss, rows: DistinctRows, held_out: Table | None) -> None:
        self.model, self.loss, self.rows, self.held_out = model, loss, rows, held_out
        self.trees: list[list[Tree]] = []
        self.train_score: list[float] = []
        self.validation_score: list[float] = []

    def begin(self, before: Boosting | None, monotonic: NDArray[np.int8] | None) -> None:
        """Start from a constant, or go on from the stages that are there."""
        table, model = self.rows.table, self.model
        y = table.y.astype(np.float64)
        if before is None:
            self.baseline = self.loss.baseline(y, table.weight)
        else:
            if before.n_iter_ > model.max_iter:
                raise ValueError(
                    f"max_iter={model.max_iter} must be at least {before.n_iter_}, the number of stages that are "
                    "there, when warm_start is True"
                )
            self.baseline, self.trees = before.baseline_, before._stages()
            self.train_score, self.validation_score = before.train_score_.tolist(), before.validation_score_.tolist()
        self.stages = Stages.start(
            self.rows,
            self.loss,
            model._rule(table),
            self._raw(table.X, before),
            max_bins=int(model.max_bins),
            monotonic=monotonic,
            subsample=float(model.subsample),
            threads=model._threads(),
        )
        if self.held_out is not None:
            self.held_raw = self._raw(self.held_out.X, before)
        if before is None:
            self._score()

    def _raw(self, X: NDArray[np.float64], before: Boosting | None) -> NDArray[np.float64]:
        raw = np.repeat(self.baseline[:, None], X.shape[0], axis=1)
        return raw if before is None else raw + before._sums(X).T

    def run(self, seed: int, progress: Progress | None) -> None:
        """Add stages until there are enough, or the loss on the rows held out does not fall."""
        for number in range(len(self.trees), self.model.max_iter):
            if self._stops():
                return
            _core.check_interrupt()
            stage = self.stages.next(child_seed(child_seed(seed, 0), number))
            self.trees.append(stage)
            if self.held_out is not None:
                for output, tree in enumerate(stage):
                    self.held_raw[output] += tree.outputs(self.held_out.X, self.model._threads())[:, 0]
            self._score()
            if progress is not None:
                progress((number + 1) / self.model.max_iter)

    def _score(self) -> None:
        self.train_score.append(self.loss.mean(self.stages.y, self.stages.raw, self.rows.table.weight))
        if self.held_out is not None:
            y = self.held_out.y.astype(np.float64)
            self.validation_score.append(self.loss.mean(y, self.held_raw, self.held_out.weight))

    def _stops(self) -> bool:
        patience, score = int(self.model.n_iter_no_change), self.validation_score
        if self.held_out is None or len(score) <= patience:
            return False
        return min(score[-patience:]) > min(score[:-patience]) - self.model.tol
