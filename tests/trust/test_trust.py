"""The quick form of `make trust`: the parts that are not tests of their own elsewhere."""

import json
from collections import Counter
from types import SimpleNamespace

from trust import components, pytest_log
from trust.budget import Budget, add_to_life
from trust.fault_list import FAULTS
from trust.faults import NUMBERED, numbered_files, section
from trust.pytest_runs import Outcome


def test_every_fault_has_a_test_with_its_number():
    found = {int(number) for path in numbered_files() for number in NUMBERED.findall(path.read_text("utf-8"))}
    assert found == set(FAULTS) == set(range(1, 41))


def test_a_fault_without_a_test_is_shown_as_missing():
    page = section(Outcome(f"test_{number:02}_x[1-CARTClassifier]", "passed") for number in FAULTS if number != 7)
    assert [row[3:] for row in page.rows if row[0] == "7"] == [("", "**no test**")]
    assert [row[3:] for row in page.rows if row[0] == "8"] == [("1 estimators", "1 passed")]
    assert [goal.met for goal in page.goals] == [False, True, True]


def test_counts_of_the_life_add_up_and_a_quick_run_keeps_none(tmp_path):
    path = tmp_path / "counts.json"
    add_to_life("files", Counter(a=2), path=path)
    add_to_life("files", Counter(a=5), keep=False, path=path)
    assert add_to_life("files", Counter(a=1, b=1), path=path) == Counter(a=3, b=1)


def test_a_budget_without_time_is_one_round():
    assert list(Budget(0.0).rounds()) == [0]


def test_tests_are_logged_by_the_process_that_others_report_to(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUST_LOG", str(tmp_path / "log"))
    plugins = []
    manager = SimpleNamespace(register=plugins.append)
    pytest_log.pytest_configure(SimpleNamespace(pluginmanager=manager, workerinput={}))
    assert plugins == []
    pytest_log.pytest_configure(SimpleNamespace(pluginmanager=manager))
    report = SimpleNamespace(when="call", passed=True, skipped=False, outcome="passed", nodeid="a.py::test_01_x[1]")
    plugins[0].pytest_runtest_logreport(report)
    assert (tmp_path / "log").read_text() == '["test_01_x[1]", "passed", ""]\n'


def test_one_case_of_each_test_comes_first():
    items = [SimpleNamespace(nodeid=f"a.py::{name}") for name in ("x[1]", "x[2]", "y", "z[1]", "z[2]")]
    pytest_log.pytest_collection_modifyitems(items)
    assert [item.nodeid[6:] for item in items] == ["x[1]", "y", "z[1]", "x[2]", "z[2]"]


def test_the_list_of_components_has_what_the_package_needs(tmp_path):
    assert components.write(["scikit-learn>=1.6", "no-such-package; extra == 'x'"], tmp_path / "list.json") >= 4
    found = json.loads((tmp_path / "list.json").read_text())
    assert found["bomFormat"] == "CycloneDX"
    assert {"numpy", "scipy", "joblib"} < {one["name"] for one in found["components"]}
    assert all(one["purl"] == f"pkg:pypi/{one['name']}@{one['version']}" for one in found["components"])
