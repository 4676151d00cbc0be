"""Every table and figure of the five papers: which experiment runs it, or why none does."""

from __future__ import annotations

from dataclasses import dataclass

OC1_1993 = "OC1, 1993"
OC1_1994 = "OC1, 1994"
CART_ELC = "CART-ELC, 2025"
CE_DT = "CE-DT, 2022"
APDT = "APDT, 1999"


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper.

    Attributes
    ----------
    paper : str
        The paper, by its short name.
    name : str
        Number of the table or figure.
    shows : str
        What it shows.
    experiment : str or None
        Name of the experiment that runs it; None if none does.
    remark : str
        How else it is made, or why it is not.
    """

    paper: str
    name: str
    shows: str
    experiment: str | None = None
    remark: str = ""


_DRAWING = "explains an idea; nothing is measured"

CATALOGUE = (
    Item(OC1_1993, "Table 1", "OC1 beside other methods", "oc1-1993-table1", "without the star/galaxy data"),
    Item(
        OC1_1993, "Table 2", "effect of the parameters", None, "its figures cannot be read in the copies that there are"
    ),
    Item(OC1_1993, "Figure 1", "the perturbation", None, _DRAWING),
    Item(OC1_1994, "Table 1", "OC1 beside other methods", "oc1-1994-table1", "without the star/galaxy data"),
    Item(OC1_1994, "Table 2", "effect of randomness", "oc1-1994-table2"),
    Item(OC1_1994, "section 2", "the vote of several trees, k-DT", "k-dt", "a claim without figures"),
    Item(OC1_1994, "Figures 1 to 8", "trees, planes, procedures", None, _DRAWING),
    Item(OC1_1994, "Figure 9", "the POL and RCB data", None, "drawn by `askew.datasets.plot`"),
    Item(CART_ELC, "Table 1", "cost of one split", "cart-elc-table1", "measured rather than counted"),
    Item(CART_ELC, "Table 2", "CART-ELC beside other methods", "cart-elc", "without the star/galaxy data"),
    Item(CART_ELC, "Table 3", "Welch's tests", "cart-elc"),
    Item(CART_ELC, "Table 4", "Cohen's d", "cart-elc"),
    Item(CART_ELC, "Table 5", "three criteria", "cart-elc"),
    Item(CART_ELC, "Figure 1", "planes through samples", None, _DRAWING),
    Item(CART_ELC, "Figures 2 to 4", "accuracy by r and depth", "cart-elc"),
    Item(CE_DT, "Table 1", "the data sets", None, "a description; the pages say where the public data differ"),
    Item(CE_DT, "Tables 2, 4", "accuracy, unpruned and pruned", "ce-dt"),
    Item(CE_DT, "Tables 8, 10", "leaves, unpruned and pruned", "ce-dt"),
    Item(CE_DT, "Tables 3, 5, 9, 11", "ranks and Holm's tests", "ce-dt"),
    Item(CE_DT, "Tables 6, 7", "CE-DT beside methods that are no trees", "ce-dt"),
    Item(CE_DT, "Tables 12, 13", "time", None, "as ratios, in `make bench`: seconds of other machines say little"),
    Item(
        CE_DT, "Figures 1, 5", "a tree and a split of iris", None, "drawn by `askew.plot_tree`, `askew.plot_partition`"
    ),
    Item(CE_DT, "Figure 4", "progress of the search", None, "drawn by `askew.plot_trace`"),
    Item(CE_DT, "Figures 2, 3, 6", "distribution and regions on the sphere", None, _DRAWING),
    Item(APDT, "Tables I, V", "the algorithms", None, "procedures; nothing is measured"),
    Item(APDT, "Tables II, III", "APDT on synthetic problems", "apdt", "stand-ins: the problems' geometry is lost"),
    Item(APDT, "Table IV", "APDT on iris and wine", "apdt"),
    Item(APDT, "Tables VI, VII", "pruning", "apdt-pruning", "stand-ins: the problems' geometry is lost"),
    Item(APDT, "Figure 6", "learning curves of pruning", "apdt-pruning"),
    Item(APDT, "Figures 1 to 5", "problems, trees, the network", None, _DRAWING),
)
