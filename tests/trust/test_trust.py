"""The quick form of `make trust`: the parts that are not tests of their own elsewhere."""

from collections import Counter
from functools import partial

from trust.budget import Budget, add_to_life, in_processes
from trust.fault_list import FAULTS
from trust.faults import NUMBERED, numbered_files, section


def test_every_fault_has_a_test_with_its_number():
    found = {int(number) for path in numbered_files() for number in NUMBERED.findall(path.read_text("utf-8"))}
    assert found == set(FAULTS) == set(range(1, 41))


def test_a_fault_without_a_test_is_shown_as_missing():
    page = section({number: Counter(passed=1) for number in FAULTS if number != 7})
    assert [row[3] for row in page.rows if row[0] == "7"] == ["**no test**"]
    assert [goal.met for goal in page.goals] == [False, True, True]


def test_counts_of_the_life_add_up_and_a_quick_run_keeps_none(tmp_path):
    path = tmp_path / "counts.json"
    add_to_life("files", Counter(a=2), path=path)
    add_to_life("files", Counter(a=5), keep=False, path=path)
    assert add_to_life("files", Counter(a=1, b=1), path=path) == Counter(a=3, b=1)


def test_a_budget_without_time_is_one_round():
    assert list(Budget(0.0).rounds()) == [0]


def test_tasks_in_processes_come_back_in_order():
    assert in_processes([partial(divmod, 7, n) for n in (3, 2)], at_once=1) == [(2, 1), (3, 1)]
