import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from askew import ObliqueTreeClassifier
from askew.search.axis import AxisParallel
from askew.search.linear import LinearPlanes
from askew.search.oblique import FewTerms
from askew.search.oc1 import OC1

X, Y = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("search", [LinearPlanes(), OC1(n_restarts=2, n_jumps=1)])
@pytest.mark.parametrize("terms", [1, 2, 4])
def test_no_node_has_more_terms_and_those_that_it_has_are_of_use(search, terms):
    tree = ObliqueTreeClassifier(search=FewTerms(search, terms), max_depth=2, random_state=0).fit(X, Y)
    assert 1 <= np.diff(tree.tree_.feature_start).max() <= terms
    assert tree.score(X, Y) > 0.9


def test_a_search_that_keeps_to_the_limit_is_left_alone():
    few = ObliqueTreeClassifier(search=FewTerms(AxisParallel(), 1), max_depth=3).fit(X, Y).tree_
    own = ObliqueTreeClassifier(search=AxisParallel(), max_depth=3).fit(X, Y).tree_
    assert np.array_equal(few.feature, own.feature)
    assert np.array_equal(few.threshold, own.threshold)
