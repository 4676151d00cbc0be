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
        np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0)
    drawn = [any(line.get_label() == "mean direction" for line in ax.lines) for ax in figure.axes]
    assert drawn == [False, *[True] * (trace.gamma.size - 1)]


def test_a_trace_in_more_features_cannot_be_drawn():
    with pytest.raises(ValueError, match="this one has 4"):
        askew.plot_trace(trace_of(4))
