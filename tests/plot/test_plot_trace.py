import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris

import askew


@pytest.fixture(autouse=True)
def close_figures():
    mpl.use("Agg")
    yield
    plt.close("all")


def trace_of(n_features):
    X, y = load_iris(return_X_y=True)
    return askew.CEDTClassifier(trace=True, max_depth=1, random_state=0).fit(X[:, :n_features], y).trace_[0]


@pytest.mark.parametrize("n_features", [1, 2])
def test_every_iteration_has_a_panel_with_its_samples_on_the_sphere(n_features):
    trace = trace_of(n_features)
    figure = askew.plot_trace(trace)
    assert len(figure.axes) == trace.gamma.size
    for ax in figure.axes:
        (samples,) = [c for c in ax.collections if c.get_label() == "samples"]
        points = np.column_stack(samples._offsets3d) if n_features == 2 else samples.get_offsets()
        assert len(points) == trace.n_drawn
        np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, rtol=1e-6)  # drawn in float32
    drawn = [any(line.get_label() == "mean direction" for line in ax.lines) for ax in figure.axes]
    assert drawn == [False, *[True] * (trace.gamma.size - 1)]


def test_the_trace_of_a_tree_is_that_of_its_first_node_if_it_has_one():
    X, y = load_iris(return_X_y=True)
    tree = askew.CEDTClassifier(trace=True, max_depth=2, random_state=0).fit(X[:, :1], y)
    assert len(askew.plot_trace(tree).axes) == tree.trace_[0].gamma.size
    for nothing in (askew.CEDTClassifier().fit(X, y), askew.CEDTClassifier(trace=True).fit(X, y * 0), None):
        with pytest.raises(ValueError, match="plot_trace takes a trace, or a tree that was fitted with trace=True"):
            askew.plot_trace(nothing)


def test_a_trace_in_more_features_cannot_be_drawn():
    with pytest.raises(ValueError, match="this one has 4"):
        askew.plot_trace(trace_of(4))
