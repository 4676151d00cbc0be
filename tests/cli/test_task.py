import pytest

import askew as package
from askew.cli.task import make_estimator, parse_settings
from askew.tables.errors import UserError


def test_settings_are_python_literals_or_else_text():
    assert parse_settings(["max_depth=3", "criterion=entropy", "min_samples_leaf=0.1", "pruning=None"]) == {
        "max_depth": 3,
        "criterion": "entropy",
        "min_samples_leaf": 0.1,
        "pruning": None,
    }


def test_a_setting_without_a_value_is_refused():
    with pytest.raises(UserError, match="name=value"):
        parse_settings(["max_depth"])


def test_an_unknown_setting_comes_with_the_nearest_names():
    kinds = (package.CARTClassifier, None)
    with pytest.raises(UserError, match="'max_dept'; did you mean 'max_depth'"):
        make_estimator("cart", kinds, True, {"max_dept": 3})


def test_a_setting_of_the_pruner_changes_the_default_pruning():
    settings = parse_settings(["pruning.cv=3"])
    assert settings == {"pruning__cv": 3}
    usual = {"random_state": 7, "n_rows": 100}
    kinds = (package.CARTClassifier, None)
    assert make_estimator("cart", kinds, True, {}, **usual).pruning == package.prune.CostComplexity(cv=5)
    tree = make_estimator("cart", kinds, True, settings, **usual)
    assert (tree.pruning, tree.random_state) == (package.prune.CostComplexity(cv=3), 7)
    with pytest.raises(package.InvalidParameterError, match="Invalid parameter 'fold' for CostComplexity"):
        make_estimator("cart", kinds, True, {"pruning__fold": 3}, **usual)
    with pytest.raises(UserError, match="'prune'; did you mean 'pruning'"):
        make_estimator("cart", kinds, True, {"prune__folds": 3}, **usual)


def test_a_method_without_a_regressor_says_so():
    with pytest.raises(UserError, match="supports classification only"):
        make_estimator("cart", (package.CARTClassifier, None), False, {})


@pytest.mark.parametrize("text", ["(" * 5000, "[" * 100_000, "1" * 5000])
def test_a_setting_that_python_cannot_parse_is_text(text):
    assert parse_settings([f"max_depth={text}"]) == {"max_depth": text}


def test_a_config_with_a_number_of_too_many_digits_is_one_line(fault, iris_csv, tmp_path):
    (tmp_path / "c.toml").write_text(f"seed = 1{'0' * 5000}\n")
    line = fault("train", iris_csv, "-t", "species", "--config", tmp_path / "c.toml", "-o", tmp_path / "m.askew")
    assert f"{tmp_path / 'c.toml'}: Exceeds the limit" in line
