import pytest
from experiments.experiment import Figure
from experiments.field import Comparison, Field, marked


def field(score="accuracy", **scores):
    """Return the field of made scores: method -> data set -> score."""
    outcome = {(d, m): {score: Figure(value)} for m, column in scores.items() for d, value in column.items()}
    return Field.of(score, outcome, next(iter(scores.values())))


def test_wins_ties_and_losses_are_counted_at_the_decimals_of_the_score():
    compared = field(
        ours={"A": 90.0, "B": 80.0, "C": 70.004, "D": 60.0}, theirs={"A": 89.99, "B": 81.0, "C": 70.0, "D": 65.0}
    ).against("ours", "theirs")
    assert compared.record == (1, 1, 2)
    assert compared.mean == pytest.approx(-1.5)
    assert compared.median == pytest.approx(-0.5)
    assert field("R2", ours={"A": 0.5, "B": 0.4}, theirs={"A": 0.499, "B": 0.4004}).against(
        "ours", "theirs"
    ).record == (1, 1, 0)


def test_a_data_set_without_which_the_mean_difference_changes_sign_is_decisive():
    compared = Comparison({"A": -0.5, "B": -0.3, "C": 21.6}, 2)
    assert compared.mean == pytest.approx(6.93)
    assert compared.decisive() == {"C": -0.4}


def test_a_lead_that_vanishes_without_a_data_set_hangs_on_it_too():
    assert Comparison({"A": 0.0, "B": 0.0, "C": 3.0}, 2).decisive() == {"C": 0.0}


def test_the_data_set_that_changes_the_mean_most_comes_first():
    decisive = Comparison({"A": 1.0, "B": 2.0, "C": -1.5, "D": -1.4}, 2).decisive()
    assert list(decisive) == ["B", "A"]


@pytest.mark.parametrize("differences", [{"A": 1.0, "B": 2.0, "C": 0.5}, {"A": 1.0, "B": -1.0}, {"A": 1.0}])
def test_a_broad_lead_a_tie_and_a_single_data_set_have_nothing_decisive(differences):
    assert Comparison(differences, 2).decisive() == {}


def test_sets_made_for_planes_are_marked_and_can_be_left_out():
    assert [marked(name) for name in ("LS10", "POL", "RCB", "Monks-1", "Iris")] == [
        *("LS10 †", "POL †", "RCB †", "Monks-1 †"),
        "Iris",
    ]
    whole = field(ours={"LS10": 99.0, "Iris": 95.0})
    assert whole.without_planes().data == ("Iris",)
    assert whole.without_planes().mean("ours") == 95.0
