import numpy as np
import pytest
from scipy.stats import ttest_ind

from askew.comparison.ranking import average_ranks, cohen_d, friedman, holm, mean, sd, welch


def test_mean_and_sample_standard_deviation():
    assert mean([1.0, 2.0, 6.0]) == 3.0
    assert sd([1.0, 2.0, 6.0]) == 7**0.5


def test_one_value_has_no_standard_deviation():
    assert sd([5.0]) is None


def test_equal_figures_share_their_ranks():
    figures = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 1.0]])
    assert average_ranks(figures, better=1).tolist() == [1.25, 2.25, 2.5]
    assert average_ranks(figures, better=-1).tolist() == [2.75, 1.75, 1.5]


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1.5, 2.25, 2.25], [3.5e-2, 3.5e-2]),  # CE-DT, Table 3
        ([1.45, 2.3, 2.25], [1.4e-2, 1.4e-2]),  # Table 5
        ([1.15, 2.95, 1.9], [2.5e-8, 1.8e-2]),  # Table 9
        ([1.325, 2.75, 1.925], [1.3e-5, 5.8e-2]),  # Table 11
        ([3.225, 3.7, 3.4, 2.375, 2.3], [0.68, 0.73, 0.27, 0.26]),  # Table 7
    ],
)
def test_holm_s_adjustment_gives_the_paper_s_figures(ranks, expected):
    np.testing.assert_allclose(holm(np.array(ranks), 20), expected, rtol=0.04)


def test_friedman_s_test_is_sure_of_a_method_that_always_wins_and_doubts_chance():
    order = np.tile([1.0, 2.0, 3.0], (10, 1))
    assert friedman(order) < 1e-4
    assert friedman(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [2.0, 1.0, 3.0], [2.0, 3.0, 1.0]])) > 0.5


def test_welch_s_test_is_that_of_the_values_themselves():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.0, 1.0, 10), rng.normal(1.0, 2.0, 10)
    figures = [(values.mean(), values.std(ddof=1)) for values in (a, b)]
    assert welch(*figures, 10) == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue)


def test_figures_without_spread_differ_for_sure_or_not_at_all():
    assert (welch((2.0, 0.0), (2.0, 0.0), 10), cohen_d((2.0, 0.0), (2.0, 0.0))) == (1.0, 0.0)
    assert (welch((2.0, 0.0), (1.0, 0.0), 10), cohen_d((2.0, 0.0), (1.0, 0.0))) == (0.0, np.inf)
    assert cohen_d((1.0, 0.0), (2.0, 0.0)) == -np.inf
