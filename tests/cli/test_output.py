import json
import os
import threading
from pathlib import Path

import pytest

from askew.cli.output import check_output
from askew.tables.errors import UserError


def test_a_pipe_is_written_to_and_not_replaced(askew, model, iris_csv, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    askew("predict", model, iris_csv, "-o", pipe)
    reader.join(timeout=60)
    assert read[0].count("\n") == 151
    assert pipe.is_fifo()


def test_a_model_goes_into_a_pipe_too(askew, iris_csv, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    askew("train", iris_csv, "-t", "species", "-m", "cart", "-o", pipe)
    reader.join(timeout=60)
    assert b"CARTClassifier" in read[0]
    assert pipe.is_fifo()


def test_a_dash_is_standard_output(askew, model, iris_csv, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert askew("predict", model, iris_csv, "-o", "-") == askew("predict", model, iris_csv)
    assert askew("export", model, "-o", "-") == askew("export", model)
    assert askew("datasets", "iris", "-o", "-").count("\n") == 151
    assert list(tmp_path.iterdir()) == []


def test_a_dash_is_refused_where_only_a_file_will_do():
    from pathlib import Path

    with pytest.raises(UserError, match="name a file"):
        check_output(Path("-"), False)


def test_json_goes_to_the_file_that_is_named(askew, model, iris_csv, tmp_path):
    assert askew("predict", model, iris_csv, "--json", "-o", tmp_path / "out.json") == ""
    assert len(json.loads((tmp_path / "out.json").read_text())) == 150


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "DATA", "--force"], "is also the input"),
        (["-o", "p.data"], "written as CSV or Parquet"),
        (["--column", ""], "needs a name"),
    ],
)
def test_predictions_go_where_they_can_be_read_again(fault, model, iris_csv, tmp_path, words, says):
    data = tmp_path / "data.csv"
    data.write_text(iris_csv.read_text())
    words = [str(data) if word == "DATA" else str(tmp_path / word) if word == "p.data" else word for word in words]
    assert says in fault("predict", model, data, *words)


def test_an_output_in_no_folder_is_refused_before_any_work(tmp_path):
    with pytest.raises(UserError, match="there is no folder"):
        check_output(tmp_path / "no" / "m.askew", False, Path("data.csv"))


def test_the_input_is_never_written_over(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a\n")
    with pytest.raises(UserError, match="is also the input"):
        check_output(path, True, path)
