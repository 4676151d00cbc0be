"""`make demo` prints trees and a table, and draws a picture."""

from pathlib import Path

import demo
import pytest
from PIL import Image
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


def caption_of(picture):
    assert picture.read_bytes().startswith(b"\x89PNG")
    with Image.open(picture) as image:
        return image.info["Description"]


def test_the_readme_shows_the_picture_that_is_drawn_with_its_caption():
    demo.draw()
    root = Path(demo.__file__).parents[1]
    drawn = caption_of(demo.PICTURE)
    assert caption_of(root / "docs" / "images" / "partition.png") == drawn
    for page in ("README.md", "docs/index.md"):
        assert f"![{drawn}](" in (root / page).read_text(encoding="utf-8")


def test_the_demo_ends_with_the_address_of_a_report(monkeypatch, capsys):
    monkeypatch.setattr(demo, "console", Console(width=200))
    demo.write_report()
    address = capsys.readouterr().out.split()[-1]
    assert address == demo.REPORT.resolve().as_uri()
    assert "Breast cancer" in demo.REPORT.read_text(encoding="utf-8")
