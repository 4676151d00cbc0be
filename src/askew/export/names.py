"""Names of tested columns: ``colour=red`` instead of column 7. Shared by the exports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askew.data.encoder import Encoder, label_text
from askew.export.formatting import printable, shortest
from askew.model.fitted import FittedModel, Part


class Term(NamedTuple):
    """A part of a sum: a feature and its weight, or a feature with the value of each of its categories.

    `indices` are those of its weights in the node.
    """

    name: str
    weight: float
    indices: list[int]


@dataclass(frozen=True, eq=False)
class Columns:
    """Names of the columns that a tree tests.

    Attributes
    ----------
    features : list of str
        Names of the features of the data.
    encoder : Encoder or None
        The encoder of the features; None if all are numbers.
    """

    features: list[str]
    encoder: Encoder | None

    @classmethod
    def of(cls, model: FittedModel, feature_names: Sequence[str] | None = None) -> Columns:
        """Return `feature_names`, or the names seen in `fit`, or x0, x1, ...; raise ValueError for too few."""
        n = model.schema.n_features
        names = model.schema.feature_names if feature_names is None else feature_names
        if names is None:
            names = [f"x{j}" for j in range(n)]
        if len(names) != n:
            raise ValueError(f"feature_names must have {n} names, got {len(names)}")
        return cls([printable(name) for name in names], model.schema.encoder)

    @cached_property
    def names(self) -> list[str]:
        """The name of each column, each different: JSON names weights by column."""
        return distinct(self.features if self.encoder is None else self.encoder.names(self.features))

    def codes(self, column: int, n: int) -> list[str]:
        """Return the names of the first `n` categories of a column of codes; the codes if no names are known."""
        labels = None if self.encoder is None else self.encoder.codes_of(column)
        return distinct([code if labels is None else label_text(labels[code]) for code in range(n)])

    def cases(self, tree: Part, node: int) -> list[str]:
        """Return the categories that each child of a category table gets."""
        tested, child_of = tree.test(node)
        names = self.codes(int(tested[0]), child_of.size)
        cases = []
        for child, codes in enumerate(_by_child(child_of, int(tree.n_children[node]))):
            named = [names[code] for code in codes]
            cases.append(" or ".join(named + (["any other"] if child == tree.threshold[node] else [])) or "never")
        return cases

    def terms(self, tested: NDArray[np.int64], weights: Sequence[float]) -> list[Term]:
        """Return the sum that a node tests; the categories of a feature are one term with a value for each.

        A category without a value, and one that is not in the training data, counts 0.
        """
        names, origin = self.names, self._origin(tested)
        terms = []
        for feature in dict.fromkeys(origin.tolist()):
            indices = [k for k in np.flatnonzero(origin == feature).tolist() if weights[k] != 0]
            if len(indices) == 1 or feature not in self._categorical:
                terms += [Term(names[int(tested[k])], weights[k], [k]) for k in indices]
            elif indices:
                name = self.features[feature]
                values = [f"{names[int(tested[k])][len(name) + 1 :]}: {shortest(weights[k])}" for k in indices]
                terms.append(Term(f"{name}{{{', '.join(values)}}}", 1.0, indices))
        return terms

    def choice(
        self, tested: NDArray[np.int64], weights: Sequence[float], threshold: float, side: int = 0
    ) -> str | None:
        """Return which categories go to a child, the first or the other, if a node tests those of one feature alone.

        For a missing indicator: whether the rows with missing values go there, or the others.
        """
        if len(tested) == 1 and int(tested[0]) in self._indicators and (weights[0] <= threshold) != (threshold >= 0):
            is_missing = (threshold < 0) == (side == 0)
            return (
                self.names[int(tested[0])] if is_missing else f"{self.features[self._origin(tested)[0]]} is not missing"
            )
        first = self._categories_of_first(tested, weights, threshold)
        return first if first is None or side == 0 else f"not ({first})"

    def _categories_of_first(self, tested: NDArray[np.int64], weights: Sequence[float], threshold: float) -> str | None:
        origin = set(self._origin(tested).tolist())
        if len(origin) != 1 or not origin <= self._categorical:
            return None
        feature = self.features[origin.pop()]
        others_go = threshold >= 0  # categories that the node does not name
        names = self.names
        apart = [names[j] for j, w in zip(tested.tolist(), weights, strict=True) if (w <= threshold) != others_go]
        if not apart:
            return None
        if len(apart) == 1:
            return f"not {apart[0]}" if others_go else apart[0]
        listed = ", ".join(name[len(feature) + 1 :] for name in apart)
        return f"{feature} {'not in' if others_go else 'in'} {{{listed}}}"

    @cached_property
    def _indicators(self) -> set[int]:
        """The missing indicators."""
        return set() if self.encoder is None else set(np.flatnonzero(self.encoder.is_indicator).tolist())

    @cached_property
    def _categorical(self) -> set[int]:
        """The features whose categories are columns."""
        if self.encoder is None or not self.encoder.onehot:
            return set()
        return set(np.flatnonzero(self.encoder.is_categorical).tolist())

    def _origin(self, tested: NDArray[np.int64]) -> NDArray[np.int64]:
        return tested if self._origins is None else self._origins[tested]

    @cached_property
    def _origins(self) -> NDArray[np.int64] | None:
        """The feature of each column; None if they are the same."""
        return None if self.encoder is None else self.encoder.origin


def _by_child(child_of: NDArray[np.float64], n_children: int) -> list[list[int]]:
    """Return the codes that each child of a category table gets."""
    codes: list[list[int]] = [[] for _ in range(n_children)]
    for code, child in enumerate(child_of.astype(np.int64).tolist()):
        codes[child].append(code)
    return codes


def distinct(names: Iterable[object]) -> list[str]:
    """Return names as they can be printed; of equal ones, all but the first have a number: ``a``, ``a (2)``.

    Examples
    --------
    >>> from askew.export.names import distinct
    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    count: dict[str, int] = {}
    taken: set[str] = set()
    found = []
    for name in map(printable, names):
        one, n = name, count.get(name, 1)
        while one in taken:
            n += 1
            one = f"{name} ({n})"
        count[name] = n
        taken.add(one)
        found.append(one)
    return found
