"""The protocols of the papers: how often, on which rows, and how figures are made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import process_time
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

import askew
from askew.comparison.ranking import mean, sd
from experiments.baselines import estimator_named
from experiments.experiment import Cell, Figure, Part


def cross_validation(
    estimator: str, parameters: Mapping[str, Any], X: NDArray[np.float64], y: NDArray[Any], folds: int, seed: int
) -> Part:
    """Cross-validate once, as OC1-94, section 4.1, says.

    The rows are divided at random into equal parts, by `seed` alone, so that every method sees the same parts.
    Correct answers are summed over the folds and divided by all rows; sizes are averaged over the trees.
    """
    made = estimator_named(estimator)
    correct, sizes = 0, []
    parts = KFold(folds, shuffle=True, random_state=seed).split(X)
    for fold, (train, test) in enumerate(parts):
        tree = made(**parameters, random_state=folds * seed + fold).fit(X[train], y[train])
        correct += int((tree.predict(X[test]) == y[test]).sum())
        sizes.append(_sizes(tree))
    return {"accuracy": 100 * correct / len(y), **{name: mean([size[name] for size in sizes]) for name in sizes[0]}}


def _sizes(model: Any) -> dict[str, float]:
    """Return how large a model is, as far as it has a size; of several trees, the average."""
    if isinstance(model, askew.KDTClassifier):
        return {"leaves": mean([tree.get_n_leaves() for tree in model.estimators_])}
    if not hasattr(model, "get_n_leaves"):
        return {}
    return {"leaves": model.get_n_leaves(), "hyperplanes": model.n_hyperplanes_}


@dataclass(frozen=True)
class RepeatedCV:
    """Repeated k-fold cross-validation; mean and standard deviation over the repetitions (OC1-94, section 4.1)."""

    folds: int = 5
    repeats: int = 10

    def n_parts(self) -> int:
        """Return the number of repetitions."""
        return self.repeats

    def run(self, cell: Cell, number: int, X: NDArray[np.float64], y: NDArray[Any]) -> Part:
        """Run one repetition; its number is its seed."""
        return cross_validation(cell.estimator, cell.parameters, X, y, self.folds, number)

    def identity(self, number: int) -> str:
        """Folds and number of the repetition: a quick run's parts are the first of the full run's."""
        return f"{self.folds}-fold, repetition {number}"

    def combine(self, parts: list[Part], paper: Mapping[str, Figure]) -> tuple[dict[str, Figure], str]:
        """Return mean and standard deviation over the repetitions."""
        columns = {name: [part[name] for part in parts] for name in parts[0]}
        return {name: Figure(mean(values), sd(values), 2) for name, values in columns.items()}, ""

    def quick(self) -> RepeatedCV:
        """Return two repetitions."""
        return replace(self, repeats=2)

    def describe(self) -> str:
        """Say what is done."""
        return (
            f"{self.repeats} repetitions of {self.folds}-fold cross-validation. Correct answers are summed over the "
            "folds, sizes averaged; mean ± standard deviation over the repetitions. Every method sees the same folds."
        )


@dataclass(frozen=True)
class FoldedCV:
    """One k-fold cross-validation; mean and standard deviation over the folds (CE-DT, section 6).

    What is missing is filled with the median of the training rows.
    """

    folds: int = 10
    seed: int = 0

    def n_parts(self) -> int:
        """Return the number of folds."""
        return self.folds

    def run(self, cell: Cell, number: int, X: NDArray[np.float64], y: NDArray[Any]) -> Part:
        """Train on all folds but one, and test on that; the folds are the same for every method."""
        train, test = list(KFold(self.folds, shuffle=True, random_state=self.seed).split(X))[number]
        if np.isnan(X).any():
            X = np.where(np.isnan(X), np.nanmedian(X[train], axis=0), X)
        model = estimator_named(cell.estimator)(**cell.parameters, random_state=number)
        start = process_time()
        with catch_warnings():
            simplefilter(
                "ignore", ConvergenceWarning
            )  # a network that is stopped early by its defaults counts as it is
            model.fit(X[train], y[train])
        seconds = process_time() - start
        accuracy = 100 * float((model.predict(X[test]) == y[test]).mean())
        leaves = {"leaves": float(model.get_n_leaves())} if hasattr(model, "get_n_leaves") else {}
        return {"accuracy": accuracy, **leaves, "milliseconds": 1000 * seconds}

    def identity(self, number: int) -> str:
        """Folds, seed and number of the fold."""
        return f"fold {number} of {self.folds}, seed {self.seed}"

    def combine(self, parts: list[Part], paper: Mapping[str, Figure]) -> tuple[dict[str, Figure], str]:
        """Return mean and standard deviation over the folds."""
        columns = {name: [part[name] for part in parts] for name in parts[0]}
        return {name: Figure(mean(values), sd(values), 2) for name, values in columns.items()}, ""

    def quick(self) -> FoldedCV:
        """Return the same: a part of the folds would be another experiment."""
        return self

    def describe(self) -> str:
        """Say what is done."""
        return (
            f"{self.folds}-fold cross-validation; mean ± standard deviation over the folds, which are the same for "
            "every method. What is missing is filled with the median of the training rows; text is one-hot encoded."
        )


@dataclass(frozen=True)
class BestOfSearch:
    """One k-fold cross-validation of each of several settings; the most accurate counts (OC1-93, section 3)."""

    variants: tuple[Mapping[str, Any], ...]
    quick_variants: int
    folds: int = 10
    seed: int = 0

    def n_parts(self) -> int:
        """Return the number of settings."""
        return len(self.variants)

    def run(self, cell: Cell, number: int, X: NDArray[np.float64], y: NDArray[Any]) -> Part:
        """Cross-validate one setting; the folds are the same for all."""
        parameters = {**cell.parameters, **self.variants[number]}
        return cross_validation(cell.estimator, parameters, X, y, self.folds, self.seed)

    def identity(self, number: int) -> str:
        """Folds, seed and setting."""
        return f"{self.folds}-fold, seed {self.seed}, {sorted(self.variants[number].items())!r}"

    def combine(self, parts: list[Part], paper: Mapping[str, Figure]) -> tuple[dict[str, Figure], str]:
        """Return the figures of the most accurate setting; of equals, the smallest trees."""
        best = max(range(len(parts)), key=lambda i: (parts[i]["accuracy"], -parts[i].get("leaves", 0.0), -i))
        setting = ", ".join(f"{name}={value!r}" for name, value in self.variants[best].items())
        return {name: Figure(value, None, 2) for name, value in parts[best].items()}, setting

    def quick(self) -> BestOfSearch:
        """Return the first few settings."""
        return replace(self, variants=self.variants[: self.quick_variants])

    def describe(self) -> str:
        """Say what is done."""
        return (
            f"{self.folds}-fold cross-validation of {len(self.variants)} settings; the figures are those of the most "
            "accurate, as in the paper. They are therefore a little too good to be expected of new data."
        )
