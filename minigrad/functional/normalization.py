"""Numbers brought to one size, and some of them left out while training."""

from __future__ import annotations

import numpy as np

from .. import errors
from ..engine.table import definition
from ..engine.tensor import Array
from ..random import generator


@definition
def standardize(x: Array, axis: int = -1, eps: float = 1e-5) -> Array:
    """Take off the mean, and divide by the standard deviation, along `axis`
    (Ba et al., 2016, equation 3)."""
    deviation = x - np.mean(x, axis=axis, keepdims=True)
    variance = np.mean(deviation * deviation, axis=axis, keepdims=True)
    return deviation / np.sqrt(variance + eps)


@definition
def layer_norm(x: Array, gain: Array, bias: Array, eps: float = 1e-5) -> Array:
    """standardize(x) gain + bias: x is (..., D), and each of its D columns has a gain and a bias (D,)
    (Ba et al., 2016, equation 4)."""
    return standardize(x, eps=eps) * gain + bias


@definition
def dropout(
    x: Array, p: float, training: bool = True, rng: np.random.Generator | None = None
) -> Array:
    """Each element zeroed with probability `p`, the others divided by 1 - p; `x` itself otherwise
    (Srivastava et al., 2014)."""
    if not 0 <= p < 1:
        raise errors.ConfigError(f"the probability of dropout is from 0 to below 1, not {p}")
    if not training or p == 0:
        return x
    mask = generator(rng).random(x.shape, dtype=np.float32) >= p
    return x * mask * (1 / (1 - p))
