"""Numbers brought to one size, and some of them left out while training."""

from __future__ import annotations

import numpy as np

from .. import errors
from ..definitions.half import in_single
from ..engine.table import definition
from ..engine.tensor import A, Array
from ..random import drawn
from ..settings import flag, real


@definition(plain=True)
@in_single
def standardize(x: A, axis: int | None = -1, eps: float = 1e-5) -> A:
    """Take off the mean, and divide by the standard deviation, along `axis` (None: all) (Ba et
    al., 2016, equation 3).

    y = (x - mean(x)) / sqrt(var(x) + eps), of the shape of x. Deviations whose square overflows,
    as beyond 1e19 in float32, give zeros, as in PyTorch.

    Raises:
        ConfigError: if `eps` is not a number from 0.
    """
    if not eps >= 0:
        raise errors.ConfigError(f"eps is a number from 0, not {eps}")
    deviation = x - np.mean(x, axis=axis, keepdims=True)
    variance = np.mean(deviation * deviation, axis=axis, keepdims=True)
    return deviation / np.sqrt(variance + eps)


@definition(plain=True)
def layer_norm(x: A, gain: Array, bias: Array, eps: float = 1e-5) -> A:
    """standardize(x) gain + bias: x is (..., D), and each of its D columns has a gain and a bias
    (D,) (Ba et al., 2016, equation 4).

    y = (x - mean(x)) / sqrt(var(x) + eps) gain + bias, with the mean and the variance of each row
    of x.

    Raises:
        ConfigError: if `eps` is not a number from 0.
    """
    return standardize(x, eps=eps) * gain + bias


@definition(plain=True)
def dropout(x: A, p: float, training: bool = True, rng: np.random.Generator | None = None) -> A:
    """While training, each element zeroed with probability `p`, the others divided by 1 - p; `x` itself
    if not (Srivastava et al., 2014).

    y = x m / (1 - p), where each m is 0 with probability p, else 1; of the shape of x. So the mean
    of y over many draws is x.

    Args:
        p: from 0 to below 1.
        training: whether to; if not, y = x.
        rng: where the choice comes from; default: the common generator.

    Raises:
        ConfigError: if `p` is not a number from 0 to below 1.
    """
    p = real("p", p, below=1)
    if not flag("training", training) or p == 0:
        return x
    shape = x.shape or (1,)  # an array, also for a number: `drawn` says why
    mask = drawn(lambda rng: rng.random(shape, dtype=np.float32) >= p, rng)
    y = x * mask * (1 / (1 - p))
    return y if x.shape else np.reshape(y, ())
