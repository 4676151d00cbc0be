"""How the frequencies of a leaf become probabilities: whichever has the least log loss on rows that were held out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from askew.choice.race import Race
from askew.choice.setting import Setting
from askew.payload import Linear, class_shares
from askew.smoothing import SMOOTHINGS, as_smoothing, smoothed
from askew.table import Table
from askew.tree import Tree

_PARTS = 5  # held-out parts that the log loss is measured on: each row once or, where rows are many, some of them
_LEAST = np.finfo(np.float64).eps  # what a probability of 0 counts as


def best_smoothing(race: Race, setting: Setting) -> str | None:
    """Return the name of the smoothing whose probabilities are best on held-out rows; None for plain frequencies."""
    if not race.table.classification:
        return None
    tried: dict[str | None, float] = dict.fromkeys((None, *SMOOTHINGS), 0.0)
    for part in race.parts[:_PARTS]:
        tree, held_out = race.tree(setting, part), part.held_out
        if isinstance(tree.payload, Linear):
            return None
        for name in tried:
            tried[name] += float(held_out.weight @ log_loss(smoothed(tree, as_smoothing(name)), held_out))
    return min(tried, key=lambda name: tried[name])


def log_loss(tree: Tree, table: Table) -> NDArray[np.float64]:
    """Return minus the logarithm of the probability that a tree gives to the class of each row."""
    shares = class_shares(tree.outputs(table.X))
    return np.asarray(-np.log(np.maximum(shares[np.arange(table.n_rows), table.y], _LEAST)))
