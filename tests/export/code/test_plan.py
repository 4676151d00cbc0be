import pytest
from shipped import shipped
from sklearn.datasets import load_iris

import askew
from askew.export.code.plan import BOOSTED, LEAF, ODDS, SHARES, plan_of


def plan(name):
    return plan_of(shipped()[name][0], "export_c")


def test_a_plan_says_how_the_parts_combine():
    found = {name: (plan(name).answer, plan(name).voters) for name in ("tree", "one-vs-rest", "forest", "boosting")}
    assert found == {"tree": (LEAF, 0), "one-vs-rest": (ODDS, 0), "forest": (SHARES, 0), "boosting": (BOOSTED, 0)}
    assert (plan("a vote").answer, plan("a vote").voters, plan("a vote").parts_each) == (LEAF, 4, 1)
    assert plan("a vote of one-vs-rest").parts_each == 3


def test_the_parts_of_a_row_add_up_to_the_row():
    for node in plan("parts of rows").parts[0].nodes:
        assert node.test is None or sum(node.parts) == pytest.approx(1.0)


def test_what_stands_in_for_a_missing_value_is_a_mean_a_code_or_nothing():
    a, b, colour, size = plan("one-hot").fills
    means = shipped()["one-hot"][0].feature_means_
    assert (a, b) == (means[0], means[1])
    assert (colour, size) == (3.0, 4.0)  # a category of their own, the last
    assert plan("parts of rows").fills == [None] * 4


def test_a_vote_whose_trees_read_the_data_in_other_ways_is_refused():
    X, y = load_iris(return_X_y=True)
    vote = askew.KDTClassifier(estimator=askew.CARTClassifier(max_depth=2), n_estimators=2).fit(X, y)
    vote.estimators_[1] = askew.CARTClassifier(max_depth=2, missing="error").fit(X, y)
    for export in (askew.export_c, askew.export_python):
        with pytest.raises(ValueError, match="must read the data in the same way"):
            export(vote)
