"""Out of bag: what the trees of a forest predict for rows that they were not grown on; the score, the importance."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from askew.data.read import Schema, read_training
from askew.ensemble.distinct_rows import DistinctRows
from askew.ensemble.forest import Sampling, out_of_bag_sums
from askew.estimators.ensemble import tree_seeds
from askew.estimators.forest_parameters import ForestParameters
from askew.parameters import check_parameters


@dataclass(kw_only=True, eq=False, repr=False)
class OutOfBag(ForestParameters):
    """A forest that is scored by the rows that its trees were not grown on.

    Attributes
    ----------
    oob_score_ : float
        Accuracy, or R squared, of the out-of-bag predictions; with ``oob_score=True``.
    """

    oob_score_: float = field(init=False)

    def _score_out_of_bag(self, rows: DistinctRows, sampling: Sampling) -> None:
        for name in ("oob_score_", "oob_prediction_", "oob_decision_function_"):
            self.__dict__.pop(name, None)
        if not self.oob_score:
            return
        predicted = self._out_of_bag(rows, rows.table.X, sampling)
        if np.isnan(predicted).any():
            warn(
                "Some inputs do not have OOB scores: all trees were grown on them. With more trees, all have one.",
                stacklevel=3,
            )
        self._keep_out_of_bag(rows, predicted, sampling)
        self.oob_score_ = self._oob_score(rows, predicted)

    def _out_of_bag(
        self,
        rows: DistinctRows,
        X: NDArray[np.float64],
        sampling: Sampling,
        entries: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the mean prediction of the trees that were not grown on a row; NaN if there is none."""
        packed, own = self._walked()
        entries = own if entries is None else entries
        drawn = sampling.draw(rows, tree_seeds(self.seed_, 0, len(self.trees_)), self._threads())
        sums, number = out_of_bag_sums(packed, entries, X, drawn, self._threads())
        return np.where(number[:, None] > 0, sums / np.maximum(number, 1)[:, None], np.nan)

    @abstractmethod
    def _sampling(self, n_samples: float) -> Sampling:
        """Return the sample of each tree, of so many samples."""

    @abstractmethod
    def _keep_out_of_bag(self, rows: DistinctRows, predicted: NDArray[np.float64], sampling: Sampling) -> None:
        """Keep the prediction of each row as the attribute that scikit-learn names."""

    @abstractmethod
    def _labels(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return y as it was given."""

    @abstractmethod
    def _oob_labels(self, predicted: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class or the number of each row."""

    @property
    @abstractmethod
    def _usual_score(self) -> Any:
        """The score unless `oob_score` is one: a function of y, what is predicted, and the weights."""

    def _oob_score(self, rows: DistinctRows, predicted: NDArray[np.float64]) -> float:
        """Return the score of the rows that some tree was not grown on; NaN if there are fewer than two."""
        known = ~np.isnan(predicted[:, 0])
        if known.sum() < 2:
            return float("nan")
        if callable(self.oob_score):  # of the rows as they were given
            given = rows.place[known[rows.place]]
            return float(self.oob_score(self._labels(rows.table.y[given]), self._oob_labels(predicted[given])))
        y, weight = self._labels(rows.table.y[known]), rows.table.weight[known]
        return float(self._usual_score(y, self._oob_labels(predicted[known]), sample_weight=weight))

    def oob_permutation_importance(
        self, X: Any, y: Any, sample_weight: Any = None, n_repeats: int = 5, random_state: Any = 0
    ) -> Bunch:
        """Return how much worse the out-of-bag score is when the values of a feature are permuted (Breiman 2001).

        Parameters
        ----------
        X, y, sample_weight : the rows that the forest was fitted on
        n_repeats : how often each feature is permuted
        random_state : seed of the permutations

        Returns
        -------
        result : Bunch
            ``importances`` (features x repeats), ``importances_mean`` and ``importances_std``.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from askew import ObliqueForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ObliqueForestClassifier(n_estimators=20, random_state=0).fit(X, y)
        >>> int(forest.oob_permutation_importance(X, y).importances_mean.argmin())
        1
        """
        check_parameters(self)
        _, table = read_training(self, X, y, sample_weight, Schema.of(self))
        rows = DistinctRows.of(table)
        sampling = self._sampling(float(table.multiplicity.sum()))
        if not sampling.bootstrap and sampling.share >= 1:
            raise ValueError("there are no rows out of bag: the forest was fitted with bootstrap=False")
        before = self._oob_score(rows, self._out_of_bag(rows, rows.table.X, sampling))
        origin = np.arange(table.n_features) if self.encoder_ is None else self.encoder_.origin
        drops = np.zeros((self.n_features_in_, n_repeats))
        random = np.random.default_rng(random_state)
        for feature in range(self.n_features_in_):
            changed = origin == feature
            for repeat in range(n_repeats):
                permuted = rows.table.X.copy()
                permuted[:, changed] = permuted[random.permutation(rows.table.n_rows)][:, changed]
                after = self._oob_score(rows, self._out_of_bag(rows, permuted, sampling))
                drops[feature, repeat] = before - after
        return Bunch(importances=drops, importances_mean=drops.mean(axis=1), importances_std=drops.std(axis=1))
