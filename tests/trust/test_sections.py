"""The tables of `make trust` that are made of what other processes measured."""

import os

import pytest
from trust import builds, load


def test_a_build_with_another_tree_is_counted_and_named():
    here = {"a": "1", "b": "2"}
    found = {"core by gcc": dict(here), "core by clang": {"a": "1", "b": "3"}, "Python 3.99": "not installed"}
    page = builds.section(here, found)
    assert [row[1:] for row in page.rows] == [("2", "0"), ("2", "1 b"), ("not installed", "")]
    assert [goal.met for goal in page.goals] == [False, False]
    assert "Python 3.99" in page.text


def test_all_builds_with_the_same_trees_are_enough():
    names = [f"core by {name}" for name in builds.BUILDS]
    page = builds.section({"a": "1"}, {name: {"a": "1"} for name in [*names, "Python 3.99"]})
    assert all(goal.met for goal in page.goals)


def test_hashes_older_than_the_source_are_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(builds, "CHECKS", tmp_path)
    assert builds._of_build("gcc") == "not built"
    (tmp_path / "gcc.json").write_text("{}")
    assert builds._of_build("gcc") == {}
    os.utime(tmp_path / "gcc.json", (0, 0))
    assert builds._of_build("gcc") == "older than the source"


@pytest.mark.parametrize(("per_round", "met"), [(0, True), (100_000, False)], ids=["steady", "leaking"])
def test_growth_is_that_of_the_second_half(per_round, met):
    warm = [40e6, 60e6, 70e6, *[70e6] * 97]  # what grows at first is no leak
    measured = [
        {"seconds": 36.0 * (i + 1), "resident": size + per_round * i, "in_use": 1e6, "blocks": 1e3}
        for i, size in enumerate(warm)
    ]
    assert [goal.met for goal in load.section(measured).goals] == [met, True]


def test_a_load_that_ends_with_an_error_misses_its_goal():
    assert [goal.met for goal in load.section([], exit_code=1).goals] == [False, False]


def test_every_estimator_on_a_cluster_is_tried():
    pytest.importorskip("distributed", reason="extra dask is not installed")
    from trust.dask_models import estimators

    from askew import dask as on_cluster

    assert {type(model).__name__ for model in estimators().values()} == set(on_cluster.__all__)
