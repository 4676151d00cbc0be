"""What a run of `make trust` keeps when a process, a section or the run itself ends early."""

import sys
from functools import partial

import pytest
from benchmarks.report import Goal, Section
from trust import __main__ as program
from trust import files
from trust.processes import in_processes

CRASH = "from trust.processes import doing; doing('CART, seed 7'); import signal; signal.raise_signal(11)"


def test_a_process_that_dies_is_a_finding_and_the_others_results_are_kept():
    tasks = [partial(divmod, 7, 3), partial(exec, CRASH), partial(divmod, 7, 0), partial(divmod, 7, 2)]
    died, raised = "a process ended by signal 11 (SIGSEGV) while trying CART, seed 7", "ZeroDivisionError"
    first, second, third, last = in_processes(tasks, str, at_once=1)
    assert (first, second, last) == ((2, 1), died, (3, 1))
    assert third.startswith(raised)


def test_files_of_a_process_that_died_are_told_beside_the_counts_of_the_others():
    found = files._sum([files.Found(files.Counter(CART=2)), files._lost("a process ended by signal 11")])
    assert (found.total(), found.wrong) == (2, ["a process ended by signal 11"])
    page = files._section({"mutated": found}, files.Counter(), 1, 0, files.Budget(1.0))
    assert not page.goals[0].met
    assert "a process ended by signal 11" in page.text


def good(budget):
    return [Section("Good", "Fine.", ("n",), [("1",)], (Goal("good", True),))]


def bad(budget):
    raise RuntimeError("the tests of\nmutants failed")


def cut_off(budget):
    raise KeyboardInterrupt


def run(monkeypatch, page, *arguments, **sections):
    monkeypatch.setattr(program, "SECTIONS", {name: (run, 0.0, False) for name, run in sections.items()})
    monkeypatch.setattr(program, "PAGE", page)
    monkeypatch.setattr(sys, "argv", ["trust", *arguments])
    program.main()


def test_a_section_that_raises_is_a_missed_goal_and_the_others_are_run(monkeypatch, tmp_path):
    page = tmp_path / "trust.md"
    with pytest.raises(SystemExit, match="without figures: bad"):
        run(monkeypatch, page, bad=bad, good=good)
    text = page.read_text()
    assert "RuntimeError: the tests of mutants failed" in text
    assert "- bad runs to its end: **missed**" in text
    assert "- good: **met**" in text


def test_a_run_that_is_cut_off_keeps_what_has_ended_and_what_was_there(monkeypatch, tmp_path):
    page = tmp_path / "trust.md"
    page.write_text("# Trust\n\n## Good\n\nOld.\n\n## Other\n\nStays.\n")
    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, page, good=good, cut=cut_off)
    text = page.read_text()
    assert "Old." not in text
    assert "Fine." in text
    assert "Stays." in text


def test_an_update_does_not_put_an_error_in_the_place_of_figures(monkeypatch, tmp_path):
    page = tmp_path / "trust.md"
    page.write_text("# Trust\n\n## Good\n\nOld.\n")
    with pytest.raises(SystemExit):
        run(monkeypatch, page, "bad", "--update", good=good, bad=bad)
    assert page.read_text() == "# Trust\n\n## Good\n\nOld.\n"


@pytest.mark.parametrize("arguments", [["--quick"], ["good"]])
def test_a_quick_run_and_chosen_sections_leave_the_page_alone(monkeypatch, tmp_path, arguments):
    run(monkeypatch, tmp_path / "trust.md", *arguments, good=good)
    assert not (tmp_path / "trust.md").exists()
