"""Layer norm: mean 0 and variance 1, and gradients that are right for any gain."""

import numpy as np
from model_checks import check_gradients, random_tensor, randomized

from minigrad import Tensor
from minitransformer import LayerNorm


def test_output_has_the_mean_and_deviation_that_bias_and_gain_ask_for():
    norm = LayerNorm(50, eps=0.0)
    x = random_tensor(3, 4, 50, dtype=np.float32) * 9 + 5
    y = norm(x).detach().numpy()
    np.testing.assert_allclose(y.mean(-1), 0, atol=1e-6)
    np.testing.assert_allclose(y.std(-1), 1, rtol=1e-5)


def test_gradients_with_a_gain_that_is_not_uniform():
    norm = randomized(LayerNorm(5))
    assert np.ptp(norm.gain.data) > 0.5
    check_gradients(norm, random_tensor(2, 3, 5))


def test_equal_numbers_become_the_bias():
    norm = randomized(LayerNorm(4))
    x = random_tensor(1, 4) * 0 + 3.0
    y = norm(x)
    np.testing.assert_array_equal(y.data, norm.bias.data[None])
    y.sum().backward()
    assert np.isfinite(norm.gain.grad.data).all()


def test_each_position_is_normalised_by_itself():
    norm = randomized(LayerNorm(4))
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    whole = norm(Tensor(x)).data
    x[0, 1] = 100.0
    changed = norm(Tensor(x)).data
    same = np.ones((2, 3), dtype=bool)
    same[0, 1] = False
    np.testing.assert_array_equal(changed[same], whole[same])


def test_width_one_is_the_bias():
    norm = randomized(LayerNorm(1))
    np.testing.assert_array_equal(norm(random_tensor(3, 1)).data, [norm.bias.data] * 3)
