import subprocess
import sys

import pytest

from askew import __version__


def test_version_prints_the_version(askew):
    assert askew("--version") == f"askew {__version__}\n"


@pytest.mark.parametrize("name", ["train", "show", "predict"])
def test_the_help_of_each_command_shows_an_example(askew, name):
    assert f"Example: askew {name} " in askew(name, "--help")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("askew tra", ["train"]),
        ("askew train --method cart_", ["cart_lc", "cart_elc"]),
        ("askew compare --methods oc1,hh", ["oc1,hhcart"]),
        ("askew datasets wi", ["wine"]),
    ],
)
def test_the_shell_completes_commands_and_names(ran, monkeypatch, words, completed):
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_ASKEW_COMPLETE": "complete_bash"}
    for name, value in {**asked, "ASKEW_DATA": ""}.items():
        monkeypatch.setenv(name, value)
    assert ran().out.split() == completed


WRONG = {
    "an option of the program": (["--foo"], "no such option: --foo"),
    "an option of a command": (["train", "t.csv", "--forse"], "--force"),
    "a command": (["trian"], "did you mean 'train'"),
    "a missing option": (["train", "t.csv"], "missing option '--target'"),
    "a value": (["train", "t.csv", "-t", "y", "-o", "m.askew", "--task", "guess"], "'guess' is not one of"),
}


@pytest.mark.parametrize(("words", "said"), WRONG.values(), ids=WRONG)
def test_an_error_of_the_options_is_one_line(fault, words, said):
    line = fault(*words)
    assert line.startswith("askew: ")
    assert said.lower() in line.lower()
    assert "--help" in line


LISTS_MODULES = """
import sys
from askew.cli import main
for line in sys.argv[1:]:
    try:
        main(line.split())
    except SystemExit:
        pass
    print(line, sorted({"sklearn", "pandas", "scipy"} & set(sys.modules)), file=sys.stderr)
"""


def test_help_and_errors_do_not_wait_for_scikit_learn(iris_csv):
    lines = [
        "--help",
        "train --help",
        "train --foo",
        "train none.csv -t y -o m.askew",
        "train iris.csv -t y -o m.askew -m forrest",
        "train iris.csv -t specie -o m.askew",
        "compare iris.csv -t specie",
    ]
    program = [sys.executable, "-c", LISTS_MODULES, *lines]
    end = subprocess.run(program, capture_output=True, text=True, check=False, timeout=120, cwd=iris_csv.parent)
    assert [line for line in end.stderr.splitlines() if line[-1] == "]"] == [f"{line} []" for line in lines]
