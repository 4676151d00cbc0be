"""What was fitted: the parts of a model, and how they combine to what `predict` returns."""

import numpy as np
import pytest
from shipped import shipped

from askew.model.fitted import Combination, FittedModel
from askew.model.packed import PackedTrees

COMBINED = {
    "tree": (Combination.SINGLE, 1),
    "one-vs-rest": (Combination.ONE_VS_REST, 3),
    "forest": (Combination.MEAN, 2),
    "a vote": (Combination.VOTE, 4),
    "a vote of one-vs-rest": (Combination.VOTE, None),
}


@pytest.mark.parametrize("name", COMBINED)
def test_every_estimator_says_how_its_parts_combine(name):
    model = shipped()[name][0].fitted_model()
    combination, n_parts = COMBINED[name]
    assert model.combination is combination
    assert n_parts is None or len(model.parts) == n_parts


def test_the_parts_of_a_vote_are_those_of_its_members_one_after_the_other():
    model = shipped()["a vote of one-vs-rest"][0].fitted_model()
    assert len(model.parts) == 3 * len(model.members)
    assert model.parts[3] is model.members[1].parts[0]
    assert model.class_mass == pytest.approx(np.sum([one.class_mass for one in model.members], axis=0))


@pytest.mark.parametrize("name", ["forest of numbers", "poisson", "a vote"])
def test_the_entries_of_the_parts_add_up_to_what_is_predicted(name):
    estimator, rows = shipped()[name]
    model = estimator.fitted_model()
    assert model.packs
    sums = PackedTrees.of(model.parts).sums(model.entries(), estimator.encoded(rows))
    predicted = {
        Combination.MEAN: lambda: sums[:, 0] / len(model.parts),
        Combination.SUM: lambda: np.exp(sums[:, 0] + model.baseline[0]),
        Combination.VOTE: lambda: sums / len(model.members),
    }[model.combination]()
    expected = estimator.predict_proba(rows) if model.classes is not None else estimator.predict(rows)
    np.testing.assert_allclose(predicted, expected)


def test_a_tree_without_its_estimator_has_numbered_classes_and_columns():
    tree = shipped()["tree"][0].tree_
    model = FittedModel.of_bare(tree)
    assert model.tree is tree
    assert model.classes.tolist() == [f"class {k}" for k in range(tree.n_outputs)]
    assert model.schema.feature_names is None


def test_what_is_no_single_tree_says_so():
    for name, said in (("forest", "not many"), ("one-vs-rest", "not one for each class")):
        model = shipped()[name][0].fitted_model()
        assert model.single_tree is None
        with pytest.raises(ValueError, match=said):
            _ = model.tree


def test_models_of_leaves_cannot_be_packed():
    assert not shipped()["a vote of models"][0].fitted_model().packs
