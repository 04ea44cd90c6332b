"""Products with a matrix of weights."""

from __future__ import annotations

import math

import numpy as np

from ..engine.table import definition
from ..engine.tensor import A, Array


@definition(plain=True)
def linear(x: A, weight: Array, bias: Array | None = None) -> A:
    """x W + b: x (..., in), weight (in, out), bias (out,); the result is (..., out).

    All rows of x are one matrix: one product for the whole batch, forward and back.
    """
    *lead, D = np.shape(x)
    if len(lead) > 1 and np.ndim(weight) == 2:
        rows = np.reshape(x, (math.prod(lead), D))  # (B T, in)
        y = np.reshape(rows @ weight, (*lead, weight.shape[1]))  # (..., out)
    else:
        y = x @ weight  # (..., out)
    return y if bias is None else y + bias
