import numpy as np
import pytest
from experiments import EXPERIMENTS
from experiments.cart_elc import EXPERIMENT, conclude, draw
from experiments.experiment import Figure

PRINTED = {(cell.data, cell.method): dict(cell.paper) for cell in EXPERIMENT.cells}


def test_five_methods_on_six_data_sets_of_which_two_are_lost():
    assert EXPERIMENTS["cart-elc"] is EXPERIMENT
    assert len(EXPERIMENT.cells) == 30
    assert sum(cell.reason is not None for cell in EXPERIMENT.cells) == 10
    grids = {cell.data: len(cell.variants) for cell in EXPERIMENT.cells if cell.method == "CART-ELC"}
    assert grids == {"S/G Bright": 2, "S/G Dim": 2, "Cancer": 2, "Iris": 4, "Housing": 2, "Diabetes": 2}
    assert str(PRINTED["Housing", "HHCART(D)"]["leaves"]) == "23.3 ± 0.8"
    assert str(PRINTED["Iris", "CART-ELC, Gini"]["leaves"]) == "3.0 ± 0.1"


def test_the_printed_figures_give_the_printed_p_values_and_effect_sizes():
    rows = [line.split(" | ") for line in conclude(PRINTED)[4:]]
    assert len(rows) == 7 * 6
    for _, _, p, ours_p, d, ours_d in rows:
        assert float(ours_p) == pytest.approx(float(p), abs=0.0011)
        assert float(ours_d.rstrip(" |")) == pytest.approx(float(d), abs=0.0011)


def test_data_that_were_not_run_are_left_out_of_the_tests():
    only = {key: figures for key, figures in PRINTED.items() if key in (("Iris", "CART-ELC"), ("Iris", "HHCART(A)"))}
    rows = conclude(only)[4:]
    assert len(rows) == 6  # not HHCART(D); the five of OC1-94 are printed
    assert all("| Iris |" in row for row in rows)


def test_each_criterion_has_a_figure_with_a_panel_for_accuracy_and_leaves_of_each_data_set():
    grid = {
        f"r={r}, depth {k}, {measure}": Figure(80.0 + k, 0.5, 2)
        for r in (1, 2)
        for k in (1, 2, 3)
        for measure in ("accuracy", "leaves")
    }
    outcome = {(data, "CART-ELC, Gini"): {**PRINTED[data, "CART-ELC"], **grid} for data in ("Iris", "Cancer")}
    figures = draw(outcome)
    assert list(figures) == ["gini"]
    panels = figures["gini"].axes
    assert [ax.get_title() for ax in panels] == ["Cancer", "Iris", "", ""]
    lines = [line for line in panels[0].get_lines() if len(line.get_xdata()) == 3]
    np.testing.assert_array_equal(lines[0].get_ydata(), [81.0, 82.0, 83.0])
    legend = [text.get_text() for text in figures["gini"].legends[0].get_texts()]
    assert legend == ["r = 1", "r = 2", "paper's choice"]
