"""The tables of the papers, run again, and all methods compared. One file a table; `EXPERIMENTS` lists them."""

from __future__ import annotations

from experiments import (
    apdt,
    apdt_trees,
    best_tree,
    cart_elc,
    cart_elc_table1,
    ce_dt,
    ensembles,
    k_dt,
    oc1_1993_table1,
    oc1_1994_table1,
    oc1_1994_table2,
)
from experiments.earlier import extend
from experiments.experiment import Cell, Experiment, Figure, Measure
from experiments.runner import CellResult, Results, run

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        oc1_1993_table1.EXPERIMENT,
        oc1_1994_table1.EXPERIMENT,
        oc1_1994_table2.EXPERIMENT,
        ce_dt.EXPERIMENT,
        cart_elc.EXPERIMENT,
        cart_elc_table1.EXPERIMENT,
        apdt_trees.EXPERIMENT,
        apdt.EXPERIMENT,
        k_dt.EXPERIMENT,
        best_tree.EXPERIMENT,
        ensembles.EXPERIMENT,
    )
}

__all__ = ["EXPERIMENTS", "Cell", "CellResult", "Experiment", "Figure", "Measure", "Results", "extend", "run"]
