"""Faults 31 to 38 for every command that can meet them, in this process; some are tried in one of their own, too."""

import os
import sys

import pytest

from askew.cli import main
from askew.cli.app import EXAMPLES
from askew.estimators.registry import METHODS

ROWS = "".join(f"{i},{i * 5 % 7},{'no' if i < 6 else 'yes'}\n" for i in range(12))
# What each command is told. MODEL and DATA stand for files; those whose names begin with "new" do not exist yet.
LINES = {
    "train": "train DATA -t y -m cart --cv 0 -o new.askew",
    "compare": "compare DATA -t y --methods cart --cv 2 -o new.md",
    "predict": "predict MODEL DATA -o new.csv",
    "evaluate": "evaluate MODEL DATA -t y",
    "explain": "explain MODEL DATA --row 1",
    "counterfactual": "counterfactual MODEL DATA",
    "report": "report MODEL DATA -o new.html",
    "show": "show MODEL",
    "export": "export MODEL -o new.txt",
    "datasets": "datasets iris -o new.csv",
}


def commands(*, having="", lacking="?"):
    """Mark a test to run for every command that is told of something."""
    names = [name for name, line in LINES.items() if having in line and lacking not in line]
    return pytest.mark.parametrize("name", names)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table and a model of it, in a folder of their own."""
    folder = tmp_path_factory.mktemp("small")
    data, model = folder / "data.csv", folder / "model.askew"
    data.write_text("a,b,y\n" + ROWS)
    with pytest.raises(SystemExit) as end:
        main(["train", str(data), "-t", "y", "-m", "cart", "--own-pruning", "--cv", "0", "-q", "-o", str(model)])
    assert end.value.code == 0
    return {"DATA": data, "MODEL": model}


@pytest.fixture
def words(files, tmp_path, monkeypatch):
    """The words of a command, with other files and other words if they are given."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASKEW_DATA", raising=False)

    def make(name, **instead):
        return [str(instead.get(word, files.get(word, word))) for word in LINES[name].split()]

    return make


def test_every_command_is_here():
    others = ["reproduce"]  # says where the experiments are
    assert sorted([*LINES, *others]) == sorted(command.__name__ for command in EXAMPLES)


def test_reproduce_says_where_the_experiments_are(fault):
    assert "run make reproduce NAME=ce-dt" in fault("reproduce", "ce-dt")


@pytest.mark.parametrize(("file", "reason"), [("none.csv", "No such file"), ("folder", "Is a directory")])
@pytest.mark.parametrize("given", ["DATA", "MODEL"])
@commands(having=" ", lacking="datasets")
def test_31_a_file_that_cannot_be_read_is_named_with_the_reason(name, given, file, reason, words, fault, tmp_path):
    if given not in LINES[name]:
        return
    (tmp_path / "folder").mkdir()
    line = fault(*words(name, **{given: tmp_path / file}))
    assert str(tmp_path / file) in line
    assert reason in line


@commands(having="DATA")
@pytest.mark.parametrize("text", ["", "a,b,y\n\n"], ids=["empty file", "header only"])
def test_32_a_table_without_rows_says_no_data_rows(name, text, words, fault, tmp_path):
    (tmp_path / "bad.csv").write_text(text)
    assert "no data rows" in fault(*words(name, DATA=tmp_path / "bad.csv"))


BAD_TABLES = {
    "ragged row": ("a,b,y\n1,2,no\n3,4\n", [], ["line 3", "column 'y'", "'4'", "--delimiter"]),
    "text among numbers": ("a,b,y\n1,2,no\n2,3,no\n3,red,yes\n", [], ["line 4", "column 'b'", "'red'"]),
    "wrong delimiter": ("a,b,y\n1,2,no\n", ["--delimiter", ";"], ["'a,b,y'", "';'", "--delimiter"]),
}


@commands(having="DATA")
@pytest.mark.parametrize(("text", "options", "said"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_33_a_bad_table_is_refused_with_line_column_value_and_hint(name, text, options, said, words, fault, tmp_path):
    (tmp_path / "bad.csv").write_text(text)
    line = fault(*words(name, DATA=tmp_path / "bad.csv"), *options)
    assert [part for part in said if part not in line] == []


@pytest.mark.parametrize("name", ["train", "compare", "evaluate", "report"])
def test_34_a_missing_target_column_comes_with_the_nearest_names(name, words, fault, files, tmp_path):
    (tmp_path / "other.csv").write_text("a,b,answer\n" + ROWS)
    given = [word for word in words(name, DATA=tmp_path / "other.csv") if word not in ("-t", "y")]
    line = fault(*given, "--target", "anser")
    assert "'anser'" in line
    assert "did you mean 'answer'?" in line


@pytest.mark.parametrize("name", ["evaluate", "report"])
def test_35_a_class_that_training_never_saw_is_a_warning_and_an_error(name, words, told, tmp_path):
    (tmp_path / "new.csv").write_text("a,b,y\n" + ROWS.replace("no", "maybe"))
    lines = told(*words(name, DATA=tmp_path / "new.csv"))
    assert len(lines) == 1
    assert "warning: 6 of 12 rows have a class that is not in the training data (maybe)" in lines[0]
    assert "counts as an error" in lines[0]


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("train DATA -t y -m forrest -o new.askew", list(METHODS)),
        ("compare DATA -t y --methods cart,forrest", list(METHODS)),
        ("datasets irys", ["iris", "wine"]),
        ("counterfactual MODEL DATA --to perhaps", ["no", "yes"]),
        ("export MODEL --format xml", ["text", "json"]),
    ],
    ids=lambda given: given.split()[0] if isinstance(given, str) else "",
)
def test_36_an_unknown_name_comes_with_the_list(line, known, files, fault, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    said = fault(*[str(files.get(word, word)) for word in line.split()])
    assert [name for name in known if name not in said] == []


@commands(having=" -o ")
def test_37_an_output_that_exists_is_left_alone_without_force(name, words, fault, tmp_path):
    given = words(name)
    (tmp_path / given[-1]).write_text("precious")
    assert "--force" in fault(*given)


@commands()
def test_38_a_closed_pipe_is_a_quiet_end(name, words, capsys, monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    given = words(name)
    if name in ("predict", "export"):
        given = given[:-2]  # to standard output
    with open(writer, "w", encoding="utf-8") as closed, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", closed)
        with pytest.raises(SystemExit) as end:
            main(given)
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), writer)  # which is written to once more as it is closed
    assert end.value.code == (0 if name == "report" else 1)  # which has nothing to say
    assert capsys.readouterr().err == ""
    if "new" in given[-1]:
        assert os.path.getsize(given[-1]) > 0
