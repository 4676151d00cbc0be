"""Protocols of the comparison of all methods: folds or a split, on whose test rows nothing is ever chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import process_time
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from askew.comparison.ranking import mean, sd
from experiments.baselines import estimator_named
from experiments.experiment import Cell, Figure, Part
from experiments.scores import class_scores, number_scores, sizes

_Rows = NDArray[np.int64]


def fit_and_score(
    cell: Cell, seed: int, classification: bool, X: NDArray[np.float64], y: NDArray[Any], train: _Rows, test: _Rows
) -> Part:
    """Fit on the training rows, and return each measure on the test rows.

    What is missing is filled with the median of the training rows.
    """
    if np.isnan(X).any():
        X = np.where(np.isnan(X), np.nanmedian(X[train], axis=0), X)
    model = estimator_named(cell.estimator)(**cell.parameters, random_state=seed)
    with catch_warnings():
        simplefilter("ignore")  # of rivals, about convergence and small folds: they count as they are
        scores = (_classified if classification else _regressed)(model, X, y, train, test)
    return {**scores, **sizes(model)}


def _classified(model: Any, X: NDArray[np.float64], y: NDArray[Any], train: _Rows, test: _Rows) -> Part:
    """Fit with the numbers of the classes among the training rows: not every rival takes text, or other numbers."""
    classes, label = np.unique(y, return_inverse=True)
    known, learnt = np.unique(label[train], return_inverse=True)
    milliseconds = _fit(model, X[train], learnt)
    probability = np.zeros((test.size, classes.size))
    probability[:, known] = model.predict_proba(X[test])
    return {**class_scores(probability, known[model.predict(X[test])], label[test]), **milliseconds}


def _regressed(model: Any, X: NDArray[np.float64], y: NDArray[Any], train: _Rows, test: _Rows) -> Part:
    value = y.astype(np.float64)
    milliseconds = _fit(model, X[train], value[train])
    return {**number_scores(model.predict(X[test]), value[test]), **milliseconds}


def _fit(model: Any, X: NDArray[np.float64], y: NDArray[Any]) -> Part:
    start = process_time()
    with threadpool_limits(1):  # processor time is that of one thread, for every method
        model.fit(X, y)
    return {"milliseconds": 1000 * (process_time() - start)}


def _combined(parts: list[Part], folds: int) -> dict[str, Figure]:
    """Return the mean over all parts, and the standard deviation over the repetitions."""
    figures = {}
    for name in parts[0]:
        values = [part[name] for part in parts if name in part]
        repeated = [mean(values[i : i + folds]) for i in range(0, len(values), folds)]
        figures[name] = Figure(mean(values), sd(repeated), 3)
    return figures


@dataclass(frozen=True)
class Folds:
    """Repeated cross-validation, a part a fold; stratified where there are classes."""

    folds: int = 5
    repeats: int = 3
    classification: bool = True

    def n_parts(self) -> int:
        """Return the number of folds of all repetitions."""
        return self.folds * self.repeats

    def run(self, cell: Cell, number: int, X: NDArray[np.float64], y: NDArray[Any]) -> Part:
        """Train on all folds but one, and test on that; the folds are the same for every method."""
        repetition, fold = divmod(number, self.folds)
        made = StratifiedKFold if self.classification else KFold
        with catch_warnings():
            simplefilter("ignore")  # of classes with fewer rows than folds
            parts = list(made(self.folds, shuffle=True, random_state=repetition).split(X, y))
        return fit_and_score(cell, number, self.classification, X, y, *parts[fold])

    def identity(self, number: int) -> str:
        """Folds, repetition and fold."""
        return f"{self.folds}-fold, part {number}, {'stratified' if self.classification else 'numbers'}"

    def combine(self, parts: list[Part], paper: Mapping[str, Figure]) -> tuple[dict[str, Figure], str]:
        """Return the mean over the folds, and the standard deviation over the repetitions."""
        return _combined(parts, self.folds), ""

    def quick(self) -> Folds:
        """Return one repetition."""
        return replace(self, repeats=1)

    def describe(self) -> str:
        """Say what is done."""
        return f"{self.repeats} x {self.folds}-fold cross-validation"


@dataclass(frozen=True)
class Split:
    """Training and test rows; repetitions differ by the seed of the methods, and of the split where it is drawn.

    Attributes
    ----------
    train : int
        Number of training rows.
    test : int
        The most test rows.
    drawn : bool
        Whether the rows are drawn; else the first rows are for training, and the others for the test.
    repeats : int
        Repetitions.
    classification : bool
        Whether the target is a class.
    """

    train: int
    test: int
    drawn: bool = True
    repeats: int = 1
    classification: bool = True

    def n_parts(self) -> int:
        """Return the number of repetitions."""
        return self.repeats

    def run(self, cell: Cell, number: int, X: NDArray[np.float64], y: NDArray[Any]) -> Part:
        """Train once, and test once; the rows are the same for every method."""
        return fit_and_score(cell, number, self.classification, X, y, *self._rows(number, y))

    def _rows(self, number: int, y: NDArray[Any]) -> tuple[_Rows, _Rows]:
        test = min(self.test, len(y) - self.train)
        if not self.drawn:
            return np.arange(self.train), np.arange(self.train, self.train + test)
        made = StratifiedShuffleSplit if self.classification else ShuffleSplit
        first, then = next(made(1, train_size=self.train, test_size=test, random_state=number).split(y, y))
        return first, then

    def identity(self, number: int) -> str:
        """Rows and number of the repetition."""
        return f"{self.train} rows to train, {self.test} to test, drawn: {self.drawn}, repetition {number}"

    def combine(self, parts: list[Part], paper: Mapping[str, Figure]) -> tuple[dict[str, Figure], str]:
        """Return mean and standard deviation over the repetitions."""
        return _combined(parts, 1), ""

    def quick(self) -> Split:
        """Return one repetition."""
        return replace(self, repeats=1)

    def describe(self) -> str:
        """Say what is done."""
        kind = "drawn" if self.drawn else "official"
        return f"{self.train:,} training rows, {kind}, x {self.repeats}"
