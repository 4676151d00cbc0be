import numpy as np

from askew.comparison.folds import FoldResult
from askew.comparison.ranking import summary


def test_methods_without_a_score_in_some_fold_are_not_ranked():
    folds = [FoldResult("a", i, score=0.9) for i in range(3)] + [
        FoldResult("b", 0, score=0.5),
        FoldResult("b", 1, error="slow"),
    ]
    frame = summary(folds, ["a", "b"], "accuracy")
    assert np.isnan(frame.loc["b", "rank"])


def test_methods_that_tie_everywhere_do_not_differ():
    frame = summary([FoldResult(m, i, score=0.5) for m in "abc" for i in range(4)], list("abc"), "accuracy")
    assert frame.attrs["friedman"] == 1
    assert (frame["p"].dropna() == 1).all()
