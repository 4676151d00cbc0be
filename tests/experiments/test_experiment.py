import pytest
from experiments.experiment import ACCURACY, HYPERPLANES, LEAVES, Figure, Measure


@pytest.mark.parametrize(
    ("text", "mean", "sd", "shown"),
    [("98.9±0.2", 98.9, 0.2, "98.9 ± 0.2"), ("2756", 2756, None, "2756"), ("97.4", 97.4, None, "97.4")],
)
def test_a_figure_is_read_and_shown_as_printed(text, mean, sd, shown):
    figure = Figure.read(text)
    assert (figure.mean, figure.sd, str(figure)) == (mean, sd, shown)


@pytest.mark.parametrize(
    ("measure", "ours", "met"),
    [
        (ACCURACY, 99.5, True),  # one standard deviation below, though 99.6 - 0.1 > 99.5 in binary
        (ACCURACY, 99.46, True),  # 99.5 at the printed decimals
        (ACCURACY, 99.44, False),
        (ACCURACY, 100.0, True),
        (LEAVES, 99.7, True),
        (LEAVES, 99.76, False),
        (LEAVES, 1.0, True),
        (HYPERPLANES, 1.0, None),
    ],
)
def test_a_figure_is_met_within_one_printed_standard_deviation_or_better(measure, ours, met):
    assert measure.met(Figure.read("99.6±0.1"), Figure(ours, 3.0, 2)) is met


@pytest.mark.parametrize(("ours", "met"), [(97.35, True), (97.3, False), (97.4, True)])
def test_without_a_standard_deviation_the_figure_itself_must_be_reached(ours, met):
    assert ACCURACY.met(Figure.read("97.4"), Figure(ours, None, 2)) is met


def test_without_slack_the_figure_itself_must_be_reached():
    strict = Measure("leaves", -1, slack=0.0)
    assert strict.met(Figure.read("4.0±0.5"), Figure(4.04, None, 2))
    assert not strict.met(Figure.read("4.0±0.5"), Figure(4.06, None, 2))


def test_large_counts_are_shown_by_their_power_of_ten():
    assert str(Figure(1.256e8)) == "1.26e+08"
    assert str(Figure(2756.0)) == "2756"


def test_the_difference_is_in_printed_standard_deviations():
    assert ACCURACY.difference(Figure.read("90.0±0.5"), Figure(91.0)) == 2.0
    assert ACCURACY.difference(Figure.read("90.0"), Figure(91.0)) is None
