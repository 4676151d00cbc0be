import pytest

from askew import __version__


def test_version_prints_the_version(askew):
    assert askew("--version") == f"askew {__version__}\n"


@pytest.mark.parametrize("name", ["train", "show", "predict"])
def test_the_help_of_each_command_shows_an_example(askew, name):
    assert f"Example: askew {name} " in askew(name, "--help")
