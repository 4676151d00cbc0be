"""A few of the damaged files of `make trust`, and what is counted of them."""

import time
from io import BytesIO

import pytest
from trust import guided, mutated
from trust.files import _change, _shorten
from trust.models import small_files

import askew
from askew.store import container


@pytest.fixture(scope="module")
def files():
    return small_files(1)


def test_there_are_twenty_kinds_of_small_files(files):
    assert len(files) == 20
    assert max(map(len, files.values())) < 8_000


def test_every_change_of_a_byte_is_counted_and_refused(files):
    whole = files["CART"]
    found = _change("CART", whole, [1, 255], 97, end=time.time() + 1000)
    assert found.tried == {"CART": 2 * len(range(0, len(whole), 97))}
    assert found.wrong == []
    assert _change("CART", whole, [1], 97, end=0.0) is None


def test_a_shorter_file_that_loads_is_told(files, monkeypatch):
    monkeypatch.setattr(askew, "load", lambda path: None)
    assert len(_shorten("CART", files["CART"], 1000).wrong) == len(range(0, len(files["CART"]), 1000))


def test_mutated_content_and_its_file_are_judged_alike(files, tmp_path, monkeypatch):
    arrays, document = container.read(BytesIO(files["forest"]))
    verdicts = [mutated.check(arrays, document, seed, tmp_path / "m.askew")[0] for seed in range(60)]
    assert {True, False} == set(verdicts)
    monkeypatch.setattr(mutated, "_loads", lambda path: False)
    with pytest.raises(AssertionError, match="judged otherwise"):
        mutated.check(arrays, document, verdicts.index(True), tmp_path / "m.askew")


def test_the_inputs_of_libfuzzer_are_counted_and_a_crash_is_told():
    report = "stat::number_of_executed_units: 1234\n"
    assert guided._outcome("...", report, 0) == mutated.Found({"all kinds": 1234}, 3)
    assert guided._outcome("", report + "ERROR", 77).wrong
