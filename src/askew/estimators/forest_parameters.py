"""The parameters of forests."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

from askew.ensemble.forest import NATIVE
from askew.estimators.ensemble import Ensemble
from askew.grow.grow import is_search
from askew.parameters import Rule, boolean, function, integer, none, one_of, param, real, share
from askew.search import SEARCHES

_SPLITS = (*NATIVE, *SEARCHES)
_SHARE = Rule("a float above 0.0", lambda v: not isinstance(v, Integral) and real(0.0, open_low=True).holds(v))


@dataclass(kw_only=True, eq=False, repr=False)
class ForestParameters(Ensemble):
    """The parameters that forests of classes and of numbers share.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    split : "newton", "projection", "axis", the name of a search or a search, default="newton"
        How a node is split. "newton": some features are drawn, one penalised Newton step of a logistic model (for
        numbers, of a linear one; for more than two classes, the first canonical direction) makes a direction of
        them (where there are two samples or more for each), and of the best cuts along it and along each of these
        features the best is taken. "projection": random combinations of two of the drawn features. "axis": cuts of
        one feature, as in a random forest. Or any search of this library, such as "oc1" or ``CrossEntropy()``; the
        parameters `max_features`, `n_draws` and `l2` do not matter then.
    max_features : "sqrt", "log2", int, float or None, default="sqrt"
        How many features are drawn together: a number, a share of all, the root or the logarithm of their number
        (rounded up); None: all. Constant ones do not count.
    n_draws : int, default=3
        How often features are drawn at a node.
    l2 : float, default=1.0
        Penalty on the weights of a Newton step; features have mean 0 and deviation 1 over the node's rows.
    max_depth : int or None, default=None
        Deepest level that a leaf may have; the root is at depth 0. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer samples is a leaf. A float is a share of the samples of a tree.
    min_samples_leaf : int or float, default=1
        Each child must have this many samples. A float is a share of the samples of a tree.
    min_weight_fraction_leaf : float, default=0.0
        Each child must have this share of the weight of a tree's sample.
    bootstrap : bool, default=True
        Whether each tree has a bootstrap sample: a row is drawn as often as a Poisson number of mean 1 says. Otherwise
        each has all rows, or the share `max_samples` without repetition.
    max_samples : int, float or None, default=None
        How many samples are drawn for a tree, on average; a float is a share. None: as many as there are. More than
        there are can be drawn with `bootstrap`.
    oob_score : bool or callable, default=False
        Whether rows are predicted by the trees that were not grown on them; needs samples that leave rows out. A
        function of y and these predictions is what they are scored by.
    """

    n_estimators: int = param(100, integer(1))
    split: Any = param("newton", one_of(*_SPLITS) | Rule("a search", is_search))
    criterion: Any = None
    max_features: Any = param("sqrt", one_of("sqrt", "log2") | integer(1) | share() | none)
    n_draws: int = param(3, integer(1))
    l2: float = param(1.0, real(0.0))
    max_depth: int | None = param(None, integer(1) | none)
    min_samples_split: float = param(2, integer(2) | share())
    min_samples_leaf: float = param(1, integer(1) | share(closed=False))
    min_weight_fraction_leaf: float = param(0.0, real(0.0, 0.5))
    bootstrap: bool = param(True, boolean)
    max_samples: float | None = param(None, integer(1) | _SHARE | none)
    oob_score: Any = param(False, boolean | function)
