"""What the documents show is true: their Python runs, and what they print is what comes out."""

import re
import runpy
import shlex
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

import askew
from askew.model.smoothing import SMOOTHINGS
from askew.prune import PRUNERS
from askew.refinement import REFINERS
from askew.search import SEARCHES

ROOT = Path(__file__).parents[1]
FOLDERS = ("learn", "how-to", "methods", "reference")
EXAMPLES = sorted(
    page
    for folder in FOLDERS
    for page in (ROOT / "docs" / folder).rglob("*.md")
    if "```python" in page.read_text(encoding="utf-8")
)
if find_spec("distributed") is None:  # extra dask
    EXAMPLES = [page for page in EXAMPLES if page.stem != "clusters"]
if any(find_spec(name) is None for name in ("onnx", "onnxruntime", "skops", "jsonschema")):  # extra test
    EXAMPLES = [page for page in EXAMPLES if page.stem != "deployment"]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def blocks(path, language):
    text = path.read_text(encoding="utf-8")
    text = re.sub(
        r"^--8<--\n(.+)\n--8<--$", lambda found: (ROOT / found[1]).read_text(encoding="utf-8"), text, flags=re.M
    )
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def run(path):
    """Run the Python of a page from top to bottom, as a reader would."""
    names = {"__name__": __name__}
    for code in blocks(path, "python"):
        exec(compile(code, path.name, "exec"), names)
    return names


def answers(path):
    """Return what a page says that its Python prints: comments below the call; of some, the first block of text."""
    comments = [lines for code in blocks(path, "python") for lines in re.findall(r"(?:^#.*\n)+", code, re.M)]
    shown = blocks(path, "text")[:1] if path.stem in {"README", "c45", "counterfactuals", "reading"} else []
    return [*(re.sub(r"^# ?", "", lines, flags=re.M) for lines in comments), *shown]


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *EXAMPLES], ids=lambda page: page.stem)
def test_the_python_of_a_page_runs_and_prints_what_the_page_says(page, capsys):
    assert blocks(page, "python")
    run(page)
    printed = capsys.readouterr().out
    assert [answer for answer in answers(page) if answer not in printed] == []


def test_pages_say_what_they_print():
    assert all(answers(page) for page in [ROOT / "README.md", *EXAMPLES] if page.stem in {"README", "c45", "data"})


@pytest.mark.parametrize("page", [page for page in EXAMPLES if "](../images/" in page.read_text(encoding="utf-8")])
def test_the_code_of_a_page_draws_its_pictures(page, tmp_path):
    run(page)
    shown = re.findall(r"\]\(\.\./images/(.+?)\)", page.read_text(encoding="utf-8"))
    assert shown
    for name in shown:
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
        assert (ROOT / "docs" / "images" / name).read_bytes().startswith(b"\x89PNG")


def test_the_commands_of_the_how_to_run_in_turn(tmp_path):
    from askew.cli import main

    page = ROOT / "docs" / "how-to" / "cli.md"
    for command in "".join(blocks(page, "sh")).splitlines():
        with pytest.raises(SystemExit) as end:
            main(shlex.split(command, comments=True)[1:])
        assert end.value.code == 0
    assert "prediction" in (tmp_path / "predicted.csv").read_text(encoding="utf-8")


def test_the_messages_about_a_messy_table_are_those_of_the_how_to(capsys):
    from askew.cli import main

    page = ROOT / "docs" / "how-to" / "data.md"
    run(page)
    capsys.readouterr()
    parts = re.findall(r"^\$ askew (.*)\n((?:askew: .*\n)*)", "".join(blocks(page, "console")), re.M)
    assert len(parts) == 4
    for command, shown in parts:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            with pytest.raises(SystemExit) as end:
                main(shlex.split(command))
        assert capsys.readouterr().err == shown
        assert end.value.code == (2 if "k.A." in shown else 0)


def test_the_weights_of_the_how_to_equal_repetition():
    names = run(ROOT / "docs" / "how-to" / "data.md")
    assert names["weighted"].tree_ == names["repeated"].tree_


def test_contributing_shows_the_toy_search_as_it_is():
    shown = blocks(ROOT / "CONTRIBUTING.md", "python")[0]
    assert shown.strip() in (ROOT / "examples" / "toy_search.py").read_text(encoding="utf-8")


def test_the_toy_search_prints_what_the_how_to_says(capsys):
    runpy.run_path(str(ROOT / "examples" / "toy_search.py"), run_name="__main__")
    assert capsys.readouterr().out == blocks(ROOT / "docs" / "how-to" / "search.md", "text")[0]


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def test_links_between_documents_lead_somewhere():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    links = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", without_code(page.read_text(encoding="utf-8")))
    ]
    assert links
    assert [(page.name, target) for page, target in links if not (page.parent / target).exists()] == []


def test_files_that_documents_name_exist():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md")]
    named = {
        path
        for page in pages
        for path in re.findall(r"`((?:src|core|tests|docs|examples)/[\w/.-]+)`", page.read_text(encoding="utf-8"))
        if "toy" not in path  # the search that CONTRIBUTING.md adds
    }
    assert named
    assert {path for path in named if not (ROOT / path).exists()} == set()


def test_every_public_name_is_in_the_reference():
    text = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    shown = {path.rpartition(".")[2] for path in re.findall(r"^::: (askew[\w.]*)$", text, re.M)}
    shown |= {name for names in re.findall(r"^      members: \[(.+)\]$", text, re.M) for name in names.split(", ")}
    packages = {"datasets", "prune", "refinement", "search"}
    assert set(askew.__all__) - shown - packages == set()
    strategies = {kind.__name__ for kinds in (SEARCHES, PRUNERS, REFINERS, SMOOTHINGS) for kind in kinds.values()}
    assert strategies - shown == set()


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r"[\w/.-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if not page.startswith("decisions/0")} - listed == set()


def test_the_methods_of_the_readme_are_there():
    rows = re.findall(r"^\|[^|]+\|([^|]+)\|[^|]+\|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert names
    assert names <= set(askew.__all__)
