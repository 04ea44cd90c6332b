"""A linear map of all rows at once: one product for the whole batch, forward and back."""

from __future__ import annotations

import numpy as np

from .. import functional as F
from ..engine.table import AnyArray
from .common import are_arrays, column_sums, kernel, operation, reusing, rows


@kernel(F.linear)
def linear(x: AnyArray, weight: AnyArray, bias: AnyArray = None) -> AnyArray:
    """`functional.linear`, of rows of any number of axes."""
    return linear_of_rows(x, weight, bias) if is_linear(x, weight, bias) else NotImplemented


def is_linear(x: AnyArray, weight: AnyArray, bias: AnyArray = None) -> bool:
    """Tell whether x is in rows as wide as `weight` (in, out) takes them, with a bias (out,) or none."""
    return is_map(x, weight, bias) and x.shape[-1:] == weight.shape[:1]


def is_map(x: AnyArray, weight: AnyArray, bias: AnyArray = None) -> bool:
    """Tell whether all are arrays, the weight (in, out), and the bias (out,) or None."""
    if not are_arrays(x, weight):
        return False
    shape = weight.shape
    return len(shape) == 2 and (bias is None or (are_arrays(bias) and bias.shape == shape[1:]))


def linear_of_rows(x: AnyArray, weight: AnyArray, bias: AnyArray = None) -> AnyArray:
    """x W + b, all rows of x as one matrix."""
    return one_product(rows(x), weight, bias).reshape(*x.shape[:-1], -1)


linear_of_rows = operation(
    linear_of_rows,
    lambda g, _y, _x, weight, _bias=None: (rows(g) @ weight.T).reshape(_x.shape),
    lambda g, _y, x, _weight, _bias=None: rows(x).T @ rows(g),
    lambda g, _y, _x, _weight, _bias=None: column_sums(g),
)


def one_product(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    """x W + b of matrices."""
    y = x @ weight
    return y if bias is None else reusing(np.add, y, bias)
