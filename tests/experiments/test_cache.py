from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from experiments import cache
from experiments.cache import Cache, code_version, data_digest, default_folder, part_key

import askew

X, Y = np.arange(6.0).reshape(3, 2), np.array(["a", "b", "a"])


def test_what_is_written_is_read(tmp_path):
    kept = Cache(tmp_path)
    kept.write("table", "key", "a part", {"accuracy": 1 / 3})
    assert kept.read("table", "key") == {"accuracy": 1 / 3}
    assert kept.read("table", "other") is None
    assert [path.name for path in (tmp_path / "table").iterdir()] == ["key.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"figures": 3}', '{"figures": {"a": null}}', "\x00"])
def test_a_file_that_cannot_be_read_counts_as_not_finished(tmp_path, text):
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "key.json").write_text(text)
    assert Cache(tmp_path).read("table", "key") is None


def test_the_key_depends_on_all_that_the_figures_depend_on(experiment, monkeypatch):
    cell = experiment.cells[0]

    def key(experiment=experiment, cell=cell, number=0, X=X, y=Y):
        return part_key(experiment, cell, number, data_digest(X, y))

    keys = [
        key(),
        key(number=1),
        key(X=X + 1),
        key(y=np.array(["a", "b", "b"])),
        key(cell=replace(cell, parameters={"max_depth": 2})),
        key(cell=replace(cell, estimator="OC1Classifier")),
        key(cell=replace(cell, variants=({"r": 1},))),
        key(cell=replace(cell, seed=1)),
        key(cell=replace(cell, reverse=True)),
        key(experiment=replace(experiment, trials=replace(experiment.trials, folds=10))),
        key(experiment=replace(experiment, name="other")),
    ]
    monkeypatch.setattr(cache, "code_version", lambda: "another")
    assert len({*keys, key()}) == len(keys) + 1


def test_the_key_does_not_depend_on_the_number_of_repetitions_or_the_printed_figures(experiment):
    cell = experiment.cells[0]
    fewer = replace(experiment, trials=experiment.trials.quick(), title="other")
    data = data_digest(X, Y)
    assert part_key(experiment, cell, 1, data) == part_key(fewer, replace(cell, paper={}), 1, data)


def test_the_version_follows_the_code_that_learns(monkeypatch, tmp_path):
    for name in ("grow.py", "cli/app.py", "search/oc1.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")
    monkeypatch.setattr(askew, "__file__", str(tmp_path / "__init__.py"))

    def version():
        return code_version.__wrapped__()

    first = version()
    (tmp_path / "cli/app.py").write_text("2")
    assert version() == first
    (tmp_path / "search/oc1.py").write_text("2")
    assert version() != first
    assert version().startswith(f"{askew.__version__}+")


def test_the_folder_is_the_users_unless_another_is_named(monkeypatch, tmp_path):
    assert default_folder() == tmp_path / "cache"
    monkeypatch.delenv("ASKEW_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_folder() == Path("/somewhere/askew")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_folder() == Path.home() / ".cache" / "askew"


def test_figures_of_other_packages_do_not_depend_on_askews_code(experiment, monkeypatch):
    cell = replace(experiment.cells[0], estimator="HGB")
    before = part_key(experiment, cell, 0, "data")
    monkeypatch.setattr(cache, "code_version", lambda: "another")
    assert part_key(experiment, cell, 0, "data") == before
    monkeypatch.setattr(cache, "version", lambda package: "another")
    assert part_key(experiment, cell, 0, "data") != before
