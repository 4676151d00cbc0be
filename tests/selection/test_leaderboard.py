import numpy as np

from askew.data.table import Table
from askew.selection.candidates import CANDIDATES, Setting
from askew.selection.leaderboard import make_leaderboard
from askew.selection.one_se_rule import Entry, Results, RowLoss


def entry(size, loss, leaves, penalty=None):
    return Entry(Setting(CANDIDATES["axis"], size, penalty), np.array(loss), leaves, leaves - 1, 0.1)


def test_equal_trees_are_shown_once_and_the_chosen_one_is_among_them():
    y = np.array([0, 1, 0, 1])
    table = Table(np.arange(4.0)[:, None], y, np.ones(4), np.ones(4), 2, ("a",))
    same = [1.0, 0.0, 0.0, 0.0]
    entries = [
        entry(2, same, 2.0, 1.0),
        entry(3, same, 2.0, 5.0),
        entry(4, same, 2.0, 25.0),
        entry(4, same, 3.0),
        entry(5, [0.0, 1.0, 0.0, 0.0], 2.0),
    ]
    results = Results(entries, table.weight, 4)
    found = make_leaderboard(results, entries[1], table, RowLoss(), finished=True, smoothing=None)
    assert [(r.recipe, r.leaves) for r in found.records] == [
        ("axis-parallel, refined (l2 = 5)", 2.0),
        ("axis-parallel", 2.0),
        ("axis-parallel", 3.0),
    ]
    assert [r.on_front for r in found.records] == [True, False, False]
    assert [r.chosen for r in found.records] == [True, False, False]


def test_losses_whose_squares_overflow_have_a_standard_error():
    small, large = (Results([], np.ones(3), 3).standard_error(np.array([1.0, 2.0, 4.0]) * s) for s in (1.0, 2.0**800))
    assert large == small * 2.0**800
