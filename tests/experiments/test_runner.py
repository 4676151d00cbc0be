from dataclasses import replace

import pytest
from experiments import report, run, runner


@pytest.fixture
def mine(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [f"{i % 7},{i % 3 if i != 4 else ''},{'yes' if i % 7 > 3 else 'no'}" for i in range(40)]
    (folder / "mine.csv").write_text("\n".join(["a,b,class", *rows]) + "\n")
    return folder


def test_every_cell_is_run_or_says_why_not(experiment):
    stump, cart, stars, mine = run(experiment).cells
    assert stump.ours["leaves"].mean == 2.0
    assert cart.ours["accuracy"].mean > 90 > stump.ours["accuracy"].mean
    assert cart.ours["accuracy"].sd is not None
    assert (stars.ours, stars.remark) == ({}, "lost")
    assert (mine.ours, mine.remark) == ({}, "needs mine.csv: give --data")


def test_a_folder_brings_the_missing_data_and_incomplete_rows_are_left_out(experiment, mine, monkeypatch):
    seen = []
    trials = type(experiment.trials)
    real = trials.run
    monkeypatch.setattr(
        trials, "run", lambda self, cell, i, X, y: (seen.append((cell.data, len(X))), real(self, cell, i, X, y))[1]
    )
    results = run(experiment, data=mine)
    assert results.cells[3].ours
    assert results.from_folder
    assert not run(replace(experiment, cells=experiment.cells[:2]), data=mine).from_folder
    assert set(seen) == {("Iris", 150), ("Mine", 39)}


def test_another_column_can_be_the_target_and_the_class_is_left_out_then(experiment, mine, monkeypatch):
    seen = []
    monkeypatch.setattr(
        type(experiment.trials), "run", lambda self, cell, i, X, y: (seen.append((X, y)), {"leaves": 2.0})[1]
    )
    own = experiment.cells[3]
    last, first = replace(own, data="Mine, b", target=1), replace(own, data="Mine, a", target=0)
    run(replace(experiment, cells=(own, last, first, replace(last, data="Mine, cut", only_before=True))), data=mine)
    (X, y), (last_X, last_y), (first_X, first_y), (cut_X, _) = seen[::3]
    assert (X.shape, set(y)) == ((39, 2), {"yes", "no"})
    assert (last_X.tolist(), last_y.tolist()) == (X[:, :1].tolist(), X[:, 1].tolist())
    assert (first_X.tolist(), first_y.tolist()) == (X[:, 1:].tolist(), X[:, 0].tolist())
    assert cut_X.tolist() == last_X.tolist()


def test_a_file_with_text_for_numbers_is_named_and_the_other_cells_run(experiment, mine):
    (mine / "mine.csv").write_text("a,class\nten,yes\n")
    results = run(experiment, data=mine)
    assert results.cells[3].remark.startswith("mine.csv cannot be used: could not convert string to float")
    assert results.cells[0].ours


def test_a_protocol_may_make_its_data_itself(experiment, monkeypatch):
    seen = []
    monkeypatch.setattr(
        type(experiment.trials), "run", lambda self, cell, i, X, y: (seen.append(X.shape), {"leaves": 2.0})[1]
    )
    own = replace(experiment.cells[0], load=None)
    assert run(replace(experiment, cells=(own,))).cells[0].ours["leaves"].mean == 2.0
    assert seen == [(0, 0)] * 3


def test_an_estimator_that_is_not_there_is_named(experiment):
    absent = replace(experiment.cells[0], estimator="NoSuchClassifier")
    assert run(replace(experiment, cells=(absent,))).cells[0].remark == (
        "askew.NoSuchClassifier is not in this version"
    )


def page(results):
    """The page without its times, which no two runs share."""
    still = tuple(replace(cell, seconds=0.0) for cell in results.cells)
    return report.markdown(replace(results, cells=still)) + report.as_csv(replace(results, cells=still))


def test_the_page_is_the_same_for_any_number_of_jobs(experiment, tmp_path):
    alone = run(experiment, cache=tmp_path / "one")
    together = run(experiment, cache=tmp_path / "two", jobs=2)
    assert page(alone) == page(together)


@pytest.mark.parametrize("stop_after", [0, 1, 4])
def test_an_interrupted_run_goes_on_and_gives_the_same_page(experiment, tmp_path, monkeypatch, stop_after):
    whole = run(experiment, cache=tmp_path / "whole")
    trials = type(experiment.trials)
    real = trials.run
    calls = []

    def interrupted(self, cell, number, X, y):
        if len(calls) == stop_after:
            raise KeyboardInterrupt
        calls.append((cell.name, number))
        return real(self, cell, number, X, y)

    monkeypatch.setattr(trials, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(experiment, cache=tmp_path / "parts")
    done = list(calls)
    stop_after = -1
    resumed = run(experiment, cache=tmp_path / "parts")
    assert page(resumed) == page(whole)
    assert len(calls) == len(set(calls)) == 6
    assert calls[: len(done)] == done


def test_a_finished_run_is_not_run_again_and_its_files_stay_byte_for_byte(experiment, tmp_path, monkeypatch):
    first = report.write(run(experiment), tmp_path / "a")
    monkeypatch.setattr(runner, "_run", None)
    second = report.write(run(experiment), tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_fresh_runs_everything_again(experiment, monkeypatch):
    run(experiment)
    calls = []
    real = runner._run
    monkeypatch.setattr(runner, "_run", lambda *given: (calls.append(1), real(*given))[1])
    run(experiment, fresh=True)
    assert len(calls) == 6


def test_a_quick_run_has_fewer_repetitions_and_the_full_run_builds_on_them(experiment, monkeypatch):
    assert run(experiment, quick=True).quick
    calls = []
    real = runner._run
    monkeypatch.setattr(runner, "_run", lambda *given: (calls.append(1), real(*given))[1])
    run(experiment)
    assert len(calls) == 2


def test_progress_goes_to_standard_error(experiment, capsys):
    run(experiment, progress=True)
    shown = capsys.readouterr()
    assert "small" in shown.err
    assert shown.out == ""


def test_the_note_of_a_cell_is_its_remark(experiment):
    noted = replace(experiment, cells=(replace(experiment.cells[0], note="other data"),))
    assert run(noted).cells[0].remark == "other data"


def test_official_test_rows_come_after_the_training_rows(experiment, mine, monkeypatch):
    (mine / "more.csv").write_text("a,b,class\n100,1,yes\n")
    seen = []
    monkeypatch.setattr(
        type(experiment.trials), "run", lambda self, cell, i, X, y: (seen.append((X, y)), {"leaves": 2.0})[1]
    )
    own = replace(experiment.cells[3], complete=False, more="more")
    run(replace(experiment, cells=(own,)), data=mine)
    X, y = seen[0]
    assert (X.shape, X[-1].tolist(), y[-1]) == ((41, 2), [100.0, 1.0], "yes")
    (mine / "more.csv").unlink()
    (left_out,) = run(replace(experiment, cells=(own,)), data=mine).cells
    assert left_out.remark == "needs mine.csv and more.csv: give --data"


def test_finished_parts_alone_are_told_and_nothing_is_run(experiment, monkeypatch):
    run(replace(experiment, cells=experiment.cells[:1]))
    monkeypatch.setattr(type(experiment.trials), "run", lambda *_: pytest.fail("was run"))
    stump, cart, *_ = run(experiment, finished=True).cells
    assert stump.ours
    assert (cart.ours, cart.remark) == ({}, "0 of 3 parts are finished")


def test_a_data_set_may_have_a_protocol_of_its_own(experiment):
    quicker = experiment.trials.quick()
    changed = replace(experiment, other_trials={"Iris": quicker})
    assert changed.trials_of(experiment.cells[0]) == quicker
    assert changed.trials_of(experiment.cells[3]) == experiment.trials


def test_a_package_that_is_not_installed_is_named(experiment, monkeypatch):
    monkeypatch.setattr("experiments.baselines.find_spec", lambda package: None)
    absent = replace(experiment.cells[0], estimator="STree")
    assert run(replace(experiment, cells=(absent,))).cells[0].remark == "stree is not installed: pip install stree"
