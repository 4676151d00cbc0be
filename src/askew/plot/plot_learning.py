"""`plot_learning`: the error of LA and GA pruning while they learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from askew.export.fitted import final_step, fitted_model
from askew.model.rule_network import RuleNetwork
from askew.plot.palette import axes, colours, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_learning(estimator: Any, ax: Axes | None = None) -> Axes:
    """Draw the learning curves of LA or GA pruning: the share of wrong answers as the networks are learnt.

    The picture is Figure 6 of Shah & Sastry (1999). With `askew.LAPruner` a point is a pass: the share of the drawn
    rows that the automata answered wrong in it. With `askew.GAPruner` a point is a generation: the error of its
    fittest on the training rows. Of labels with noise, the curve falls to the share of the noise. Several classes
    have a curve each: the error of telling the class from the rest.

    Parameters
    ----------
    estimator : an estimator that was fitted with ``pruning=LAPruner()`` or ``GAPruner()``, or its ``tree_``
    ax : Matplotlib axes to draw in; new ones by default

    Returns
    -------
    ax : the axes

    Examples
    --------
    >>> import askew
    >>> X, y = askew.datasets.make_apdt2_standin(noise=0.15, random_state=0)
    >>> tree = askew.OC1Classifier(pruning=askew.LAPruner(), random_state=0).fit(X, y)
    >>> ax = askew.plot_learning(tree)
    """
    outside = ax is None
    networks = [part for part in fitted_model(estimator).parts if isinstance(part, RuleNetwork)]
    curves = networks[0].curves() if len(networks) == 1 else []
    if not curves:
        raise ValueError("no learning curve: fit a tree with pruning=LAPruner() or pruning=GAPruner()")
    ax = axes(ax, (6.4, 4.0))
    estimator = final_step(estimator)
    labels = [str(label) for label in getattr(estimator, "classes_", range(len(curves)))]
    for curve, colour, label in zip(curves, colours(len(curves)), labels, strict=False):
        ax.plot(np.arange(1, curve.size + 1), curve, color=colour, label=label)
    if len(curves) > 1:
        legend(ax, len(curves), outside)
    ax.set(xlabel=_iteration(estimator), ylabel="error", ylim=(0, None))
    return ax


def _iteration(estimator: Any) -> str:
    pruning = getattr(estimator, "pruning", None)
    return str(getattr(pruning, "iteration", "pass or generation"))
