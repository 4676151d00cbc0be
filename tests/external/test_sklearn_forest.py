"""scikit-learn's tests of forests, run against those of this library."""

from external.adopted import adopt

ADOPTED = "sklearn.ensemble.tests.test_forest"

globals().update(adopt(ADOPTED))
