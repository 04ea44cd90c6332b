"""Large numbers, up to the end of float32: losses, softmaxes, norms and activations lose no digits.

What is expected is the same function of the same numbers in float64, whose range holds their squares.
"""

import contextlib

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as F

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

MASK = np.array([[True, True, False, True]] * 3)
T = [0, 3, 1]
CALLS = {  # of an array (3, 4), and the largest number for which all steps stay in range
    "softmax": (F.softmax, 1e38),
    "masked_softmax": (lambda x: F.masked_softmax(x, MASK), 1e38),
    "log_softmax": (F.log_softmax, 1e38),
    "logsumexp": (F.logsumexp, 1e38),
    "logsumexp of all": (lambda x: F.logsumexp(x, None), 1e38),
    "cross_entropy": (lambda x: F.cross_entropy(x, T, reduction="none"), 1e38),
    "cross_entropy, mean": (lambda x: F.cross_entropy(x, T), 1e37),
    "cross_entropy, ignoring": (lambda x: F.cross_entropy(x, T, ignore_index=3), 1e37),
    "cross_entropy, smoothed": (lambda x: F.cross_entropy(x, T, label_smoothing=0.2), 1e37),
    "nll_loss": (lambda x: F.nll_loss(-np.abs(x), T), 1e37),
    "mse_loss": (lambda x: F.mse_loss(x, np.flip(x.data)), 1e18),
    "binary_cross_entropy": (
        lambda x: F.binary_cross_entropy_with_logits(x, MASK.astype(x.dtype), reduction="none"),
        1e38,
    ),
    "standardize": (F.standardize, 1e18),
    "layer_norm": (
        lambda x: F.layer_norm(x, np.ones(4, x.dtype), np.zeros(4, x.dtype)),
        1e18,
    ),
    "norm": (lambda x: np.linalg.norm(x, axis=-1), 1e18),
    "norm of order 1": (lambda x: np.linalg.norm(x, 1, axis=-1), 1e37),
    "std": (lambda x: np.std(x, axis=-1), 1e18),
    "hypot": (lambda x: np.hypot(x, 3), 1e38),
    "logaddexp": (lambda x: np.logaddexp(x, x[::-1]), 1e38),
    "relu": (F.relu, 1e38),
    "leaky_relu": (F.leaky_relu, 1e38),
    "elu": (F.elu, 1e38),
    "sigmoid": (F.sigmoid, 1e38),
    "silu": (F.silu, 1e38),
    "softplus": (F.softplus, 1e38),
    "gelu": (F.gelu, 1e38),
    "gelu by tanh": (lambda x: F.gelu(x, approximate="tanh"), 1e38),
    "erf": (F.erf, 1e38),
    "tanh": (np.tanh, 1e38),
    "arctan2": (lambda x: np.arctan2(x, 2.0), 1e38),
}
ROWS = np.array([[1, 1, 1, 1], [1, -1, 0.5, 0.25], [-1, -0.999999, -1, -0.5]])
NEAR = np.array([[0, 1, 2, 3], [3, -1, 0, 0], [0, 0, 0, 0]])
NUMBERS = {
    "of this size": lambda size: ROWS * size,
    "near each other": lambda size: size + NEAR * (np.spacing(np.float32(size)) + 1),
    "near each other, below zero": lambda size: NEAR * np.spacing(np.float32(size)) - size,
}


def results(call, array):
    x = mg.Tensor(array, requires_grad=True)
    y = call(x)
    weights = np.cos(np.arange(y.size)).reshape(y.shape).astype(y.dtype)
    y.backward(weights)
    return y.data, x.grad.data


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("name", CALLS)
def test_large_numbers_lose_no_digits(name, numbers):
    call, most = CALLS[name]
    if name in ("standardize", "layer_norm", "std") and numbers != "of this size":
        pytest.skip("a mean of such numbers is rounded by as much as they differ")
    for size in (1e5, 1e6, 1e8, 1e12, 1e18, 1e30, 1e37, 1e38):
        if size <= most:
            array = NUMBERS[numbers](size).astype(np.float32)
            found = results(call, array)
            expected = results(call, array.astype(np.float64))
            for f, e in zip(found, expected, strict=True):
                scale = np.max(np.abs(e), axis=-1, keepdims=True) if e.ndim else np.abs(e)
                assert np.all(np.abs(f - e) <= 3e-6 * scale + 1e-6), (size, f, e)  # NaN is not


@pytest.mark.parametrize("mode", [contextlib.nullcontext, mg.no_grad])
@pytest.mark.parametrize("size", [1e5, 1e6, 1e8, 1e20, 1e38])
def test_the_cross_entropy_of_equal_logits_is_the_logarithm_of_their_number(size, mode):
    with mode():
        loss = F.cross_entropy(mg.Tensor(np.full((2, 3), size, np.float32)), [0, 2])
    np.testing.assert_allclose(loss.item(), np.log(3), rtol=1e-6)
