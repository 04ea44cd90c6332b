"""Numbers brought to one size, and some of them left out while training."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import errors
from ..engine.table import together
from ..random import generator
from .composition import (
    are_arrays,
    column_sums,
    composition,
    is_number,
    kernel,
    reusing,
    row_products,
    row_sums,
    rows,
)


@composition
def standardize(x: Any, axis: int = -1, eps: float = 1e-5) -> Any:
    """`x` less its mean, over its standard deviation, along `axis` (Ba et al., 2016, equation 3)."""
    deviation = x - np.mean(x, axis=axis, keepdims=True)
    variance = np.mean(deviation * deviation, axis=axis, keepdims=True)
    return deviation / np.sqrt(variance + eps)


@composition
def layer_norm(x: Any, gain: Any, bias: Any, eps: float = 1e-5) -> Any:
    """standardize(x) gain + bias: x is (..., D), and each of its D columns has a gain and a bias (D,)
    (Ba et al., 2016, equation 4)."""
    return standardize(x, eps=eps) * gain + bias


def layer_norm_slopes(g, y, x, gain, bias, eps=1e-5, kept=None):
    """The gradients of `layer_norm`. Of g gain, x gets what is left without its mean and its part
    along the standardised rows."""
    z, scale = kept or standardized(rows(x), eps)
    g, share = rows(g), (gain / x.shape[-1])[:, None]
    along = g * z
    of_gain, of_bias = column_sums(along), column_sums(g)
    slope = reusing(np.subtract, g * gain, g @ share)  # (n, D), (n, 1)
    slope = reusing(np.subtract, slope, z * (along @ share))
    slope = reusing(np.multiply, slope, scale)
    return slope.reshape(x.shape), of_gain, of_bias


@kernel(
    layer_norm,
    lambda x, gain, bias, eps=1e-5: (
        are_arrays(x, gain, bias)
        and x.ndim > 0
        and gain.shape == bias.shape == x.shape[-1:]
        and is_number(eps)
    ),
    *together(layer_norm_slopes, 3),
)
def _(x, gain, bias, eps=1e-5, kept=None):
    z, scale = standardized(rows(x), eps)
    if kept is not None:
        kept += z, scale
    return reusing(np.add, z * gain, bias).reshape(x.shape)


def standardized(x: Any, eps: float) -> tuple[Any, Any]:
    """The rows of a matrix brought to mean 0 and variance 1, and the factor of each (n, 1)."""
    share = 1 / x.shape[1]
    z = x - row_sums(x) * share
    scale = 1 / np.sqrt(row_products(z, z) * share + eps)
    z *= scale
    return z, scale


@composition
def dropout(x: Any, p: float, training: bool = True, rng: np.random.Generator | None = None) -> Any:
    """Each element zeroed with probability `p`, the others divided by 1 - p; `x` itself otherwise
    (Srivastava et al., 2014)."""
    if not 0 <= p < 1:
        raise errors.ConfigError(f"the probability of dropout is from 0 to below 1, not {p}")
    if not training or p == 0:
        return x
    kept = generator(rng).random(x.shape, dtype=np.float32) >= p
    return x * kept * (1 / (1 - p))
