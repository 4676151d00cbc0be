from experiments.experiment import Figure
from experiments.field import Field
from experiments.leads import fragile_leads


def leads(ours, theirs, score="accuracy"):
    outcome = {
        (d, m): {score: Figure(value)}
        for m, column in (("ours", ours), ("theirs", theirs))
        for d, value in column.items()
    }
    return fragile_leads(Field.of(score, outcome, ours), "ours")


def test_a_lead_that_hangs_on_one_set_names_it_with_both_scores():
    assert leads({"A": 90.0, "B": 80.0, "LS10": 99.7}, {"A": 90.5, "B": 80.3, "LS10": 78.1}) == [
        "- The mean accuracy of ours is 6.93 above that of theirs because of one data set: without LS10 † (99.7 "
        "against 78.1) the difference is -0.40.",
        "",
    ]


def test_a_small_difference_that_several_sets_decide_says_how_many():
    (line, _) = leads({"A": 90.0, "B": 80.0, "C": 70.0, "D": 60.0}, {"A": 91.0, "B": 82.0, "C": 68.5, "D": 58.6})
    assert line == (
        "- The mean accuracy of ours is 0.03 below that of theirs, but the sign changes if any one of 2 data sets is "
        "left out: without B (80.0 against 82.0) the difference is +0.63."
    )


def test_a_lead_on_most_sets_says_nothing():
    assert leads({"A": 90.0, "B": 80.0, "C": 70.0}, {"A": 89.0, "B": 79.0, "C": 68.0}) == []


def test_r2_has_three_decimals():
    (line, _) = leads({"A": 0.9, "B": 0.5}, {"A": 0.4, "B": 0.6}, "R2")
    assert "The mean R2 of ours is 0.200 above" in line
    assert "without A (0.900 against 0.400) the difference is -0.100." in line


def test_a_method_that_was_not_run_has_no_leads():
    outcome = {("A", "theirs"): {"accuracy": Figure(90.0)}}
    assert fragile_leads(Field.of("accuracy", outcome, ["A"]), "ours") == []
