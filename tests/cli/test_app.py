import os
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
        ("askew reproduce apdt", ["apdt", "apdt-pruning"]),
        ("askew datasets wi", ["wine"]),
    ],
)
def test_the_shell_completes_commands_and_names(words, completed):
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_ASKEW_COMPLETE": "complete_bash"}
    line = [sys.executable, "-m", "askew"]
    end = subprocess.run(
        line, capture_output=True, text=True, check=False, timeout=120, env={**os.environ, **asked, "ASKEW_DATA": ""}
    )
    assert end.stdout.split() == completed
