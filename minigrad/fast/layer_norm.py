"""Layer normalisation of rows, its three gradients together."""

from __future__ import annotations

import numpy as np

from .. import functional as F
from ..engine.table import AnyArray
from .common import (
    Saved,
    are_arrays,
    column_sums,
    is_number,
    kernel,
    operation,
    reusing,
    row_products,
    row_sums,
    rows,
    together,
)


@kernel(F.layer_norm)
def layer_norm(x: AnyArray, gain: AnyArray, bias: AnyArray, eps: float = 1e-5) -> AnyArray:
    """`functional.layer_norm`, of a gain and a bias for each column."""
    fits = (
        are_arrays(x, gain, bias)
        and x.ndim > 0
        and gain.shape == bias.shape == x.shape[-1:]
        and is_number(eps)
        and eps >= 0
    )
    return layer_norm_of_rows(x, gain, bias, eps, Saved()) if fits else NotImplemented


def layer_norm_of_rows(
    x: AnyArray, gain: AnyArray, bias: AnyArray, eps: float, saved: Saved
) -> AnyArray:
    """Each row of x brought to mean 0 and variance 1, times the gain, plus the bias."""
    saved.arrays = z, _ = standardized(rows(x), eps)
    return reusing(np.add, z * gain, bias).reshape(x.shape)


def layer_norm_slopes(
    g: AnyArray,
    _y: AnyArray,
    x: AnyArray,
    gain: AnyArray,
    _bias: AnyArray,
    eps: float,
    saved: Saved,
) -> tuple[AnyArray, ...]:
    """Of g gain, x gets what is left without its mean and its part along the standardised rows."""
    z, scale = saved.beside(g) or standardized(rows(x), eps)
    g, weight = rows(g), (gain / x.shape[-1])[:, None]
    along = g * z
    of_gain, of_bias = column_sums(along), column_sums(g)
    slope = reusing(np.subtract, g * gain, g @ weight)  # (n, D), (n, 1)
    slope = reusing(np.subtract, slope, z * (along @ weight))
    slope = reusing(np.multiply, slope, scale)
    return slope.reshape(x.shape), of_gain, of_bias


layer_norm_of_rows = operation(layer_norm_of_rows, *together(layer_norm_slopes, 3))


def standardized(x: AnyArray, eps: float) -> tuple[AnyArray, AnyArray]:
    """The rows of a matrix brought to mean 0 and variance 1, and the factor of each (n, 1)."""
    weight = 1 / x.shape[1]
    z = x - row_sums(x) * weight
    scale = 1 / np.sqrt(row_products(z, z) * weight + eps)
    return reusing(np.multiply, z, scale), scale
