"""`plot_learning`: the error of LA and GA pruning while they learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from askew.export.fitted import Fitted, final_step, fitted_model
from askew.model.rule_network import RuleNetwork
from askew.plot.palette import axes, colours, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_learning(estimator: Fitted, *, ax: Axes | None = None) -> Axes:
    """Plot the learning curves of LA or GA pruning: the training error of the networks over time.

    The picture is Figure 6 of Shah & Sastry (1999). With `askew.prune.LearningAutomata` a point is a pass: the error of
    the automata on the sampled rows. With `askew.prune.GeneticAlgorithm` a point is a generation: the training error of
    its fittest network. With noisy labels, the curve falls to the share of the noise. With several classes there is a
    curve for each class against the rest.

    Parameters
    ----------
    estimator : estimator or RuleNetwork
        An estimator fitted with ``pruning=LearningAutomata()`` or ``GeneticAlgorithm()``, or its ``tree_``.
    ax : matplotlib.axes.Axes or None, default=None
        Axes to draw in; by default new ones.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import askew
    >>> X, y = askew.datasets.make_apdt2_standin(noise=0.15, random_state=0)
    >>> tree = askew.OC1Classifier(pruning=askew.prune.LearningAutomata(), random_state=0).fit(X, y)
    >>> ax = askew.plot_learning(tree)
    """
    outside = ax is None
    networks = [part for part in fitted_model(estimator).parts if isinstance(part, RuleNetwork)]
    curves = networks[0].curves() if len(networks) == 1 else []
    if not curves:
        raise ValueError("no learning curve: fit a tree with pruning=LearningAutomata() or pruning=GeneticAlgorithm()")
    ax = axes(ax, (6.4, 4.0))
    estimator = final_step(estimator)
    labels = [str(label) for label in getattr(estimator, "classes_", range(len(curves)))]
    for curve, colour, label in zip(curves, colours(len(curves)), labels, strict=False):
        ax.plot(np.arange(1, curve.size + 1), curve, color=colour, label=label)
    if len(curves) > 1:
        legend(ax, len(curves), outside)
    ax.set(xlabel=_iteration(estimator), ylabel="error", ylim=(0, None))
    return ax


def _iteration(estimator: Fitted) -> str:
    pruning = getattr(estimator, "pruning", None)
    return str(getattr(pruning, "iteration", "pass or generation"))
