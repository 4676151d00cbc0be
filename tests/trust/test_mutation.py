"""The figures of mutation testing; the mutants themselves are run by `make trust`."""

import ast

from trust.mutants import Mutant, difference
from trust.mutation import Figures, justified, section

LESS, MORE, SAME = (Mutant("tree.py", "depth", change) for change in ("return a - b", "return a * b", "return b + a"))


def test_the_share_is_of_the_mutants_that_are_not_justified():
    outcomes = [(LESS, "killed"), (MORE, "timeout"), (SAME, "survived"), (Mutant("grow.py", "f", "pass"), "survived")]
    figures = Figures.of(outcomes, {str(SAME): "a sum is the same both ways"})
    assert (figures.mutants, figures.killed, figures.timeouts, figures.justified, figures.survivors) == (4, 1, 1, 1, 1)
    assert figures.share == 2 / 3


def test_a_justified_mutant_that_is_killed_counts_as_killed():
    assert Figures.of([(SAME, "killed")], {str(SAME): "why"}) == Figures(1, 1, 0, 0)


def test_survivors_and_justifications_of_no_mutant_are_shown():
    page = section([(LESS, "killed"), (MORE, "survived")], {str(SAME): "why"}, [LESS, MORE])
    assert [goal.met for goal in page.goals] == [False, False, False]
    assert page.text.endswith("Nobody has justified `tree.py depth: return a * b`.")
    page = section([(LESS, "killed"), (SAME, "survived")], {str(SAME): "why"}, [LESS, MORE, SAME])
    assert [goal.met for goal in page.goals] == [True, True, True]
    assert "2 of 3 mutants were run" in page.text
    assert page.rows[-1] == ("**all**", "2", "1", "0", "1", "0", "100.0%")


def test_a_change_is_told_with_what_stands_around_it():
    code = "def f(a=1):\n    total = a\n    return total + len(a)\n"
    original, less, default, gone = (
        ast.parse(text).body[0]
        for text in (code, code.replace("+", "-"), code.replace("1", "2"), code.replace("    total = a\n", ""))
    )
    assert difference(original, less) == "total = a return total [+ -> -] len(a)"
    assert difference(original, default) == "def f(a=[1 -> 2]): total = a return to"
    assert difference(original, gone).startswith("def f(a=1): [total = a")


def test_every_justification_gives_a_reason():
    assert all(len(why) > 20 for why in justified().values())
