import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from askew import datasets
from askew.datasets.synthetic import rotated


@pytest.fixture(autouse=True)
def close_figures():
    mpl.use("Agg")
    yield
    plt.close("all")


def test_the_figure_shows_every_set_with_its_lines():
    figure = datasets.plot(n=200)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["LS10, the two sums", "LS10, two of its features", "POL (reconstructed)", "RCB (reconstructed)"]
    assert [len(ax.lines) for ax in figure.axes] == [1, 0, 4, 4]
    assert sum(len(c.get_offsets()) for c in figure.axes[3].collections) == 200


def test_the_lines_of_pol_lie_between_the_classes():
    pol = datasets.plot(n=200).axes[2]
    X, y = datasets.make_pol(n=2000, random_state=1)
    u, _ = rotated(X)
    cuts = sorted(rotated(line.get_xydata())[0].mean() for line in pol.lines)
    strips = np.digitize(u, cuts)
    assert all(np.unique(y[strips == s]).size == 1 for s in range(5))
