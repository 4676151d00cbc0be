"""A few of the random tables of `make trust`, and the checks on them."""

import numpy as np
import pytest
from trust.budget import at_most
from trust.tables import answers, check

import askew


@pytest.mark.parametrize("cls", [askew.CARTClassifier, askew.OC1Regressor, askew.ObliqueBoostingClassifier])
def test_random_tables_are_fitted_or_refused_as_documented(cls):
    assert "fitted" in {check(cls, seed) for seed in range(3)}


def test_a_prediction_that_is_not_finite_is_found():
    class Broken:
        def predict(self, X):
            return np.full(len(X), np.nan)

    with pytest.raises(AssertionError, match="not finite"):
        answers(Broken(), np.zeros((2, 1)))


def test_what_has_no_end_is_found():
    def endless():
        while True:
            pass

    with pytest.raises(TimeoutError, match="no end after 1 seconds"), at_most(1):
        endless()
