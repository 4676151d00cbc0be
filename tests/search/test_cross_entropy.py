import numpy as np
import pytest
from nodes import root_of
from reference import cross_entropy as reference
from sklearn.datasets import load_iris, load_wine
from sphere import planes_of
from strategies import make_table

from askew import CEDTClassifier, _core
from askew.grow.criterion import as_criterion
from askew.search.cross_entropy import CrossEntropy
from askew.search.oblique import denormalised


def searched(table, criterion, seed, n_samples=100, **options):
    traces = []
    search = CrossEntropy(n_samples=n_samples, univariate=False, callback=traces.append, **options)
    split = search.find(root_of(table, criterion), as_criterion(criterion, classification=table.classification), seed)
    return split, traces[0]


@pytest.mark.parametrize("normalize", ["robust", "minmax", "standard", None])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_search_is_that_of_the_reference_iteration_by_iteration(normalize, seed):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:] - 1
    split, trace = searched(make_table(X, y, n_classes=2), "gini", seed, normalize=normalize)
    shift, scale = reference.normalisation(X, normalize)
    scaled = (X - shift) * (1 / scale)

    def draw(t, mu, kappa, n):
        return planes_of(5, n, reference.child_seed(seed, t), kappa, mu)

    def score(planes):
        return reference.scores(scaled, y, np.ones(len(y)), 2, planes, reference.gini)

    best, best_score, records = reference.search(score, draw, 5, 100)
    np.testing.assert_allclose(trace.shift, shift, rtol=1e-12)
    np.testing.assert_allclose(trace.scale, scale, rtol=1e-12)
    np.testing.assert_allclose(trace.gamma, [gamma for _, _, gamma in records], rtol=1e-12)
    np.testing.assert_allclose(trace.kappa, [kappa for _, kappa, _ in records], rtol=1e-6)
    np.testing.assert_allclose(trace.mu, [mu for mu, _, _ in records], atol=1e-9)
    np.testing.assert_allclose(trace.plane, best, atol=1e-9)
    upper = split.route(X) == 0
    np.testing.assert_array_equal(upper, reference.values(scaled, best) >= 0)
    assert reference.gini(np.bincount(y[upper], minlength=2), np.bincount(y[~upper], minlength=2)) == best_score


def test_the_search_finds_the_plane_that_divides_two_clouds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = (X @ [1.0, -2.0, 0.5, 0.0, 1.0] > 0.3).astype(int)
    X[:, 2] *= 1e6
    split, trace = searched(make_table(X, y, n_classes=2), "gini", 0, n_samples=400)
    child = split.route(X)
    assert min((child == y).mean(), (child != y).mean()) < 0.02
    assert trace.kappa[-1] > trace.kappa[1]
    assert trace.gamma[-1] < trace.gamma[0]


def test_denormalisation_divides_the_rows_as_the_normalised_plane_does():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 3)) * [1e-5, 1.0, 1e7] + [3.0, -1e3, 1e8]
    shift, scale = reference.normalisation(X, "robust")
    for plane in planes_of(4, 50):
        split = denormalised(plane, np.arange(3), shift, scale)
        expected = reference.values((X - shift) / scale, plane)
        clear = np.abs(expected) > 1e-6
        np.testing.assert_array_equal((split.route(X) == 0)[clear], (expected >= 0)[clear])


def test_a_univariate_split_is_taken_where_it_is_as_good():
    X = np.array([[0.0, 5.0], [1.0, 1.0], [2.0, 3.0], [3.0, 2.0]])
    model = CEDTClassifier(random_state=0).fit(X, [0, 0, 1, 1])
    assert model.tree_.coef.tolist() == [[1.0, 0.0]]
    assert model.tree_.threshold[0] == 1.5
    oblique = CEDTClassifier(univariate=False, random_state=0).fit(X, [0, 0, 1, 1])
    assert np.count_nonzero(oblique.tree_.coef[0]) == 2


def test_features_that_others_determine_are_left_out_the_worst_univariate_ones_first():
    rng = np.random.default_rng(2)
    base = rng.normal(size=(60, 2))
    y = (base[:, 0] + 0.3 * base[:, 1] > 0).astype(int)
    X = np.column_stack([base[:, 1], base.sum(axis=1), base[:, 0], np.full(60, 7.0), 2 * base[:, 0] - 1])
    _, trace = searched(make_table(X, y, n_classes=2), "gini", 0, feature_reduction=True)
    assert trace.features.size == 2
    node = root_of(make_table(X, y, n_classes=2))
    _, scores = _core.axis_cuts(as_criterion("gini", classification=True).kernel, node.kernel)
    assert int(np.argmin(scores)) in trace.features
    everything = searched(make_table(X, y, n_classes=2), "gini", 0, feature_reduction=False)[1]
    assert everything.features.tolist() == [0, 1, 2, 4]


@pytest.mark.parametrize("when", [True, "auto"])
def test_fewer_features_than_rows_are_kept(when):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(12, 30))
    _, trace = searched(make_table(X, np.arange(12) % 3, n_classes=3), "gini", 0, feature_reduction=when)
    assert trace.features.size == 11
    # Lemma 1: with the features kept, every labelling of the rows is still a matter of a plane.
    kept = np.column_stack([np.ones(12), X[:, trace.features]])
    assert np.linalg.matrix_rank(kept) == 12


def test_the_number_of_samples_grows_with_features_and_rows_from_a_hundred():
    X, y = load_wine(return_X_y=True)
    model = CEDTClassifier(trace=True, random_state=0).fit(X, y)
    assert len(model.trace_) > 1
    for trace in model.trace_:
        assert trace.n_drawn == max(100, int(np.ceil(2 * trace.features.size * np.log2(trace.n_samples))))


def test_as_many_features_are_kept_as_the_rank_allows():
    rng = np.random.default_rng(0)
    for n, d in ((200, 12), (40, 60), (9, 9)):
        codes = rng.integers(0, 3, size=(n, d // 3))
        X = np.concatenate([codes == value for value in range(3)], axis=1).astype(float)
        order, shift, scale = rng.permutation(X.shape[1]), np.zeros(X.shape[1]), np.ones(X.shape[1])
        kept = _core.independent_features(X, np.arange(n, dtype=np.uint32), order, shift, scale)
        rank = np.linalg.matrix_rank(np.column_stack([np.ones(n), X]))
        assert np.linalg.matrix_rank(np.column_stack([np.ones(n), X[:, kept]])) == kept.size + 1 == rank


def test_a_row_that_stands_for_several_counts_as_several_when_features_are_reduced():
    X = np.vstack([np.eye(3), np.zeros(3)])  # on four rows the last of four columns depends on the others
    X = np.column_stack([X, X.sum(axis=1) + 1])
    once, often = (make_table(X, [0, 0, 1, 1], weight=np.full(4, weight)) for weight in (1.0, 2.0))
    assert searched(once, "gini", 0, feature_reduction="auto")[1].features.size == 3
    assert searched(often, "gini", 0, feature_reduction="auto")[1].features.size == 4


def test_features_are_reduced_where_rows_are_few_and_everywhere_if_so_asked():
    X = np.repeat(np.arange(20.0)[:, None], 3, axis=1)
    y = np.arange(20) % 2
    assert searched(make_table(X, y, n_classes=2), "gini", 0)[1].features.size == 3
    assert searched(make_table(X, y, n_classes=2), "gini", 0, feature_reduction=True)[1].features.size == 1
