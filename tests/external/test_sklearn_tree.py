"""scikit-learn's tests of trees, run against CART and trees of planes."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from external.adopted import Adopted, adopt

import askew
from askew.tree import Tree


class TreeOfScikitLearn(Tree):
    """A tree whose arrays can be asked for by the names of scikit-learn."""

    @property
    def children_left(self):
        return np.where(self.is_leaf, -1, self.first_child)

    @property
    def children_right(self):
        return np.where(self.is_leaf, -1, self.first_child + 1)

    @property
    def max_depth(self):
        return self.depth

    @property
    def n_node_samples(self):
        return self.n_samples

    @property
    def weighted_n_node_samples(self):
        return self.mass


class Fitted:
    """Gives a tree those names."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.tree_ = TreeOfScikitLearn(**{one.name: getattr(self.tree_, one.name) for one in fields(Tree)})
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionTreeClassifier(Fitted, askew.CARTClassifier):
    """In the place of a decision tree; features are drawn by the search."""

    max_features: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionTreeRegressor(Fitted, askew.CARTRegressor):
    """In the place of a decision tree; features are drawn by the search."""

    max_features: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreeClassifier(Fitted, askew.OC1Classifier):
    """In the place of a tree that is drawn by lot: its planes are."""


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreeRegressor(Fitted, askew.OC1Regressor):
    """In the place of a tree that is drawn by lot: its planes are."""


ADOPTED = Adopted(
    "sklearn.tree.tests.test_tree",
    {
        "sklearn.tree.DecisionTreeClassifier": DecisionTreeClassifier,
        "sklearn.tree.DecisionTreeRegressor": DecisionTreeRegressor,
        "sklearn.tree.ExtraTreeClassifier": ExtraTreeClassifier,
        "sklearn.tree.ExtraTreeRegressor": ExtraTreeRegressor,
    },
    {},
)

globals().update(adopt(ADOPTED))
