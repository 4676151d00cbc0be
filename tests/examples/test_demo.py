"""`make demo` prints trees and a table, and draws a picture."""

import demo
import pytest
from rich.console import Console


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_table_has_a_line_for_every_method(monkeypatch, capsys):
    monkeypatch.setattr(demo, "DATA", {"iris": demo.DATA["iris"]})
    Console(width=120).print(demo.compare())
    printed = capsys.readouterr().out
    assert all(method in printed for method in demo.METHODS)


def test_both_trees_are_printed_for_iris_and_for_rcb(monkeypatch, capsys):
    monkeypatch.setattr(demo, "console", Console(width=120))
    demo.show_trees()
    printed = capsys.readouterr().out
    for data in ("iris", "RCB"):
        assert f"OC1, grown on {data}" in printed
        assert f"CART, grown on {data}" in printed
    assert "petal" in printed
    assert "versicolor" in printed
    assert "leaves below" in printed  # CART's tree of RCB is cut


def test_the_picture_is_written():
    demo.draw()
    assert demo.PICTURE.read_bytes().startswith(b"\x89PNG")
