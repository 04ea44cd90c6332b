"""The residual: what goes in comes out again, with what the part found; and where it is normalised."""

import numpy as np
import pytest
from model_checks import check_gradients, random_tensor, randomized

import minigrad as mg
from minigrad import errors
from minitransformer import Residual


def around(residual, part):
    return lambda x: residual.after(x, part(residual.before(x)))


def normalized(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def test_post_norm_normalises_the_sum_and_pre_norm_what_the_part_reads():
    x = random_tensor(2, 3, 5).data
    post = around(Residual(5, "post"), np.tanh)(x)
    np.testing.assert_allclose(post.data, normalized(x + np.tanh(x)), rtol=1e-12)
    pre = around(Residual(5, "pre"), np.tanh)(x)
    np.testing.assert_allclose(pre.data, x + np.tanh(normalized(x)), rtol=1e-12)


def test_a_part_that_finds_nothing_changes_nothing_in_a_pre_norm_stack():
    x = random_tensor(2, 3, 5).data
    np.testing.assert_array_equal(around(Residual(5, "pre"), lambda y: 0 * y)(x).data, x)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_gradients(norm):
    residual = randomized(Residual(4, norm))
    check_gradients(around(residual, np.tanh), random_tensor(2, 4), module=residual)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_dropout_is_on_what_the_part_finds_and_on_nothing_else(norm):
    residual = Residual(4, norm, dropout=0.5)
    mg.manual_seed(0)
    x = 8 * np.arange(8.0).reshape(2, 4)
    summed = around(residual, np.ones_like)(x).data
    if norm == "pre":
        assert set(np.unique(summed - x)) == {0.0, 2.0}  # left out, or twice what was found
    nothing = residual.after(x, np.zeros_like(x)).data
    np.testing.assert_allclose(nothing, x if norm == "pre" else normalized(x), rtol=1e-12)


def test_another_norm_is_refused():
    with pytest.raises(errors.ConfigError, match="norm is one of 'post', 'pre', not 'both'"):
        Residual(4, "both")
