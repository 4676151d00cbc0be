from askew.experiments.statistics import mean, sd


def test_mean_and_sample_standard_deviation():
    assert mean([1.0, 2.0, 6.0]) == 3.0
    assert sd([1.0, 2.0, 6.0]) == 7**0.5


def test_one_value_has_no_standard_deviation():
    assert sd([5.0]) is None
