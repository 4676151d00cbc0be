"""CE-DT: trees whose splits are found by the cross-entropy method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from askew.data.read import Schema
from askew.data.table import Table
from askew.estimators.base import BaseTree
from askew.estimators.parameters import documented, parameters_of
from askew.estimators.tasks import TreeClassifier, TreeRegressor
from askew.grow.grow import Progress
from askew.parameters import Rule, boolean
from askew.search.cross_entropy import RULES, CrossEntropy, Trace


@dataclass(kw_only=True, eq=False, repr=False)
class _CEDTTree(parameters_of(CrossEntropy, RULES, without=("callback",)), BaseTree):  # type: ignore[misc]
    trace: bool = False
    min_samples_split: float = 4

    trace_: list[Trace] = field(init=False)

    rules: ClassVar[Mapping[str, Rule]] = {"trace": boolean}

    def fit_table(
        self, table: Table, seed: int, schema: Schema, progress: Progress | None = None, legibly: bool = False
    ) -> Self:
        """Grow a tree, and keep the traces of its nodes if `trace` says so."""
        search, traces = self._new_search(), list[Trace]()
        assert isinstance(search, CrossEntropy)
        search = replace(search, callback=traces.append) if self.trace else search
        tree = self._recipe(search, table, schema).fit(table, seed, self._threads(), progress)
        self._set_tree(tree, table, schema, legibly)
        self.__dict__.pop("trace_", None)
        if self.trace:
            self.trace_ = traces
        return self


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CEDTClassifier(_CEDTTree, TreeClassifier):
    """CE-DT: classification tree with oblique splits by the cross-entropy method.

    Planes are drawn from a von Mises-Fisher distribution on the unit sphere, which is then fitted to the best of
    them, until that stops helping. The paper's classification error is the criterion "sum_minority".

    Parameters
    ----------
    min_samples_split : int or float, default=4
        A node with fewer samples is a leaf (section 6 of the paper). A float is a share of all samples.
    trace : bool, default=False
        Keep in `trace_` how the search went at each node, to look at or to draw with `askew.plot_trace`.

    Attributes
    ----------
    trace_ : list of askew.search.cross_entropy.Trace
        How the search went, with ``trace=True``: an entry for each node that was searched.

    References
    ----------
    Bollwein, Westphal: Oblique decision tree induction by cross-entropy optimization based on the von
    Mises-Fisher distribution. Computational Statistics 37 (2022).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from askew import CEDTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CEDTClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    criterion: Any = "gini"


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CEDTRegressor(_CEDTTree, TreeRegressor):
    """CE-DT: regression tree with oblique splits by the cross-entropy method.

    The criterion "absolute_error" puts medians into the leaves.

    Parameters
    ----------
    min_samples_split : int or float, default=4
        A node with fewer samples is a leaf (section 6 of the paper). A float is a share of all samples.
    trace : bool, default=False
        Keep in `trace_` how the search went at each node, to look at or to draw with `askew.plot_trace`.

    Attributes
    ----------
    trace_ : list of askew.search.cross_entropy.Trace
        How the search went, with ``trace=True``: an entry for each node that was searched.

    References
    ----------
    Bollwein, Westphal: Oblique decision tree induction by cross-entropy optimization based on the von
    Mises-Fisher distribution. Computational Statistics 37 (2022).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from askew import CEDTRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> CEDTRegressor(max_depth=2, random_state=0).fit(X, y).get_n_leaves()
    4
    """

    criterion: Any = "squared_error"
