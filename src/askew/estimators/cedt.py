"""CE-DT: trees whose splits are found by the cross-entropy method."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from askew.estimators.tasks import TreeClassifier, TreeRegressor
from askew.grow.criterion import CriterionLike
from askew.grow.grow import Search
from askew.parameters import boolean, documented, param
from askew.search.cross_entropy import CrossEntropy, CrossEntropyParameters, Trace


class _Recorder(list[Trace]):
    """Records the trace of the search at every node."""

    def __call__(self, trace: Trace) -> None:
        self.append(trace)


def _recording(search: Search, trace: bool) -> Search:
    """Return the search; with `trace`, one that records its traces."""
    return replace(search, callback=_Recorder()) if trace and isinstance(search, CrossEntropy) else search


def _keep_trace(tree: CEDTClassifier | CEDTRegressor, search: Search) -> None:
    """Set `trace_` to the records of the search of a fitted tree."""
    tree.__dict__.pop("trace_", None)
    if isinstance(search, CrossEntropy) and isinstance(search.callback, _Recorder):
        tree.trace_ = list(search.callback)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CEDTClassifier(CrossEntropyParameters, TreeClassifier):
    """CE-DT: classification tree with oblique splits by the cross-entropy method.

    Planes are drawn from a von Mises-Fisher distribution on the unit sphere, which is then fitted to the best of
    them, until that stops helping. The paper's classification error is the criterion "sum_minority".

    Parameters
    ----------
    min_samples_split : int or float, default=4
        A node with fewer samples is a leaf (section 6 of the paper). A float is a share of all samples.
    trace : bool, default=False
        Record the search at each node in `trace_`, for example to draw it with `askew.plot_trace`.

    Attributes
    ----------
    trace_ : list of askew.search.cross_entropy.Trace
        The iterations of the search at each node that was searched; with ``trace=True``.

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

    criterion: CriterionLike = "gini"
    min_samples_split: float = 4
    trace: bool = param(False, boolean)

    _search_class = CrossEntropy

    trace_: list[Trace] = field(init=False)

    def _new_search(self) -> Search:
        return _recording(super()._new_search(), self.trace)

    def _keep(self, search: Search) -> None:
        _keep_trace(self, search)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CEDTRegressor(CrossEntropyParameters, TreeRegressor):
    """CE-DT: regression tree with oblique splits by the cross-entropy method.

    The criterion "absolute_error" puts medians into the leaves.

    Parameters
    ----------
    min_samples_split : int or float, default=4
        A node with fewer samples is a leaf (section 6 of the paper). A float is a share of all samples.
    trace : bool, default=False
        Record the search at each node in `trace_`, for example to draw it with `askew.plot_trace`.

    Attributes
    ----------
    trace_ : list of askew.search.cross_entropy.Trace
        The iterations of the search at each node that was searched; with ``trace=True``.

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

    criterion: CriterionLike = "squared_error"
    min_samples_split: float = 4
    trace: bool = param(False, boolean)

    _search_class = CrossEntropy

    trace_: list[Trace] = field(init=False)

    def _new_search(self) -> Search:
        return _recording(super()._new_search(), self.trace)

    def _keep(self, search: Search) -> None:
        _keep_trace(self, search)
