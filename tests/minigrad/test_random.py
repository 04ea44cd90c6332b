"""The common generator, and those that take its place: a seed fixes a run."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import errors
from minigrad.random import drawing_from


def test_a_seed_starts_the_generator_anew():
    first = mg.manual_seed(7).random(5)
    assert not np.array_equal(mg.generator().random(5), first)
    assert mg.manual_seed(7) is mg.generator()
    np.testing.assert_array_equal(mg.generator().random(5), first)
    np.testing.assert_array_equal(np.random.default_rng(7).random(5), first)
    assert not np.array_equal(mg.manual_seed(8).random(5), first)
    np.testing.assert_array_equal(mg.manual_seed(np.int64(7)).random(5), first)


def test_a_generator_that_is_given_is_the_one():
    given = np.random.default_rng(1)
    assert mg.generator(given) is given
    assert mg.generator() is not given


def test_within_drawing_from_the_common_generator_is_left_alone():
    own = np.random.default_rng(3)
    common = mg.manual_seed(7)
    layer = mg.nn.Sequential(mg.nn.Dropout(0.5))  # in a box, which has a mode of its own
    with drawing_from(own):
        dropped = layer(mg.Tensor(np.ones(50))).numpy()
        assert mg.generator() is own
        assert mg.generator(common) is common
    assert mg.generator() is common
    kept = np.random.default_rng(3).random(50, dtype=np.float32) >= 0.5
    np.testing.assert_array_equal(dropped, 2.0 * kept)
    np.testing.assert_array_equal(common.random(5), np.random.default_rng(7).random(5))


@pytest.mark.parametrize("seed", [None, -1, 1.5, "0", [1, 2]])
def test_what_is_no_seed(seed):
    """None would seed NumPy's generator from the clock, and no run would be like another."""
    state = str(mg.generator().bit_generator.state)
    with pytest.raises(errors.ConfigError, match="a seed is a whole number from 0"):
        mg.manual_seed(seed)
    assert str(mg.generator().bit_generator.state) == state


@pytest.mark.parametrize("rng", [0, 1, np.random, np.random.RandomState(0)])
def test_what_is_no_generator(rng):
    """0 must not count as none given."""
    with pytest.raises(errors.ConfigError, match="rng is a generator"):
        mg.generator(rng)
    with pytest.raises(errors.ConfigError, match="rng is a generator"):
        drawing_from(rng)
