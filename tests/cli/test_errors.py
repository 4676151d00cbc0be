import errno
import warnings

import pytest

from askew import ModelFileError
from askew.cli.errors import reported
from askew.tables.errors import UserError, unknown


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (UserError("a\nb"), "askew: a b\n"),
        (ModelFileError("m.askew: cut short"), "askew: m.askew: cut short\n"),
        (OSError(errno.ENOSPC, "No space left on device", "m.askew"), "askew: m.askew: No space left on device\n"),
        (MemoryError("1 TiB"), "askew: memory ran out: 1 TiB\n"),
    ],
    ids=["fault", "model file", "disk", "memory"],
)
def test_an_error_of_the_user_is_one_line_and_exit_code_2(capsys, error, line):
    with pytest.raises(SystemExit) as end, reported():
        raise error
    assert end.value.code == 2
    assert capsys.readouterr().err == line


def test_a_defect_of_askew_is_not_hidden():
    with pytest.raises(KeyError), reported():
        raise KeyError("defect")


def test_a_warning_is_one_line_without_the_place_in_the_code(capsys):
    with reported():
        warnings.simplefilter("always")
        warnings.warn("few rows\nfor a class", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "askew: warning: few rows for a class\n"


def test_a_name_in_the_wrong_case_is_near():
    assert str(unknown("column", "CLASS", ["class", "CLAMP"])) == "there is no column 'CLASS'; did you mean 'class'?"


def test_without_a_near_name_all_are_listed():
    assert str(unknown("method", "zzz", ["cart", "oc1"])) == "there is no method 'zzz'; there is 'cart', 'oc1'"
