"""Every estimator once, on few rows and with threads: what runs all kernels under the sanitizers in little time."""

from __future__ import annotations

import numpy as np
import pytest
from threads import threads_on_small_data

import askew

ESTIMATORS = sorted(name for name in askew.__all__ if name.endswith(("Classifier", "Regressor")))
FEW = {
    "n_estimators": 3,
    "max_iter": 3,
    "max_depth": 2,
    "n_restarts": 2,
    "effort": "low",
    "n_jobs": 3,
    "random_state": 0,
}
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
SUM = X @ [1.0, -2.0, 0.5]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_beats_a_constant_on_the_data_it_was_fitted_to(name: str) -> None:
    kind = getattr(askew, name)
    model = kind(**{key: value for key, value in FEW.items() if key in kind().get_params()})
    with threads_on_small_data():
        y = np.digitize(SUM, [-0.5, 0.5]) if name.endswith("Classifier") else SUM
        model.fit(X, y)
        assert model.score(X, y) > (np.bincount(y).max() / len(y) if name.endswith("Classifier") else 0)
