import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
import sklearn
from handmade import chain_tree, with_tree
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.utils import estimator_html_repr

import askew
from askew.plot.shapes import rough_width
from askew.plot.svg import tree_html

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


def picture(html):
    """The SVG element of a fragment, parsed: it is well-formed."""
    return ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + len("</svg>")])


def words(svg):
    return [text.text for text in svg.iter(f"{SVG}text")]


def test_a_fitted_tree_is_shown_below_the_diagram(iris):
    tree = askew.CARTClassifier(max_depth=2).fit(*iris)
    html = tree._repr_html_()
    assert "sk-top-container" in html
    assert html.endswith(tree_html(tree))
    assert tree._repr_mimebundle_()["text/html"].endswith(tree_html(tree))
    assert tree._repr_mimebundle_()["text/plain"] == repr(tree)
    shown = words(picture(html))
    assert "petal length (cm) ≤ 2.45" in shown
    assert {"setosa", "versicolor", "virginica"} <= set(shown)


def test_an_estimator_that_is_not_fitted_has_the_diagram_only():
    assert "<svg" not in askew.CARTClassifier()._repr_html_().replace(estimator_html_repr(askew.CARTClassifier()), "")
    assert "askew-tree" not in askew.CARTClassifier()._repr_html_()


def test_without_diagrams_there_is_no_html(iris):
    tree = askew.CARTClassifier(max_depth=1).fit(*iris)
    with sklearn.config_context(display="text"):
        assert not hasattr(tree, "_repr_html_")
        assert list(tree._repr_mimebundle_()) == ["text/plain"]


EVIL = '</text></svg><script>alert("x")</script>&amp;'


@pytest.mark.parametrize("method", [askew.CARTClassifier, askew.OC1Classifier, askew.LMDTClassifier])
def test_names_and_classes_are_escaped(iris, method):
    X = iris[0].rename(columns=lambda name: f"{EVIL}{name}")
    y = np.char.add(iris[1], EVIL)
    tree = method(random_state=0).fit(X, y)
    html = tree_html(tree)
    assert "<script" not in html
    assert any(EVIL in text for text in words(picture(html)))


def test_rules_are_shown_where_there_is_no_single_tree(iris):
    X, y = load_wine(return_X_y=True)
    rules = askew.OC1Classifier(pruning=askew.prune.GeneticAlgorithm(n_units=2), random_state=0).fit(
        X, np.where(y == 0, "<a>", "b")
    )
    html = tree_html(rules)
    assert "<pre>" in html
    assert "&lt;a&gt;" in html
    assert "<a>" not in html


def test_numbers_and_models_in_leaves_are_shown():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    for tree in (askew.CARTRegressor(max_depth=2), askew.CARTRegressor(max_depth=2, leaf_model="linear")):
        assert any("bmi" in text for text in words(picture(tree_html(tree.fit(X, y)))))


def test_a_deep_chain_is_shown_in_part():
    html = tree_html(with_tree(chain_tree(2000)))
    assert len(html) < 500_000
    assert any("drawn to depth" in text for text in words(picture(html)))


@pytest.mark.extended
def test_it_needs_no_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None; import askew; "
        "print('<svg' in askew.CARTClassifier().fit([[0.0], [1.0]], ['a', 'b'])._repr_html_())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "True"


@pytest.mark.parametrize("bold", [False, True])
def test_the_rough_width_of_a_text_is_enough(bold):
    font = FontProperties(family="DejaVu Sans", size=9, weight="bold" if bold else "normal")
    for text in ("- 0.00938 worst concave points", "petal length (cm) ≤ 2.45", "WWW mmm", "n = 359, 99%", "illicit"):
        real = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
        assert 0.95 * real <= rough_width(text, 9.0, bold) <= 1.5 * real
