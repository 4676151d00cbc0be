"""The searches: each finds the split of a node. One file for each method; `SEARCHES` maps names to classes."""

from __future__ import annotations

from askew.grow.grow import Search, is_search
from askew.parameters import InvalidParameterError
from askew.search.alopex import Alopex
from askew.search.annealing import Annealing
from askew.search.axis import AxisParallel
from askew.search.cart_lc import CARTLC
from askew.search.categorical import C45, ID3
from askew.search.cross_entropy import CrossEntropy
from askew.search.exhaustive import Exhaustive
from askew.search.householder import Householder
from askew.search.linear import LinearPlanes
from askew.search.linear_machine import ThermalMachine
from askew.search.oc1 import OC1
from askew.search.piecewise import PiecewiseLinear

SEARCHES: dict[str, type[Search]] = {
    "alopex": Alopex,
    "annealing": Annealing,
    "axis": AxisParallel,
    "c45": C45,
    "cart_lc": CARTLC,
    "cross_entropy": CrossEntropy,
    "exhaustive": Exhaustive,
    "householder": Householder,
    "id3": ID3,
    "linear": LinearPlanes,
    "linear_machine": ThermalMachine,
    "oc1": OC1,
    "piecewise": PiecewiseLinear,
}

# Names of methods whose searches have other names.
_METHODS = {"ce_dt": "cross_entropy"}


def as_search(search: object) -> Search:
    """Return the search that the parameter ``search=`` means: a name, or an object with a method `find`."""
    if isinstance(search, str) and (name := _METHODS.get(search, search)) in SEARCHES:
        return SEARCHES[name]()
    if is_search(search):
        return search
    raise InvalidParameterError(
        f"The 'search' parameter must be a str among {sorted(SEARCHES)} or an object with a method "
        f"'find(node, criterion, seed)'. Got {search!r} instead."
    )
