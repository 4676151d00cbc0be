"""What LA and GA pruning share, and what they promise."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference import network as reference
from registry import CLASSIFIERS, accepts, plain
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from strategies import make_table, noisy_data, seeds, tables

import askew
from askew import CARTClassifier, CARTRegressor, InvalidParameterError, OC1Classifier, RuleNetwork, _core
from askew.datasets import make_apdt2_standin
from askew.grow.criterion import as_criterion
from askew.grow.grow import grow
from askew.grow.limits import Limits
from askew.prune import CostComplexity, GeneticAlgorithm, LearningAutomata
from askew.prune.network import Cells, pack
from askew.search.axis import AxisParallel

FAST = {"LA": LearningAutomata(max_passes=20), "GA": GeneticAlgorithm(max_generations=15, population=20)}
each = pytest.mark.parametrize("pruner", FAST.values(), ids=FAST)


def grown(table, **limits):
    return grow(table, AxisParallel(), as_criterion("gini", classification=True), Limits(**limits), 0)


def bits(rng, *shape):
    return rng.random(shape) < 0.4


# --- the kernels


@given(seed=seeds, weighted=st.booleans())
def test_the_gain_of_a_network_is_that_of_the_rows_on_which_it_answers_1(seed, weighted):
    rng = np.random.default_rng(seed)
    n, splits = int(rng.integers(1, 200)), int(rng.integers(1, 40))
    sides = bits(rng, n, splits)
    fulfilled = np.stack([sides, ~sides], axis=2).reshape(n, -1)
    gains = rng.integers(-4, 5, size=n).astype(float) if weighted else rng.choice([-1.0, 1.0], size=n)
    networks = rng.random((5, 3, 2 * splits)) < 2 / splits
    found = _core.network_gains(pack(fulfilled.T), gains, pack(networks), 1)
    assert found.tolist() == [reference.gain(fulfilled, gains, units) for units in networks]


def test_gains_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    holds, gains = pack(bits(rng, 60, 20_000)), rng.normal(size=20_000)
    networks = pack(rng.random((200, 3, 60)) < 0.05)
    assert np.array_equal(
        _core.network_gains(holds, gains, networks, 1), _core.network_gains(holds, gains, networks, 3)
    )


@given(seed=seeds)
def test_the_automata_learn_as_table_5_says(seed):
    rng = np.random.default_rng(seed)
    n, splits, units = int(rng.integers(1, 12)), int(rng.integers(1, 40)), int(rng.integers(1, 4))
    sides = bits(rng, n, splits)
    fulfilled = np.stack([sides, ~sides], axis=2).reshape(n, -1)
    cell, of_class = rng.integers(n, size=20), rng.integers(2, size=20).astype(np.uint8)
    cumulative = np.cumsum(rng.integers(1, 9, size=20)).astype(float)
    initial = rng.uniform(0.0, 2 / splits, size=(units, 2 * splits)).clip(0, 1)
    shown = (cell, of_class, cumulative)
    rules = {"rate": 0.1, "tolerance": 0.05, "steps": 25, "passes": 4}
    given = {"initial": initial, "seed": seed, "progress": None}
    q, errors = _core.network_automata(pack(fulfilled), *shown, _core.AutomataRules(**rules), **given)
    expected, expected_errors = reference.automata(fulfilled, *shown, initial, *rules.values(), seed)
    assert errors.tolist() == expected_errors.tolist()
    assert np.array_equal(q, expected)


def test_the_automata_stop_once_they_have_converged():
    start = np.array([[0.001, 0.999]])
    one = np.ones(1)
    shown = (pack(np.ones((1, 2), dtype=bool)), np.zeros(1, int), one.astype(np.uint8), one)
    rules = _core.AutomataRules(rate=0.1, tolerance=0.02, steps=10, passes=5)
    q, errors = _core.network_automata(*shown, rules, initial=start, seed=0, progress=None)
    assert errors.size == 0
    assert np.array_equal(q, start)


# --- cells and starts


@given(table=tables(max_rows=30))
def test_cells_hold_the_rows_that_no_split_tells_apart(table):
    cells = Cells.of(grown(table), table)
    total = np.bincount(table.y, table.weight, minlength=table.n_classes)
    assert np.array_equal(cells.weight.sum(axis=0), total)
    assert len({row.tobytes() for row in cells.fulfilled}) == len(cells.fulfilled)
    sides = RuleNetwork.of(cells.tree).sides(table.X)
    assert len({row.tobytes() for row in sides}) == len(cells.fulfilled)
    # A hyperplane's two sides are one another's complement.
    assert np.array_equal(cells.fulfilled[:, 0::2], ~cells.fulfilled[:, 1::2])


@given(table=tables(max_rows=30), n_units=st.integers(1, 4))
def test_units_to_start_from_are_regions_of_the_class(table, n_units):
    tree = grown(table)
    cells = Cells.of(tree, table)
    for label in range(table.n_classes):
        units = cells.starting_units(label, n_units)
        leaves = tree.is_leaf & (tree.value.argmax(axis=1) == label)
        assert len(units) == min(n_units, leaves.sum())
        assert all(cells.fires(unit).any() for unit in units)


# --- what comes out


@each
@pytest.mark.parametrize(
    "cls", [cls for cls in CLASSIFIERS if accepts(cls, pruning=None)], ids=lambda cls: cls.__name__
)
def test_every_classifier_can_be_pruned_to_regions(cls, pruner, tmp_path):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    tree = plain(cls, pruning=pruner, max_depth=4).fit(X, names[y])
    assert isinstance(tree.tree_, RuleNetwork)
    assert tree.score(X, names[y]) > 0.9
    assert np.array_equal(tree.predict(X), tree.classes_[tree.predict_proba(X).argmax(axis=1)])
    assert tree.get_n_leaves() <= 3 * pruner.n_units + 1
    assert "otherwise" in askew.export_text(tree)
    askew.save(tree, tmp_path / "m.askew")
    again = askew.load(tmp_path / "m.askew")
    assert again.tree_ == tree.tree_
    assert again.pruning == pruner
    assert np.array_equal(again.predict_proba(X), tree.predict_proba(X))


@each
@settings(max_examples=10)
@given(seed=seeds, n_classes=st.integers(2, 4))
def test_a_weight_is_the_same_as_repetition(pruner, seed, n_classes):
    X, y, _ = noisy_data(seed, n=40, n_classes=n_classes)
    weight = np.random.default_rng(seed).integers(1, 4, size=40)
    repeated = np.repeat(np.arange(40), weight)
    a = plain(CARTClassifier, max_depth=4).fit(X, y, weight)
    b = plain(CARTClassifier, max_depth=4).fit(X[repeated], y[repeated])
    assume(a.tree_ == b.tree_)  # of equally good cuts the first wins, and repetition moves rows
    assert a.pruned(pruner, X, y, weight).tree_ == b.pruned(pruner, X[repeated], y[repeated]).tree_


@each
def test_the_order_of_the_rows_and_the_threads_do_not_matter(pruner):
    X, y = load_wine(return_X_y=True)
    tree = plain(CARTClassifier).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    network = tree.pruned(pruner, X, y).tree_
    assert tree.pruned(pruner, X[order], y[order]).tree_ == network
    assert tree.set_params(n_jobs=3).pruned(pruner, X, y).tree_ == network
    assert tree.set_params(random_state=1).pruned(pruner, X, y).tree_ != network


@each
@given(table=tables(max_rows=30))
def test_regions_have_the_majority_of_their_class_and_share_out_all_rows(pruner, table):
    network = pruner.prune(grown(table), table, None, None, 0)
    leaf = network.apply(table.X)
    for region in range(network.n_leaves):
        held = np.bincount(table.y[leaf == region], table.weight[leaf == region], minlength=table.n_classes)
        if held.any():
            assert np.array_equal(network.value[region], held)
        assert network.mass[region] == held.sum()
        assert network.n_samples[region] == table.multiplicity[leaf == region].sum()
    assert network.conditions(network.n_leaves - 1) == []


@each
def test_fitting_with_a_pruner_is_fitting_and_then_pruning(pruner):
    X, y = load_breast_cancer(return_X_y=True)
    whole = CARTClassifier(random_state=3).fit(X, y)
    before = whole.tree_
    assert whole.pruned(pruner, X, y).tree_ == CARTClassifier(random_state=3, pruning=pruner).fit(X, y).tree_
    assert whole.tree_ is before
    assert whole.pruned(pruner, X, y).pruning == pruner


def test_reduced_regions_hold_the_same_rows_with_fewer_conditions():
    X, y = make_apdt2_standin(random_state=1)
    tree = OC1Classifier(pruning=None, random_state=1).fit(X, y)
    settings = {"n_units": 2, "max_generations": 40}
    full = tree.pruned(GeneticAlgorithm(**settings, reduce=False), X, y)
    reduced = tree.pruned(GeneticAlgorithm(**settings), X, y)
    assert np.array_equal(full.apply(X), reduced.apply(X))
    assert reduced.tree_.split.size < full.tree_.split.size
    assert reduced.tree_.n_splits <= full.tree_.n_splits


@pytest.mark.parametrize("n_units", [1, 2])
@settings(max_examples=8)
@given(seed=seeds)
def test_the_genetic_search_finds_the_best_network_of_few_splits(n_units, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(14, 2)).astype(float)
    table = make_table(X, rng.integers(0, 2, size=14), n_classes=2)
    tree = grown(table)
    cells = Cells.of(tree, table)
    start = cells.starting_units(1, n_units)
    assume(len(start) == n_units and len(RuleNetwork.of(tree).kind) <= 4)
    units, errors = GeneticAlgorithm(n_units=n_units, patience=200)._learn(cells, 1, start, seed, 1, None)
    best = reference.best_gain(cells.fulfilled, cells.gain(1), n_units)
    assert reference.gain(cells.fulfilled, cells.gain(1), units) == best
    assert errors[-1] == (table.weight[table.y == 1].sum() - best) / table.weight.sum()


def test_pruning_makes_noisy_trees_smaller_and_better():
    X, y = make_apdt2_standin(noise=0.15, random_state=0)
    clean, truth = make_apdt2_standin(n=2000, random_state=1)
    whole = OC1Classifier(pruning=None, random_state=0).fit(X, y)
    for pruner in (LearningAutomata(), GeneticAlgorithm()):
        pruned = whole.pruned(pruner, X, y)
        assert pruned.get_n_leaves() < whole.get_n_leaves() / 10
        assert pruned.score(clean, truth) > whole.score(clean, truth) + 0.05


def test_automata_that_start_around_rows_find_regions_that_the_tree_does_not_have():
    X, y = make_apdt2_standin(random_state=0)
    whole = OC1Classifier(pruning=None, random_state=0).fit(X, y)
    by_team = [whole.pruned(LearningAutomata(n_units=2, n_starts=n), X, y).score(X, y) for n in (1, 3, 10)]
    assert by_team == sorted(by_team)
    assert by_team[-1] > by_team[0]


@given(table=tables(max_rows=30), seed=seeds)
def test_every_unit_that_starts_around_a_row_can_hold_it(table, seed):
    cells = Cells.of(grown(table), table)
    for label in range(table.n_classes):
        start = cells.starting_units(label, 3)
        if start.size == 0:
            continue
        first, *others = LearningAutomata(n_starts=4)._starts(cells, label, start, seed)
        assert ((first >= 0.5) == start).all() or len(cells.condition) == 2
        for units in others:
            assert units.shape == start.shape
            holds = [cells.fires(unit > 0) & (cells.weight[:, label] > 0) for unit in units]
            assert all(held.any() for held in holds)


@each
def test_rows_to_prune_by_may_lack_a_class_of_the_tree(pruner):
    X, y = load_iris(return_X_y=True)
    tree = plain(CARTClassifier).fit(X, y)
    pruned = tree.pruned(pruner, X[y < 2], y[y < 2])
    assert pruned.score(X[y < 2], y[y < 2]) == 1


# --- learning curves and progress


@each
def test_there_is_a_learning_curve_for_each_network(pruner):
    X, y = load_iris(return_X_y=True)
    assert len(plain(CARTClassifier, pruning=pruner).fit(X, y).tree_.curves()) == 3
    (curve,) = plain(CARTClassifier, pruning=pruner).fit(X, y == 1).tree_.curves()
    assert 0 < curve.size <= 20
    assert ((curve >= 0) & (curve <= 1)).all()
    assert RuleNetwork.of(plain(CARTClassifier).fit(X, y)).curves() == []


def test_the_curve_of_the_genetic_search_never_rises_and_ends_at_the_training_error():
    X, y = make_apdt2_standin(noise=0.15, random_state=0)
    tree = OC1Classifier(pruning=GeneticAlgorithm(reduce=False), random_state=0).fit(X, y)
    (curve,) = tree.tree_.curves()
    assert (np.diff(curve) <= 0).all()
    assert curve[-1] == pytest.approx(1 - tree.score(X, y), abs=0.005)


@each
def test_progress_is_shown(pruner, capsys):
    X, y = load_iris(return_X_y=True)
    CARTClassifier(pruning=pruner, verbose=1).fit(X, y)
    assert "100%" in capsys.readouterr().err


# --- faults


@each
def test_regressors_are_refused_with_an_alternative(pruner):
    with pytest.raises(ValueError, match="cost_complexity"):
        CARTRegressor(pruning=pruner).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize(
    "make",
    [
        lambda: LearningAutomata(n_units=0),
        lambda: LearningAutomata(rate=1.0),
        lambda: LearningAutomata(n_starts=0),
        lambda: LearningAutomata(initial=0.0),
        lambda: LearningAutomata(tolerance=0.5),
        lambda: LearningAutomata(max_passes=0),
        lambda: GeneticAlgorithm(crossover=1.5),
        lambda: GeneticAlgorithm(population=1),
        lambda: GeneticAlgorithm(mutation=-0.1),
        lambda: GeneticAlgorithm(reduce="yes"),
        lambda: GeneticAlgorithm(climb=1),
    ],
)
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(InvalidParameterError, match=r"parameter of (LearningAutomata|GeneticAlgorithm) must be"):
        make()


def test_a_network_is_not_pruned_again_and_a_pruner_is_needed():
    X, y = load_iris(return_X_y=True)
    rules = plain(CARTClassifier, pruning=FAST["LA"]).fit(X, y)
    with pytest.raises(ValueError, match="rule network already"):
        rules.pruned(FAST["GA"], X, y)
    tree = plain(CARTClassifier).fit(X, y)
    with pytest.raises(ValueError, match="needs a pruner"):
        tree.pruned(None, X, y)
    with pytest.raises(ValueError, match="class not in the training data: 7"):
        tree.pruned(FAST["GA"], X, np.where(y == 2, 7, y))
    with pytest.raises(ValueError, match="features"):
        tree.pruned(FAST["GA"], X[:, :2], y)


def test_rows_to_prune_by_may_lack_a_class():
    X, y = load_iris(return_X_y=True)
    tree = plain(CARTClassifier).fit(X, y)
    pruned = tree.pruned(FAST["GA"], X[50:], y[50:])
    assert pruned.score(X[50:], y[50:]) > 0.9
    assert pruned.predict_proba(X).shape == (150, 3)


def test_cost_complexity_prunes_a_fitted_tree_by_rows_it_has_not_seen():
    X, y = make_apdt2_standin(noise=0.15, random_state=0)
    tree = CARTClassifier(random_state=0).fit(X[:700], y[:700])
    smaller = tree.pruned(CostComplexity(), X[700:], y[700:])
    assert smaller.get_n_leaves() < tree.get_n_leaves()
    assert smaller.score(X[700:], y[700:]) >= tree.score(X[700:], y[700:])


@each
def test_trees_without_a_split_or_a_class_without_a_leaf_are_no_fault(pruner):
    one = plain(CARTClassifier, pruning=pruner).fit([[1.0], [2.0]], ["a", "a"])
    assert one.predict([[3.0]]).tolist() == ["a"]
    stump = plain(CARTClassifier, max_depth=1, pruning=pruner).fit(*load_iris(return_X_y=True))
    assert stump.score(*load_iris(return_X_y=True)) == pytest.approx(2 / 3)
