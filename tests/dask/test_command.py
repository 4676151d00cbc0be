"""``askew train --dask``."""

import logging

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import askew
from askew import CARTClassifier, CARTRegressor, ObliqueTreeClassifier
from askew.cli import main
from askew.cli.cluster import _is_class
from askew.cli.options import TaskKind


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return end.value.code, out, err


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Iris in three Parquet files, with the names of the species."""
    folder = tmp_path_factory.mktemp("parts")
    iris = load_iris(as_frame=True)
    frame = iris.data.assign(species=iris.target_names[iris.target])
    for i in range(3):
        frame.iloc[i::3].to_parquet(folder / f"part-{i}.parquet", index=False)
    return folder, frame


def test_parquet_files_become_a_model_file(client, capsys, parts, tmp_path):
    folder, frame = parts
    model = tmp_path / "m.askew"
    address = client.scheduler_info()["address"]
    code, out, err = run(
        capsys, "train", folder / "part-*.parquet", "-t", "species", "-m", "cart", "-o", model, "--dask", address
    )
    assert code == 0
    assert "dashboard at http" in err
    assert "DaskCARTClassifier: level 1, 1 nodes" in err
    assert "training accuracy  1.0" in out
    tree = askew.load(model)
    assert type(tree) is CARTClassifier
    assert tree.tree_ == CARTClassifier(random_state=0).fit(frame.drop(columns="species"), frame["species"]).tree_


def test_csv_files_with_numbers_are_regression(client, capsys, tmp_path):
    data = load_diabetes(as_frame=True).frame
    data[:200].to_csv(tmp_path / "a-1.csv", index=False)
    data[200:].to_csv(tmp_path / "a-2.csv", index=False)
    model, address = tmp_path / "m.askew", client.scheduler_info()["address"]
    code, out, _ = run(
        capsys, "train", tmp_path / "a-*.csv", "-t", "target", "-m", "cart", "-o", model, "--dask", address,
        "--set", "max_depth=3", "--drop", "s6", "--json",
    )  # fmt: skip
    assert code == 0
    assert '"training_R2": 0.5' in out
    given = data.drop(columns=["target", "s6"]), data["target"]
    assert askew.load(model).tree_ == CARTRegressor(max_depth=3, random_state=0).fit(*given).tree_


@pytest.mark.parametrize(("values", "is_class"), [(30, True), (31, False)])
def test_values_of_the_target_are_counted_without_a_shuffle_which_dask_would_tell_of(client, values, is_class):
    told = []
    handler = logging.Handler()
    handler.emit = told.append
    logger = logging.getLogger("distributed.shuffle._scheduler_plugin")
    logger.addHandler(handler)
    try:
        y = dd.from_pandas(pd.Series(np.arange(100) % values), npartitions=3)
        assert _is_class(y, TaskKind.AUTO) == is_class
    finally:
        logger.removeHandler(handler)
    assert told == []


def test_workers_are_started_for_one_command(capsys, parts, tmp_path):
    folder, frame = parts
    model = tmp_path / "m.askew"
    code, out, err = run(
        capsys, "train", folder / "part-*.parquet", "--target", "species", "-m", "tree", "--set", "search=linear",
        "--set", "max_depth=2", "-o", model, "--dask", "local:2", "--json",
    )  # fmt: skip
    assert code == 0
    assert "2 workers; dashboard at http" in err
    assert '"files": 3' in out
    tree = askew.load(model)
    assert type(tree) is ObliqueTreeClassifier
    assert tree.score(frame.drop(columns="species"), frame["species"]) > 0.95


def test_text_is_read_as_the_options_say(client, capsys, tmp_path):
    rows = [f"{i % 7},{'5' if i % 3 else '-'};{i % 4};{'yes' if i % 4 == 2 else 'no'}" for i in range(60)]
    for part in range(2):
        lines = ["größe;kind;y", *rows[part::2]]
        (tmp_path / f"t-{part}.csv").write_text("\n".join(lines).replace(",-", ""), encoding="latin-1")
    model, address = tmp_path / "m.askew", client.scheduler_info()["address"]
    code, _, err = run(
        capsys, "train", tmp_path / "t-*.csv", "-t", "y", "-m", "cart", "-o", model, "--dask", address, "--quiet",
        "--delimiter", ";", "--decimal", ",", "--encoding", "latin-1", "--categorical", "kind", "--na-values", "0",
    )  # fmt: skip
    assert (code, err) == (0, "")
    tree = askew.load(model)
    assert tree.feature_names_in_.tolist() == ["größe", "kind"]
    assert tree.encoder_.categories[0] is None
    assert tree.encoder_.categories[1][:3] == ("1", "2", "3")
    assert tree.get_n_leaves() == 2


WRONG = {
    "no file": (["none-*.parquet", "-t", "species", "-m", "cart", "--dask", "local"], "No such file"),
    "a method that needs all rows": (["part-*.parquet", "-t", "species", "-m", "oc1", "--dask", "local"], "'ce_dt'"),
    "an estimate": (["part-*.parquet", "-t", "species", "-m", "cart", "--dask", "local", "--cv", "5"], "--cv cannot"),
    "dates": (["part-*.parquet", "-t", "species", "-m", "cart", "--dask", "local", "--dates", "a"], "--dates cannot"),
    "pruning": (["part-*.parquet", "-t", "species", "-m", "cart", "--dask", "local", "--own-pruning"], "not pruned"),
    "workers that are no number": (["part-*.parquet", "-t", "species", "-m", "cart", "--dask", "local:x"], "local:4"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_in_one_line(capsys, parts, tmp_path, arguments, message):
    code, out, err = run(capsys, "train", parts[0] / arguments[0], *arguments[1:], "-o", tmp_path / "m.askew")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_text_options_are_refused_for_parquet(client, capsys, parts, tmp_path):
    address = client.scheduler_info()["address"]
    code, _, err = run(
        capsys, "train", parts[0] / "part-*.parquet", "-t", "species", "-m", "cart", "-o", tmp_path / "m.askew",
        "--dask", address, "--quiet", "--decimal", ",",
    )  # fmt: skip
    assert code == 2
    assert "--decimal is about text" in err


def test_a_column_that_is_not_there_comes_with_the_nearest(client, capsys, parts, tmp_path):
    address = client.scheduler_info()["address"]
    code, _, err = run(
        capsys, "train", parts[0] / "part-*.parquet", "-t", "specie", "-m", "cart", "-o", tmp_path / "m.askew",
        "--dask", address, "--quiet",
    )  # fmt: skip
    assert code == 2
    assert "did you mean 'species'?" in err
