"""The page of all results."""

from __future__ import annotations

from experiments import EXPERIMENTS, index
from experiments.catalogue import CATALOGUE, Item

HEAD = "experiment,data,method,measure,paper_mean,paper_sd,ours_mean,ours_sd,difference_sd,met,seconds,remark\n"


def _results(folder, name, *rows):
    (folder / f"{name}.csv").write_text(HEAD + "".join(f"{name},{row}\n" for row in rows))


def test_every_experiment_of_the_catalogue_is_named_once_in_each_paper():
    assert len({(item.paper, item.name) for item in CATALOGUE}) == len(CATALOGUE)


def test_an_item_without_an_experiment_says_why():
    assert all(item.remark for item in CATALOGUE if item.experiment is None)


def test_the_state_counts_the_figures_that_are_met(tmp_path):
    name = next(iter(EXPERIMENTS))
    item = Item("paper", "Table 1", "what", name, "a remark")
    assert index.state(item, EXPERIMENTS, tmp_path) == "not run yet; a remark"
    _results(tmp_path, name, "Iris,A,accuracy,90,1,91,1,1.0,yes,3,", "Iris,B,accuracy,90,1,80,1,-10.0,no,3,")
    assert index.state(item, EXPERIMENTS, tmp_path) == "run: 1 of 2 figures met; a remark"


def test_the_page_shows_paper_ours_difference_and_why_a_cell_was_not_run(tmp_path):
    name = next(iter(EXPERIMENTS))
    _results(tmp_path, name, "Iris,A,accuracy,90,1,91.5,0.5,1.5,yes,3,", "Stars,A,accuracy,90,1,,,,,,not to be had")
    page = index.page(EXPERIMENTS, tmp_path)
    assert "| Iris | A | accuracy | 90 ± 1 | 91.5 ± 0.5 | +1.5 sd | yes |" in page
    assert "| Stars | A | accuracy | 90 ± 1 |  |  | not run: not to be had |" in page
    _results(tmp_path, name, "Iris,A,accuracy,98,,97.33,,,no,3,")
    assert "| Iris | A | accuracy | 98 | 97.33 | -0.67 | no |" in index.page(EXPERIMENTS, tmp_path)


def test_a_file_that_is_no_result_is_passed_over(tmp_path):
    name = next(iter(EXPERIMENTS))
    (tmp_path / f"{name}.csv").write_text("hello\n")
    assert index.outcome(tmp_path, name) is None


def test_an_experiment_without_judged_figures_is_just_run(tmp_path):
    name = next(iter(EXPERIMENTS))
    _results(tmp_path, name, "n = 100,r = 2,operations,1030000,,1029600,,,,0.1,")
    assert index.state(Item("paper", "Table 1", "what", name), EXPERIMENTS, tmp_path) == "run"


def test_times_are_left_out_so_that_every_run_ends_with_the_same_page(tmp_path):
    rows = ("P2,OC1,N,16,,15,0,,,{}.5,", "P2,OC1,milliseconds,,,{},1,,,1,")
    pages = []
    for run in (1, 2):
        _results(tmp_path, "apdt-pruning", *(row.format(run) for row in rows))
        pages.append(index.page(EXPERIMENTS, tmp_path))
    assert pages[0] == pages[1]
    assert "| P2 | OC1 | N | 16 | 15 ± 0 |" in pages[0]


def test_experiments_beyond_the_papers_are_linked_not_listed(tmp_path):
    _results(tmp_path, "best-tree", "Iris,CART,accuracy,,,93.5,1,,,1,")
    page = index.page(EXPERIMENTS, tmp_path)
    assert "Beyond the papers: [Which tree? (`best-tree`)](best-tree.md)." in page
    assert "93.5" not in page
