"""What is made of the data and the parameters before a tree is grown (askew/data/targets.py)."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.utils import check_random_state

from askew.data.targets import first_draw, read_classes

LARGEST = np.iinfo(np.int32).max


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**32 - 1, np.int64(7), np.uint8(3), True])
def test_a_seed_stands_for_what_scikit_learn_draws_first(seed):
    assert first_draw(seed) == check_random_state(seed).randint(LARGEST)


def test_a_generator_goes_on():
    mine, theirs = np.random.RandomState(3), np.random.RandomState(3)
    assert [first_draw(mine) for _ in range(3)] == [theirs.randint(LARGEST) for _ in range(3)]


@pytest.mark.parametrize("wrong", [-1, 2**32, "seed"])
def test_what_is_no_seed_is_refused(wrong):
    with pytest.raises(ValueError, match=r"[Ss]eed"):
        first_draw(wrong)


def test_threads_do_not_disturb_each_other():
    seeds = list(range(50)) * 20
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(first_draw, seeds)) == [first_draw(seed) for seed in seeds]


@pytest.mark.parametrize("kind", [np.int64, np.uint8, bool])
def test_whole_numbers_that_repeat_are_classes_without_a_word(kind):
    y = np.tile([0, 1], 10).astype(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes, weights, classes, class_weight = read_classes(y, np.ones(20), None, None)
    assert classes.tolist() == [0, 1]
    assert codes.tolist() == [0, 1] * 10
    assert weights.tolist() == [1.0] * 20
    assert class_weight is None


def test_scikit_learn_has_its_say_about_labels_that_look_like_numbers():
    with pytest.raises(ValueError, match="Unknown label type"):
        read_classes(np.linspace(0.1, 0.9, 20), np.ones(20), None, None)
    with pytest.warns(UserWarning, match="unique classes"):
        read_classes(np.arange(30), np.ones(30), None, None)
