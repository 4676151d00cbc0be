from dataclasses import replace

import pytest
from experiments import EXPERIMENTS, Results, best_tree, report
from experiments.best_tree_aims import AUTO, TARGETS
from experiments.earlier import ADDED
from experiments.experiment import Figure
from experiments.held_out import Folds, Split
from experiments.runner import CellResult

from askew.datasets import UnknownDatasetError, load
from askew.estimators.registry import METHODS

EXPERIMENT = EXPERIMENTS["best-tree"]


def test_there_are_32_data_sets_or_more_and_every_method_is_there():
    trials = EXPERIMENT.other_trials
    assert sum(one.classification for one in trials.values()) >= 32
    methods = {cell.method for cell in EXPERIMENT.cells}
    assert {"CART", "OC1", "CE-DT", "STree", "gradient boosting", "LightGBM", "CatBoost", "ridge regression"} <= methods
    assert (AUTO in methods) == ("auto" in METHODS)
    assert "tree" not in methods


def test_auto_tree_joins_with_its_targets_as_soon_as_it_is_a_method(monkeypatch):
    monkeypatch.setitem(best_tree.METHODS, "auto", METHODS["cart"])
    cells = list(best_tree._cells())
    assert cells[0].method == AUTO
    (wine,) = [cell for cell in cells if (cell.data, cell.method) == ("Wine", AUTO)]
    assert wine.paper == TARGETS["Wine"]
    assert not any(cell.paper for cell in cells if cell.method != AUTO)


def test_every_target_is_of_a_data_set_that_is_run():
    assert set(TARGETS) <= set(EXPERIMENT.other_trials)


def test_small_data_come_first_and_slow_methods_are_left_out_of_large_ones():
    cells = [cell for cell in EXPERIMENT.cells if cell.method == "CART-ELC"]
    assert [cell.data for cell in cells[:3]] == ["Iris", "Monks-1", "Seeds"]
    assert cells[0].reason is None
    late = next(cell for cell in cells if cell.data == "Adult")
    assert (late.load, late.reason) == (None, "over its limit of 10,000 values")
    assert set(best_tree.LIMITS) <= {cell.method for cell in EXPERIMENT.cells}


def test_repetitions_and_splits_follow_from_the_size_alone():
    trials = EXPERIMENT.other_trials
    assert trials["Iris"] == Folds(repeats=3)
    assert trials["Semeion"] == Folds(repeats=1)
    assert trials["Letter"] == Split(10_500, 20_000)
    assert trials["California"] == Split(10_000, 20_000, classification=False)
    assert trials["Landsat"] == Split(4435, 20_000, drawn=False)
    assert trials["Monks-1"] == Split(124, 20_000, drawn=False, repeats=3)
    assert trials["Diabetes"] == Folds(repeats=1, classification=False)


def test_the_sizes_that_are_declared_are_those_of_the_data():
    checked = 0
    for _, name, rows, columns in [*best_tree._rows(best_tree._CLASSES), *best_tree._rows(best_tree._NUMBERS)]:
        try:
            X = load(name).X
        except UnknownDatasetError:
            continue
        assert X.shape == (int(rows), int(columns))
        checked += 1
    assert checked >= 6


# --- the page


def results(figures, remarks=()):
    """Results of made figures: data, method -> accuracy, leaves (None: no tree), milliseconds."""
    template = next(cell for cell in EXPERIMENT.cells if cell.data == "Iris")
    cells = []
    for (data, method), (accuracy, leaves, time) in figures.items():
        ours = {"accuracy": Figure(accuracy), "AUC": Figure(accuracy), "log loss": Figure(0.1)}
        ours |= {"milliseconds": Figure(time)} | ({} if leaves is None else {"leaves": Figure(leaves)})
        paper = TARGETS.get(data, {}) if method == AUTO else {}
        cells.append(CellResult(replace(template, data=data, method=method, paper=paper), ours))
    for data, method, remark in remarks:
        cells.append(CellResult(replace(template, data=data, method=method), {}, remark))
    return Results(EXPERIMENT, tuple(cells), quick=False, from_folder=False)


FIGURES = {
    ("Wine", AUTO): (98.04, 3.0, 50.0),
    ("Wine", "OC1"): (96.0, 3.0, 5.0),
    ("Wine", "scikit-learn tree"): (91.0, 8.0, 1.0),
    ("Wine", "logistic regression"): (98.5, None, 2.0),
    ("Wine", "gradient boosting"): (98.0, None, 40.0),
    ("Heart", AUTO): (84.0, 2.5, 90.0),
    ("Heart", "OC1"): (84.4, 4.0, 9.0),
    ("Heart", "scikit-learn tree"): (72.0, 30.0, 1.0),
    ("Heart", "logistic regression"): (85.2, None, 2.0),
    ("Heart", "gradient boosting"): (81.0, None, 40.0),
}


@pytest.fixture
def text():
    return report.markdown(results(FIGURES))


def test_means_leaves_ranks_and_times_stand_beside_each_other(text):
    assert "Means over 2 data sets." in text
    assert f"| **{AUTO}** | 91.02 | 91.02 | 91.02 | 0.100 | 2.8 |  | 1.50 |  | 70x |" in text
    assert "| OC1 | 90.20 | 90.20 | 90.20 | 0.100 | 3.5 |  | 1.50 | 1-0-1 (+0.82) | 7x |" in text
    assert "| logistic regression | 91.85 | 91.85 | 91.85 | 0.100 |  |  |  | 0-0-2 (-0.83) | 2x |" in text


def test_aims_are_met_or_short_plainly(text):
    measured = "+1.52; median +1.52; 2 sets won, 0 tied, 0 lost"
    assert f"| mean accuracy less that of gradient boosting (2 sets) | ≥ -0.5 | {measured} | yes |" in text
    assert "| mean leaves | ≤ 12 | 2.8 | yes |" in text
    assert "on each set | ≥ -0.3 | 1 of 2 sets; short: Heart -0.4 | **short** |" in text
    assert "logistic regression | ≥ -1 | 1 of 2 sets; short: Heart -1.2 | **short** |" in text
    assert "| mean rank by accuracy among single trees | first | 1.50, place 1 of 3 | yes |" in text


SHUTTLE = {
    ("Iris", AUTO): (95.8, 3.0, 50.0),
    ("Iris", "gradient boosting"): (96.0, None, 40.0),
    ("Iris", "CatBoost"): (96.0, None, 40.0),
    ("LS10", AUTO): (99.8, 2.0, 50.0),
    ("LS10", "gradient boosting"): (90.9, None, 40.0),
    ("LS10", "CatBoost"): (94.0, None, 40.0),
    ("Letter", AUTO): (80.0, 3.0, 50.0),
    ("Letter", "gradient boosting"): (95.0, None, 40.0),
    ("Letter", "CatBoost"): (80.0, None, 40.0),
    ("Shuttle", AUTO): (99.7, 7.0, 50.0),
    ("Shuttle", "gradient boosting"): (78.1, None, 40.0),
    ("Shuttle", "CatBoost"): (99.8, None, 40.0),
}


def test_medians_wins_ties_and_losses_stand_beside_the_means():
    page = report.markdown(results(SHUTTLE))
    assert "| gradient boosting | 90.00 | 92.95 | 90.00 | 0.100 |  |  |  | 2-0-2 (+4.35) |  |" in page
    assert "| CatBoost | 92.45 | 95.00 | 92.45 | 0.100 |  |  |  | 1-1-2 (-0.05) |  |" in page


def test_a_lead_that_hangs_on_one_set_is_said_with_the_means_and_with_the_aim():
    page = report.markdown(results(SHUTTLE))
    start, end = (page.index(f"<!-- --8<-- [{mark}:summary] -->") for mark in ("start", "end"))
    sentence = "without Shuttle (99.7 against 78.1) the difference is -2.10."
    assert "The mean accuracy of AutoTree is 3.82 above that of gradient boosting because of one data set" in page
    assert start < page.index(sentence) < end
    assert "| +3.82; median +4.35; 2 sets won, 0 tied, 2 lost; mean -2.10 without Shuttle | yes |" in page
    assert "mean accuracy less that of CatBoost (4 sets)" in page


def test_the_page_says_why_boosting_fails_on_shuttle_only_where_it_does():
    assert "On Shuttle, gradient boosting diverges: two of its seven classes" in report.markdown(results(SHUTTLE))
    figures = {**SHUTTLE, ("Shuttle", "CatBoost"): (78.8, None, 40.0)}
    assert "On Shuttle, gradient boosting and CatBoost diverge: " in report.markdown(results(figures))
    for data in ("Iris", "LS10", "Letter", "Shuttle"):
        figures[data, "gradient boosting, penalised"] = (99.94, None, 40.0)
    assert (
        "without bound. Gradient boosting, penalised, which was added for this reason, has 99.9% there."
        in report.markdown(results(figures))
    )
    figures = {**SHUTTLE, ("Shuttle", "gradient boosting"): (99.9, None, 40.0)}
    assert "diverge" not in report.markdown(results(figures))


def test_sets_made_for_planes_are_marked_and_the_means_are_also_given_without_them():
    page = report.markdown(results(SHUTTLE))
    whole, _, rest = page.partition("## Without the sets made for planes")
    assert f"| **{AUTO}** | 93.83 |" in whole
    assert "Means over 3 data sets." in rest
    assert f"| **{AUTO}** | 91.83 |" in rest
    assert "| LS10 † | 99.8 / 2 | 90.9 | 94.0 |" in page
    assert "| Iris | 95.8 / 3 |" in page
    assert "## Without the sets made for planes" not in report.markdown(results(FIGURES))


def test_the_page_names_methods_that_were_added_later_and_the_versions_of_their_packages():
    made = results(SHUTTLE)
    cells = tuple(
        replace(r, remark=f"catboost 1.2.10; {ADDED}" if r.cell.method == "CatBoost" else "") for r in made.cells
    )
    page = report.markdown(replace(made, cells=cells))
    assert "Run later than the other methods, on the same rows: CatBoost. Times of these" in page
    assert "Versions of optional packages: catboost 1.2.10." in page
    assert "Run later" not in report.markdown(made)


def test_a_rank_without_a_rival_is_not_said_to_be_met():
    figures = {**FIGURES, ("Wine", "OC1"): (90.0, 3.0, 5.0)}
    among = "| mean rank by leaves among single trees within a point of its mean accuracy | first |"
    assert f"{among} no other tree to compare with |  |" in report.markdown(results(figures))
    assert f"{among} 1.25, place 1 of 2 | yes |" in report.markdown(results(FIGURES))


def test_single_targets_say_in_what_they_are_short(text):
    assert "| Wine | 97.8 | ≥ 98.0 / 3 | 98.0 / 3.0 | yes |" in text
    assert "| Heart | 84.8 | ≥ 84.5 / 2 | 84.0 / 2.5 | **short** in accuracy and leaves |" in text
    assert "2 of 4" in str(report.score(results(FIGURES)))


def test_trees_are_tested_against_auto_tree(text):
    assert "Holm's adjusted p of each against AutoTree" in text
    assert "| scikit-learn tree | 3.00 | 0.27 |" in text


def test_without_auto_tree_the_page_says_so_and_has_the_rest():
    page = report.markdown(results({key: value for key, value in FIGURES.items() if key[1] != AUTO}))
    assert f"{AUTO} is not in this version" in page
    assert "| OC1 |" in page
    assert "data set by data set" not in page


def test_a_method_that_was_not_run_everywhere_is_compared_on_the_sets_where_all_were():
    figures = {**FIGURES, ("Wine", "CART-ELC"): (92.0, 5.0, 500.0)}
    page = report.markdown(results(figures, [("Heart", "CART-ELC", "over its limit of 1 values")]))
    whole, _, smaller = page.partition("## The smaller sets, every method")
    assert "CART-ELC" not in whole
    assert "Means over 1 data sets." in smaller
    assert "| CART-ELC | 92.00 |" in smaller
    assert "- CART-ELC: over its limit of 1 values (Heart)." in page


def test_data_whose_parts_are_not_finished_are_left_out():
    page = report.markdown(results(FIGURES, [("Wine", "CART", "2 of 15 parts are finished")]))
    assert "Means over 1 data sets." in page
    assert "- Wine: not finished." in page
    assert "**So far 1 of 2 data sets: all that follows is of these alone.**" in page


def test_other_pages_can_include_the_means(text):
    start, end = (text.index(f"<!-- --8<-- [{mark}:summary] -->") for mark in ("start", "end"))
    assert start < text.index("Means over") < end


def test_what_was_not_run_is_listed_by_data_or_by_method():
    page = report.markdown(
        results(
            FIGURES,
            [
                ("Iris", "STree", "stree is not installed: pip install stree"),
                ("Mine", "CART", "needs mine.csv: give --data"),
                ("Mine", "OC1", "needs mine.csv: give --data"),
            ],
        )
    )
    assert "- STree: stree is not installed: pip install stree (Iris)." in page
    assert page.count("- Mine: needs mine.csv: give --data.") == 1


def test_the_regression_table_has_r2():
    cell = next(cell for cell in EXPERIMENT.cells if cell.data == "Diabetes")
    ours = {"R2": Figure(0.48), "leaves": Figure(3.0), "terms": Figure(9.0), "milliseconds": Figure(2.0)}
    made = Results(EXPERIMENT, (CellResult(replace(cell, method="CART"), ours),), quick=False, from_folder=False)
    assert "| CART | 0.480 | 0.480 | 3.0 | 9.0 | 1.00 |  |" in report.markdown(made)
    assert "| Diabetes | 0.480 / 3 |" in report.markdown(made)
