import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
import reports
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import askew

ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "src" / "askew" / "reporting" / "assets"


def payload(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def test_the_figures_are_those_of_scikit_learn(written):
    model, (X, y) = reports.model("wine"), reports.rows("wine")
    figures = payload(written("wine"))["figures"]
    found = model.predict(X)
    assert figures["score"]["value"] == pytest.approx((found == y).mean())
    assert figures["facts"][0][1] == pytest.approx(balanced_accuracy_score(y, found))
    assert np.array_equal(figures["matrix"], confusion_matrix(y, found))
    shares = model.predict_proba(X)
    for code, label in enumerate(model.classes_):
        curves = figures["curves"][code]
        assert curves["roc"]["area"] == pytest.approx(roc_auc_score(y == label, shares[:, code]))
        assert sum(n for *_, n in curves["calibration"]) == len(y)


def test_the_figures_of_numbers_are_those_of_scikit_learn(written):
    model, (X, y) = reports.model("diabetes"), reports.rows("diabetes")
    figures = payload(written("diabetes"))["figures"]
    assert figures["score"]["value"] == pytest.approx(r2_score(y, model.predict(X)))
    assert figures["facts"][0][1] == pytest.approx(np.abs(y - model.predict(X)).mean())
    assert sum(figures["residuals"]["counts"]) == y.size


@pytest.mark.parametrize("name", ["wine", "diabetes", "one-hot", "parts"])
def test_every_node_counts_its_rows(written, name):
    model, (X, _) = reports.model(name), reports.rows(name)
    told = payload(written(name))["nodes"]
    passed = np.asarray(model.decision_path(X).sum(axis=0)).ravel()
    assert [node["rows"] for node in told] == passed.tolist()


@pytest.mark.parametrize("name", ["breast", "diabetes"])
def test_the_subtrees_have_the_scores_of_trees_that_are_pruned_so(written, name):
    model, (X, y) = reports.model(name), reports.rows(name)
    for step in payload(written(name))["path"]["steps"]:
        pruned = model.pruned(askew.prune.CostComplexity(ccp_alpha=step["alpha"]), X, y)
        if pruned.get_n_leaves() == step["leaves"]:  # not the whole tree, if its weakest links have no strength
            assert step["score"] == pytest.approx(pruned.score(X, y))
    assert step["leaves"] == 1


def test_a_page_holds_few_rows_of_many_and_some_of_each_leaf(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 12))
    y = (X[:, 0] + X[:, 1] > 1).astype(int) + (X[:, 2] > 2)
    model = askew.CARTClassifier(max_leaf_nodes=20, pruning=None).fit(X, y)
    path = askew.report(model, X, y, tmp_path / "r.html")
    rows = payload(path)["rows"]
    assert len(rows["number"]) == 1000
    assert set(rows["leaf"]) == set(model.apply(X))
    assert path.stat().st_size < 2_000_000


def test_a_class_that_training_never_saw_is_an_error_and_has_a_line_of_its_own(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = askew.CARTClassifier().fit(X[y < 2], y[y < 2])
    told = payload(askew.report(model, X, y, tmp_path / "r.html"))
    assert told["figures"]["score"]["value"] == pytest.approx((model.predict(X) == y).mean())
    assert sum(told["figures"]["matrix"][2]) == (y == 2).sum()


MANY = {
    "a forest": lambda: askew.ObliqueForestClassifier(n_estimators=3, random_state=0),
    "boosting": lambda: askew.ObliqueBoostingClassifier(max_iter=3, random_state=0),
    "a vote": lambda: askew.KDTClassifier(n_estimators=3, random_state=0),
    "a rule network": lambda: askew.OC1Classifier(pruning=askew.prune.GeneticAlgorithm(n_units=2), random_state=0),
    "a tree for each class": lambda: askew.APDTClassifier(multiclass="one_vs_rest", random_state=0),
}


@pytest.mark.parametrize("make", MANY.values(), ids=MANY)
def test_what_is_no_single_tree_has_a_page_without_one(tmp_path, make):
    X, y = load_wine(return_X_y=True)
    told = payload(askew.report(make().fit(X, y), X, y, tmp_path / "r.html"))
    assert "model" not in told
    assert "single tree" in told["instead"]
    assert told["figures"]["score"]["value"] > 0.5


def test_a_pipeline_is_reported_with_the_names_of_its_columns(tmp_path):
    X, y = reports.rows("wine")
    pipeline = make_pipeline(StandardScaler(), askew.CARTClassifier()).fit(X, y)
    told = payload(askew.report(pipeline, X, y, tmp_path / "r.html"))
    assert [feature["name"] for feature in told["features"]] == list(X.columns)
    assert told["figures"]["score"]["value"] == pipeline.score(X, y)
    assert abs(told["features"][0]["usual"]) < 1  # as the tree sees it: scaled


@pytest.mark.parametrize("name", reports.ODD)
def test_odd_data_have_a_page(tmp_path, name):
    model, X, y = reports.odd(name)
    told = payload(askew.report(model, X, y, tmp_path / "r.html"))
    assert told["path"]["steps"][0]["leaves"] == model.get_n_leaves()
    assert told["nodes"][0]["rows"] == len(y)


BAD = {
    "another library's model": (lambda X, y: LogisticRegression(), TypeError, "not LogisticRegression"),
    "not fitted": (lambda X, y: askew.CARTClassifier(), NotFittedError, "not fitted"),
    "too few rows of y": (lambda X, y: askew.CARTClassifier().fit(X, y), ValueError, "inconsistent numbers"),
}


@pytest.mark.parametrize(("make", "error", "said"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said_and_nothing_is_written(tmp_path, make, error, said):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(error, match=said):
        askew.report(make(X, y), X, y[:-1] if said.startswith("incons") else y, tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_names_that_were_given_are_shown_and_too_few_are_refused(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = askew.CARTClassifier().fit(X, y)
    names = {"feature_names": [f"f{j}" for j in range(13)], "class_names": ["a", "b", "c"]}
    told = payload(askew.report(model, X, y, tmp_path / "r.html", **names))
    assert (told["classes"], told["features"][12]["name"]) == (["a", "b", "c"], "f12")
    with pytest.raises(ValueError, match="class_names must have 3 names"):
        askew.report(model, X, y, tmp_path / "r.html", class_names=["a"])
    with pytest.raises(ValueError, match="feature_names must have 13 names"):
        askew.report(model, X, y, tmp_path / "r.html", feature_names=["a"])


def test_the_page_holds_its_data_as_text_and_allows_no_other_script_nor_any_connection(written):
    text = written("wine").read_text(encoding="utf-8")
    assert text.count("<script") == text.count("</script>") == 2
    assert "default-src 'none'" in text
    assert not re.search(r'(src|href)="', text)


def test_the_script_is_made_of_the_sources_that_stand_beside_it():
    """`make report-page` builds it anew."""
    web = ROOT / "web"
    digest = hashlib.sha256()
    for path in [*sorted((web / "src").iterdir()), web / "package-lock.json"]:
        digest.update(path.read_bytes())
    assert f"Digest: {digest.hexdigest()}" in (ASSETS / "report.js").read_text(encoding="utf-8")[:200]


def test_the_licence_of_every_package_in_the_script_is_kept():
    kept = (ASSETS / "LICENSES.txt").read_text(encoding="utf-8")
    used = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for name, version in used.items():
        assert f"\n{name} {version}\n" in kept
    assert kept.count("Copyright") >= len(used)
