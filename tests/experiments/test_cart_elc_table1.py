import numpy as np
import pytest
from experiments.cart_elc_table1 import EXPERIMENT, OneSplit, conclude, exponent, one_split, operations
from experiments.experiment import Figure


def test_the_printed_counts_are_the_formula_s():
    printed = [(cell.parameters, cell.paper["operations"].mean) for cell in EXPERIMENT.cells if cell.paper]
    assert len(printed) == 6 + 6 + 3 + 1
    for given, count in printed:
        assert f"{operations(given['n'], given['r']):.2e}" == f"{count:.2e}"


def test_both_searches_of_a_cell_find_the_same_plane():
    sweep, brute = (one_split(40, 3, 3, brute=brute)() for brute in (False, True))
    assert sweep.score == brute.score
    factor = np.linalg.norm(sweep.weights) / np.linalg.norm(brute.weights)  # only the direction of a plane counts
    np.testing.assert_allclose(sweep.weights, factor * brute.weights)


@pytest.mark.parametrize("brute", [True, False])
def test_a_cell_times_the_searches_that_it_names(brute):
    (cell,) = [c for c in EXPERIMENT.cells if (c.data, c.method) == ("n = 100", "r = 1")]
    cell = type(cell)(**{**vars(cell), "parameters": {"n": 20, "r": 2, "brute": brute}})
    part = OneSplit(rounds=1).run(cell, 0, np.empty((0, 0)), np.empty(0))
    assert part["operations"] == operations(20, 2)
    assert set(part) == {"operations", "sweep, ms"} | ({"brute force, ms"} if brute else set())


def test_times_too_short_to_measure_do_not_bend_the_growth():
    assert exponent({100: 4e-4, 1000: 0.01, 2000: 0.04, 4000: 0.16}) == pytest.approx(2.0)
    assert exponent({100: 1e-5, 200: 4e-5}) == pytest.approx(2.0)


def test_growth_and_gain_stand_below_the_times():
    outcome = {
        (cell.data, cell.method): {
            "sweep, ms": Figure(cell.parameters["n"] ** 2.0, None, 2),
            "brute force, ms": Figure(cell.parameters["n"] ** 3.0, None, 2),
        }
        for cell in EXPERIMENT.cells
        if cell.method == "r = 2"
    }
    assert conclude(outcome)[4:] == ["| 2 | n^2.00 | n^3.00 | 20,000x at n = 20,000 |"]
