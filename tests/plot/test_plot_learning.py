import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris

import askew

X, Y = load_iris(return_X_y=True)


@pytest.fixture(autouse=True)
def close_figures():
    mpl.use("Agg")
    yield
    plt.close("all")


@pytest.mark.parametrize(
    ("pruner", "unit"),
    [
        (askew.prune.LearningAutomata(max_passes=9), "pass"),
        (askew.prune.GeneticAlgorithm(max_generations=9), "generation"),
    ],
)
def test_the_curve_of_every_class_is_drawn(pruner, unit):
    tree = askew.CARTClassifier(pruning=pruner, random_state=0).fit(X[:, :2], Y)
    ax = askew.plot_learning(tree)
    curves = tree.tree_.curves()
    assert len(ax.lines) == len(curves) == 3
    for line, curve in zip(ax.lines, curves, strict=True):
        assert np.array_equal(line.get_ydata(), curve)
    assert ax.get_xlabel() == unit
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2"]


def test_two_classes_have_one_curve_and_a_bare_network_will_do():
    tree = askew.CARTClassifier(pruning=askew.prune.GeneticAlgorithm(), random_state=0).fit(X, Y == 2)
    assert len(askew.plot_learning(tree.tree_).lines) == 1


def test_a_tree_that_was_not_learnt_by_a_network_is_refused():
    with pytest.raises(ValueError, match="pruning=LearningAutomata"):
        askew.plot_learning(askew.CARTClassifier().fit(X, Y))
    with pytest.raises(ValueError, match="pruning=LearningAutomata"):
        askew.plot_learning(askew.RuleNetwork.of(askew.CARTClassifier().fit(X, Y)))
