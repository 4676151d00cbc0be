from dataclasses import dataclass

import numpy as np
import pytest
from model_files import fitted, through_file
from sklearn.datasets import load_iris

import askew
from askew import CARTClassifier, ObliqueTreeClassifier
from askew.prune import PRUNERS, CostComplexity, GeneticAlgorithm
from askew.search import SEARCHES
from askew.search.axis import AxisParallel
from askew.store.json_values import pack_parameters, unpack_parameters

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": {0: 1.0, 1: 2.5, 2: 3}},
        {"class_weight": "balanced", "max_depth": None, "n_jobs": 2, "verbose": False},
        {"min_samples_leaf": 0.05, "impurity_threshold": 1e-300},
        {"search": AxisParallel(), "pruning": CostComplexity(fraction=0.3, tolerance=1.0)},
        {"pruning": CostComplexity(cv=3)},
        {"pruning": "cost_complexity", "criterion": "twoing", "random_state": 2**31},
    ],
)
def test_parameters_come_back(parameters, tmp_path):
    estimator = ObliqueTreeClassifier(**parameters).fit(X, Y)
    again = through_file(estimator, tmp_path)
    assert again.get_params() == estimator.get_params()
    assert list(map(type, again.get_params().values())) == list(map(type, estimator.get_params().values()))


@pytest.mark.parametrize("kind", [*SEARCHES.values(), *PRUNERS.values()])
def test_every_registered_search_and_pruner_can_be_stored(kind, tmp_path):
    place = "search" if kind in SEARCHES.values() else "pruning"
    estimator = ObliqueTreeClassifier().fit(X, Y).set_params(**{place: kind()})
    assert getattr(through_file(estimator, tmp_path), place) == kind()


def test_parameters_of_numpy_come_back_as_python_numbers(tmp_path):
    estimator = CARTClassifier(max_depth=np.int64(3), min_impurity_decrease=np.float64(0.01)).fit(X, Y)
    again = through_file(estimator, tmp_path)
    assert (again.max_depth, again.min_impurity_decrease) == (3, 0.01)
    assert type(again.max_depth) is int


def test_nested_parameters_come_back(tmp_path):
    value = [(1, "a"), {"inf": float("inf"), 2: [-float("inf"), None, True]}, {}, []]
    estimator = fitted(CARTClassifier)
    estimator.random_state = value
    assert through_file(estimator, tmp_path).random_state == value


@dataclass(frozen=True)
class MySearch(AxisParallel):
    """A user's own."""


def my_criterion(left, right):
    def gini(counts):
        n = counts.sum(axis=1)
        return n - (counts**2).sum(axis=1) / n

    return gini(left) + gini(right)


def test_what_is_the_users_own_is_left_out_with_a_warning(tmp_path):
    estimator = ObliqueTreeClassifier(
        search=MySearch(), criterion=my_criterion, random_state=np.random.RandomState(0), max_depth=3
    ).fit(X, Y)
    with pytest.warns(UserWarning, match="not stored.*: criterion, random_state, search"):
        askew.save(estimator, tmp_path / "m.askew")
    again = askew.load(tmp_path / "m.askew")
    assert (again.search, again.criterion, again.random_state, again.max_depth) == ("axis", "gini", None, 3)
    assert again.predict(X).tolist() == estimator.predict(X).tolist()


def test_a_parameter_that_holds_itself_is_left_out(tmp_path):
    estimator = fitted(CARTClassifier)
    estimator.random_state = []
    estimator.random_state.append(estimator.random_state)
    with pytest.warns(UserWarning, match="random_state"):
        assert through_file(estimator, tmp_path).random_state is None


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        ([], r"expected some of \['categorical_encoding', .*\], found \[\]"),
        ({"more": 1}, r"expected some of \[.*\], found {'more': 1}"),
        ({"max_depth": 0}, "The 'max_depth' parameter of CARTClassifier must be .* Got 0 instead."),
        *(
            ({"random_state": value}, f"expected a value, found {found}")
            for value, found in (
                ({"float": "1"}, "{'float': '1'}"),
                ({"float": "nan", "x": 1}, "{.*}"),
                ({"tuple": [], "x": 1}, "{.*}"),
                ({"tuple": 5}, "{'tuple': 5}"),
                ({"dict": [], "x": 1}, "{.*}"),
                ({"dict": [[1]]}, r"{'dict': \[\[1\]\]}"),
                ({"dict": ["ab"]}, r"{'dict': \['ab'\]}"),
                ({"object": ["CostComplexity", {}], "x": 1}, "{.*}"),
                ({"object": ["Popen", {}]}, "{.*}"),
                ({"object": ["CostComplexity", []]}, "{.*}"),
                ({"tree": ["CARTClassifier", {}], "x": 1}, "{.*}"),
                ({"tree": ["Popen", {}]}, "{.*}"),
                ({"tree": ["CARTClassifier", []]}, "{.*}"),
                ({}, "{}"),
            )
        ),
    ],
)
def test_parameters_that_are_none_are_refused(packed, message):
    with pytest.raises(ValueError, match=f"^parameters: {message}$"):
        unpack_parameters(CARTClassifier, packed)


VALUES = {
    "inf": (float("inf"), {"float": "inf"}),
    "-inf": (-float("inf"), {"float": "-inf"}),
    "tuple": ((1, (2,)), {"tuple": [1, {"tuple": [2]}]}),
    "dict": ({1: "a", (2,): None}, {"dict": [[1, "a"], [{"tuple": [2]}, None]]}),
    "list": ([1.5, True, None], [1.5, True, None]),
    "array": (np.array([1, 2]), [1, 2]),
    "number of NumPy": (np.float64(2.5), 2.5),
}


@pytest.mark.parametrize(("value", "expected"), VALUES.values(), ids=VALUES)
def test_values_are_written_as_json_and_read_again(value, expected):
    tree = CARTClassifier(random_state=0)
    tree.random_state = value
    packed, left_out = pack_parameters(tree)
    assert (packed["random_state"], left_out) == (expected, [])
    tree.random_state = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    assert unpack_parameters(CARTClassifier, {"random_state": expected}).random_state == tree.random_state


def test_a_number_that_is_none_comes_back():
    tree = CARTClassifier()
    tree.random_state = float("nan")
    packed, _ = pack_parameters(tree)
    assert packed["random_state"] == {"float": "nan"}
    assert np.isnan(unpack_parameters(CARTClassifier, {"random_state": {"float": "nan"}}).random_state)


def test_an_array_of_two_dimensions_is_no_parameter():
    tree = CARTClassifier()
    tree.random_state = np.zeros((2, 2))
    assert pack_parameters(tree)[1] == ["random_state"]


def test_a_tree_is_a_parameter_unless_something_in_it_cannot_be_stored():
    vote = askew.KDTClassifier(estimator=CARTClassifier(max_depth=2))
    packed, left_out = pack_parameters(vote)
    assert left_out == []
    assert packed["estimator"]["tree"][0] == "CARTClassifier"
    assert unpack_parameters(askew.KDTClassifier, packed).estimator.max_depth == 2
    vote.estimator.criterion = my_criterion
    assert pack_parameters(vote)[1] == ["estimator"]


def test_names_of_earlier_versions_are_understood():
    stored = {"refine": None, "pruning": {"object": ["CostComplexity", {"folds": 3, "standard_errors": 1.0}]}}
    assert unpack_parameters(CARTClassifier, stored).pruning == CostComplexity(cv=3, tolerance=1.0)
    rules = unpack_parameters(CARTClassifier, {"pruning": {"object": ["GAPruner", {"n_units": 2}]}})
    assert rules.pruning == GeneticAlgorithm(n_units=2)
    assert unpack_parameters(askew.ObliqueBoostingRegressor, {"l2": 3.0}).plane_l2 == 3.0
