"""float16 ends at 65,504: counts and sums beyond it, against the same in float64."""

import pickle

import numpy as np
import pytest

import minigrad as mg
from minigrad import functional as F
from minigrad.engine.walk import order

N = 70_000
OTHERS = np.linspace(0.25, 0.75, N)
CLASSES = np.arange(N) % 2

REDUCTIONS = {
    "sum": np.sum,
    "mean": np.mean,
    "mean of columns": lambda x: np.mean(np.reshape(x, (2, -1, 1)), axis=1)[0, 0],
    "var": np.var,
    "var with ddof": lambda x: np.var(x, ddof=1),
    "std": np.std,
    "average": lambda x: np.average(x, weights=OTHERS.astype(x.dtype)),
    "nanmean": np.nanmean,
    "nanvar": np.nanvar,
    "nanstd": np.nanstd,
    "max": np.max,
    "min": np.min,
    "nanmax": np.nanmax,
    "ptp": np.ptp,
    "median": np.median,
    "quantile": lambda x: np.quantile(x, 0.3),
    "norm": np.linalg.norm,
    "norm of order 1": lambda x: np.linalg.norm(x, 1),
    "norm of order 3": lambda x: np.linalg.norm(x, 3),
    "norm of a matrix": lambda x: np.linalg.norm(np.reshape(x, (-1, 2))),
    "logsumexp": F.logsumexp,
    "softmax": lambda x: np.sum(F.softmax(x) * OTHERS.astype(x.dtype)),
    "masked_softmax": lambda x: np.sum(F.masked_softmax(x, CLASSES > 0) * OTHERS.astype(x.dtype)),
    "log_softmax": lambda x: np.mean(F.log_softmax(x)),
    "standardize": lambda x: np.mean(F.standardize(x) * OTHERS.astype(x.dtype)),
    "layer_norm": lambda x: np.mean(
        F.layer_norm(x, OTHERS.astype(x.dtype), OTHERS.astype(x.dtype))
    ),
    "cross_entropy": lambda x: F.cross_entropy(np.stack([x, 1 - x], axis=-1), CLASSES),
    "cross_entropy, smoothed": lambda x: F.cross_entropy(
        np.stack([x, 1 - x], axis=-1), CLASSES, label_smoothing=0.1, ignore_index=5
    ),
    "cross_entropy of many classes": lambda x: F.cross_entropy(x[None], [3]),
    "nll_loss": lambda x: F.nll_loss(np.stack([x - 1, -1 - x], axis=-1), CLASSES),
    "mse_loss": lambda x: F.mse_loss(x, OTHERS.astype(x.dtype)),
    "binary_cross_entropy": lambda x: F.binary_cross_entropy_with_logits(
        x, CLASSES.astype(x.dtype)
    ),
}
VALUES = {
    "of many sizes": np.random.default_rng(0).uniform(-0.5, 0.5, N).astype(np.float16),
    "equal": np.full(N, 0.5, np.float16),
}
UNDEFINED = {  # of equal numbers: kinks, and what is divided by a deviation of rounding errors
    "std", "nanstd", "standardize", "layer_norm", "ptp",
}  # fmt: skip


def value_and_gradient(f, array):
    x = mg.Tensor(array, requires_grad=True)
    y = f(x)
    assert y.dtype == array.dtype
    y.backward()
    return y.item(), x.grad.numpy()


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_more_elements_than_float16_can_count(name, values):
    if values == "equal" and name in UNDEFINED:
        pytest.skip("no derivative there")
    array, f = VALUES[values], REDUCTIONS[name]
    value, gradient = value_and_gradient(f, array)
    expected, slope = value_and_gradient(f, array.astype(np.float64))
    cancelled = 5e-6 * np.sum(np.abs(array), dtype=np.float64) if name == "sum" else 0
    np.testing.assert_allclose(value, expected, rtol=4e-3, atol=2e-3 + cancelled)
    assert gradient.dtype == np.float16
    # Steps of float16 are 6e-8 there.
    np.testing.assert_allclose(gradient, slope, rtol=1e-2, atol=2e-7)
    assert np.all(np.isfinite(gradient))


def test_an_array_from_a_pickle_is_widened_too():
    """Its dtype is another object than that of NumPy's own arrays."""
    far = pickle.loads(pickle.dumps(np.array([-300, 300], np.float16)))
    assert np.std(mg.Tensor(far)).item() == 300


@pytest.mark.parametrize("name", REDUCTIONS)
def test_beside_wider_numbers_the_result_is_wide(name):
    """Of float32 it is of float32, and nothing is converted on the way."""
    x = mg.Tensor(VALUES["of many sizes"].astype(np.float32), requires_grad=True)
    y = REDUCTIONS[name](x)
    assert y.dtype == np.float32
    assert "astype" not in {node.operation.name for node in order([y.node]) if node.operation}
