import numpy as np
import pytest
from experiments import baselines
from experiments.baselines import NotInstalledError, estimator_named
from experiments.rivals import TunedTree
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

X, Y = load_iris(return_X_y=True)


def test_pruning_is_tuned_on_the_training_rows_and_noise_is_cut_off():
    noisy = np.where(np.random.default_rng(0).random(Y.size) < 0.2, 2 - Y, Y)
    grown = DecisionTreeClassifier(random_state=0).fit(X, noisy)
    tuned = TunedTree(DecisionTreeClassifier(random_state=0)).fit(X, noisy)
    assert tuned.get_n_leaves() < grown.get_n_leaves() / 2
    assert (tuned.predict(X) == Y).mean() > (grown.predict(X) == Y).mean()
    assert tuned.predict_proba(X).shape == (Y.size, 3)


def test_a_tree_of_numbers_is_tuned_too():
    values, y = load_diabetes(return_X_y=True)
    tuned = TunedTree(DecisionTreeRegressor(random_state=0)).fit(values, y)
    assert 1 < tuned.get_n_leaves() < 50


@pytest.mark.parametrize("name", sorted(baselines.OPTIONAL))
def test_a_rival_is_run_if_it_is_installed(name):
    try:
        made = estimator_named(name)
    except NotInstalledError as error:
        pytest.skip(str(error))
    model = made(random_state=0).fit(X, Y)
    if hasattr(model, "get_n_leaves"):
        assert model.get_n_leaves() > 2
    assert np.abs(model.predict(X) - Y).mean() < 0.1
    if "numbers" not in name:
        assert model.predict_proba(X).shape == (Y.size, 3)


@pytest.mark.parametrize("name", sorted(baselines.OPTIONAL))
def test_a_rival_that_is_not_installed_says_how_to_get_it(name, monkeypatch):
    monkeypatch.setattr(baselines, "find_spec", lambda package: None)
    package = baselines.OPTIONAL[name]
    with pytest.raises(NotInstalledError, match=f"{package} is not installed: pip install {package}"):
        estimator_named(name)


def test_a_rival_that_was_compiled_for_other_packages_says_so(monkeypatch):
    def broken(package):
        raise ValueError("numpy.dtype size changed,\nmay indicate binary incompatibility")

    monkeypatch.setattr(baselines, "find_spec", lambda package: object())
    monkeypatch.setattr(baselines, "import_module", broken)
    with pytest.raises(NotInstalledError, match=r"treeple cannot be imported: numpy\.dtype size changed, may"):
        estimator_named("treeple")


@pytest.mark.parametrize("name", ["1-NN", "BP", "logistic", "ridge", "tuned tree", "tuned tree, numbers"])
def test_a_baseline_that_is_made_here_learns(name):
    numbers = "numbers" in name or name == "ridge"
    model = estimator_named(name)(random_state=0).fit(X[::3], Y[::3].astype(float) if numbers else Y[::3])
    assert np.abs(model.predict(X) - Y).mean() < 0.3
