"""What a tree that was chosen shows of the choice: the leaderboard, the front, the choice in words, an honest score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from askew.choice.evidence import Choice
from askew.choice.setting import terms_of
from askew.estimators.base import BaseTree

_SMOOTHED = {"laplace": "probabilities by Laplace", "m_estimate": "probabilities by m-estimate"}
_COLUMNS = ("recipe", "leaves", "terms", "mean", "standard_error", "seconds", "chosen")


@dataclass(kw_only=True, eq=False, repr=False)
class EvidentTree(BaseTree):
    """A tree that keeps the evidence for its choice."""

    scoring: Any = None

    choice_: Choice = field(init=False)

    @property
    def leaderboard_(self) -> Any:
        """What was tried, best first: a DataFrame, or a list of dicts where pandas is not installed."""
        check_is_fitted(self)
        return _as_table(list(self.choice_.records))

    @property
    def front_(self) -> Any:
        """The lines than which none is both smaller and better, the smallest first."""
        check_is_fitted(self)
        front = [record for record in self.choice_.records if record.on_front]
        return _as_table(sorted(front, key=lambda record: record.mean))

    @property
    def chosen_(self) -> str:
        """What was chosen, in words."""
        check_is_fitted(self)
        chosen = self.choice_.chosen
        name = "axis-parallel" if chosen is None else chosen.recipe
        size = _count(self.tree_.n_leaves, "leaf", "leaves")
        words = f"{name}, {size}, {_count(terms_of(self.tree_), 'term', 'terms')}"
        smoothing = self.choice_.smoothing
        return words if smoothing is None else f"{words}, {_SMOOTHED[smoothing]}"

    def nested_score(self, X: Any, y: Any, cv: Any = 5, sample_weight: Any = None) -> NDArray[np.float64]:
        """Return the score of the whole procedure, choice included, on held-out rows.

        The best score on the leaderboard is the best of many, and so too high by chance. Here the choice is made anew
        in every fold, on the rows that are not held out.

        Parameters
        ----------
        X, y : the rows
        cv : int or splitter, default=5
            Number of folds (shuffled by `random_state`, of the same share of classes), or a splitter.
        sample_weight : array or None, default=None
            Weight of each row, for the fits.

        Returns
        -------
        scores : ndarray
            One score for each fold: accuracy, R^2, or that of `scoring`.
        """
        from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

        seed = self.random_state if self.random_state is not None else 0
        if not hasattr(cv, "split"):
            kind = StratifiedKFold if is_classifier(self) else KFold
            cv = kind(cv, shuffle=True, random_state=seed)
        given = None if sample_weight is None else {"sample_weight": sample_weight}
        return np.asarray(cross_val_score(clone(self), X, y, cv=cv, scoring=self.scoring, params=given))


def _as_table(records: list[Any]) -> Any:
    rows = [{name: getattr(record, name) for name in _COLUMNS} for record in records]
    try:
        from pandas import DataFrame
    except ImportError:
        return rows
    return DataFrame(rows, columns=list(_COLUMNS))


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
