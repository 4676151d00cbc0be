from pathlib import Path

import pytest

from askew.cli.faults import Fault
from askew.cli.writing import check_output


def test_an_output_in_no_folder_is_refused_before_any_work(tmp_path):
    with pytest.raises(Fault, match="there is no folder"):
        check_output(tmp_path / "no" / "m.askew", False, Path("data.csv"))


def test_the_input_is_never_written_over(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a\n")
    with pytest.raises(Fault, match="is also the input"):
        check_output(path, True, path)
