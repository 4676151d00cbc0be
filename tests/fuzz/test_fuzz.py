"""The fuzzers find what they look for, and a failure does not end them."""

import ast
import time
from collections import Counter
from functools import partial
from io import BytesIO

import numpy as np
import pytest

import askew
from askew.store import container
from fuzz import __main__ as program
from fuzz import files, guided
from fuzz.findings import Found, at_most, rounds
from fuzz.models import small_files
from fuzz.mutation import Mutant, difference, judge, justified
from fuzz.processes import in_processes
from fuzz.tables import answers, check

LESS, MORE, SAME = (Mutant("tree.py", "depth", change) for change in ("return a - b", "return a * b", "return b + a"))


@pytest.fixture(scope="module")
def small():
    return small_files(1)


# --- files


def test_there_are_twenty_kinds_of_small_files(small):
    assert len(small) == 20
    assert max(map(len, small.values())) < 8_000


def test_every_change_of_a_byte_is_counted_and_refused(small):
    whole = small["CART"]
    found = files.change("CART", whole, [1, 255], end=time.time() + 1000, step=97)
    assert found == Found({"one byte changed": 2 * len(range(0, len(whole), 97))})
    assert files.change("CART", whole, [1], end=0.0) == Found()


def test_a_shorter_file_that_loads_is_wrong(small, monkeypatch):
    monkeypatch.setattr(askew, "load", lambda path: None)
    assert len(files.shorten("CART", small["CART"], 1000).wrong) == len(range(0, len(small["CART"]), 1000))


def test_mutated_content_and_its_file_must_both_be_accepted(small, tmp_path, monkeypatch):
    arrays, document = container.read(BytesIO(small["forest"]))
    accepted = [files.check(arrays, document, seed, tmp_path / "m.askew") for seed in range(60)]
    assert {True, False} == set(accepted)
    monkeypatch.setattr(files, "_loads", lambda path: False)
    with pytest.raises(AssertionError, match="the other way round"):
        files.check(arrays, document, accepted.index(True), tmp_path / "m.askew")


def test_the_inputs_of_libfuzzer_are_counted_and_a_crash_is_wrong():
    report = "stat::number_of_executed_units: 1234\n"
    assert guided.outcome("...", report, 0) == Found({"accepted and works": 3, "refused": 1231})
    assert guided.outcome("", report + "ERROR", 77).wrong


# --- tables


@pytest.mark.parametrize("cls", [askew.CARTClassifier, askew.OC1Regressor, askew.ObliqueBoostingClassifier])
def test_random_tables_are_fitted_or_refused_as_documented(cls):
    assert "fitted" in {check(cls, seed) for seed in range(3)}


def test_a_prediction_that_is_not_finite_is_found():
    class Broken:
        def predict(self, X):
            return np.full(len(X), np.nan)

    with pytest.raises(AssertionError, match="not finite"):
        answers(Broken(), np.zeros((2, 1)))


# --- mutants


def test_survivors_without_a_reason_and_reasons_without_a_mutant_are_wrong():
    found = judge([(LESS, "killed"), (MORE, "survived")], {str(SAME): "why"}, [LESS, MORE])
    assert found.tried == {"killed": 1, "survived": 1}
    assert found.wrong == ["survives: tree.py depth: return a * b", f"justified, but not made: {SAME}"]
    found = judge([(LESS, "timeout"), (SAME, "survived")], {str(SAME): "why"}, [LESS, MORE, SAME])
    assert found == Found({"timeout": 1, "justified": 1})


def test_a_change_is_shown_with_the_code_around_it():
    code = "def f(a=1):\n    total = a\n    return total + len(a)\n"
    original, less, default, gone = (
        ast.parse(text).body[0]
        for text in (code, code.replace("+", "-"), code.replace("1", "2"), code.replace("    total = a\n", ""))
    )
    assert difference(original, less) == "total = a return total [+ -> -] len(a)"
    assert difference(original, default) == "def f(a=[1 -> 2]): total = a return to"
    assert difference(original, gone).startswith("def f(a=1): [total = a")


def test_every_justification_gives_a_reason():
    assert all(len(why) > 20 for why in justified().values())


# --- time and processes


def test_what_has_no_end_is_found():
    def endless():
        while True:
            pass

    with pytest.raises(TimeoutError, match="no end after 1 seconds"), at_most(1):
        endless()


def test_without_time_there_is_one_round():
    assert list(rounds(0.0)) == [0]


def test_a_process_that_dies_is_a_finding_and_the_results_of_the_others_are_kept():
    crash = "from fuzz.processes import doing; doing('CART, seed 7'); import signal; signal.raise_signal(11)"
    tasks = [partial(Found, Counter(a=2)), partial(exec, crash), partial(int, "x"), partial(Found, Counter(a=3))]
    found = in_processes(tasks, at_once=1)
    assert found.tried == {"a": 5}
    died, raised = found.wrong
    assert died == "a process ended by signal 11 (SIGSEGV) while trying CART, seed 7"
    assert raised.startswith("ValueError")


def test_a_part_that_raises_fails_and_the_others_run(monkeypatch, capsys):
    parts = {"bad": (lambda seconds: 1 / 0, 0.5), "good": (lambda seconds: Found(Counter(fine=int(seconds))), 0.5)}
    monkeypatch.setattr(program, "PARTS", parts)
    assert program.fuzz(["bad", "good"], 10.0) == 1
    assert program.fuzz(["good"], 10.0) == 0
    printed = capsys.readouterr().out
    assert "WRONG ZeroDivisionError" in printed
    assert "good: 10 in" in printed
