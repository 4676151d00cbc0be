"""Rule networks as text and as pictures."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from handmade import mixed_tree, with_tree
from shipped import shipped

import askew
from askew import RuleNetwork
from askew.datasets import make_apdt2_standin
from askew.export.names import Columns
from askew.plot.partition_view import Section
from askew.plot.regions import regions

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rules():
    X, y = make_apdt2_standin(random_state=0)
    tree = askew.OC1Classifier(pruning=None, random_state=0).fit(X, y)
    return tree.pruned(askew.prune.GeneticAlgorithm(n_units=2), X, y), X, y


def test_each_class_is_written_as_its_regions_and_their_conditions():
    tree = askew.CARTClassifier().fit([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [3.0, 5.0]], ["no", "yes", "no", "yes"])
    tree.tree_ = askew.RuleNetwork.of(tree)
    text = askew.export_text(tree, feature_names=["size", "age"])
    assert text.splitlines() == [
        "4 regions of 3 splits; a row is in the first region that holds it; class weights are [no yes]",
        "no",
        "|  region 1  1 row    25.0%  [1 0]",
        "|  |  size <= 1.5",
        "|  region 3  1 row    25.0%  [1 0]",
        "|  |  size > 1.5",
        "|  |  size > 2.5",
        "|  |  age <= 2.5",
        "yes",
        "|  region 2  1 row    25.0%  [0 1]",
        "|  |  size > 1.5",
        "|  |  size <= 2.5",
        "|  region 4  1 row    25.0%  [0 1]",
        "|  |  size > 1.5",
        "|  |  size > 2.5",
        "|  |  age > 2.5",
    ]


def test_planes_linear_machines_and_tables_are_written_by_their_sides():
    text = askew.export_text(askew.RuleNetwork.of(mixed_tree()))
    assert "x0 - 2 x1 <= 0.5" in text
    assert "x0 - 2 x1 > 0.5" in text
    assert "x2 is 0 or 2" in text
    assert "is largest" in text


def test_conditions_beyond_the_depth_are_counted_and_the_rest_is_otherwise(rules):
    text = askew.export_text(rules[0], max_depth=1)
    assert "more" in text
    assert "region 3: otherwise" in text


def test_a_region_is_the_polygon_of_the_points_that_it_holds(rules):
    tree, X, _ = rules
    network = tree.tree_
    found = regions(network, Section.of_features((0, 1), X.mean(axis=0)), np.array([[0.0, 0.0], [1.0, 1.0]]))
    held = network.decision_path(X).toarray().astype(bool)
    assert len(found) > 1
    for region, polygon in found.items():
        path = mpl.path.Path(polygon)
        assert np.array_equal(path.contains_points(X), held[:, region])


def test_the_first_region_is_drawn_on_top(rules):
    tree, X, y = rules
    ax = askew.plot_partition(tree, X, y)
    polygons = ax.collections[0].get_paths()
    assert len(polygons) == tree.get_n_leaves()
    assert len(polygons[0].vertices) == 5  # "otherwise": the whole box, below all others


def test_networks_that_are_not_of_planes_are_drawn_on_a_grid():
    estimator = with_tree(askew.RuleNetwork.of(mixed_tree()))
    X = np.random.default_rng(0).normal(size=(20, 3))
    ax = askew.plot_partition(estimator, X, ["no"] * 20, features=[0, 1])
    assert len(ax.images) == 1


def test_plot_tree_says_what_to_use_instead(rules):
    with pytest.raises(ValueError, match="export_text"):
        askew.plot_tree(rules[0])


def test_the_categories_of_a_split_are_gathered_once_however_many_regions_it_bounds(monkeypatch):
    gathered = []
    cases = Columns.cases
    monkeypatch.setattr(Columns, "cases", lambda names, tree, node: gathered.append(node) or cases(names, tree, node))
    assert askew.export_text(RuleNetwork.of(mixed_tree())).count(" is ") >= 3
    assert len(gathered) == len(set(gathered)) == 1


def test_a_network_for_each_class_is_written_one_after_the_other():
    text = askew.export_text(shipped()["one-vs-rest of networks"][0])
    assert text.count("against the rest") == 3
    assert text.count("a row is in the first region that holds it") == 3
