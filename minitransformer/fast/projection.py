"""The projections of heads: the gradient is put in rows once for all three of a linear map."""

from __future__ import annotations

from minigrad.engine.table import AnyArray
from minigrad.fast.common import Saved, column_sums, kernel, operation, rows, together
from minigrad.fast.linear import is_linear, is_map, one_product

from ..model import projection


def joined(heads: AnyArray) -> AnyArray:
    """Heads beside each other: (..., H, T, K) to (..., T, H K)."""
    *lead, H, T, K = heads.shape
    return heads.swapaxes(-3, -2).reshape(*lead, T, H * K)


@kernel(projection.linear_to_heads)
def linear_to_heads(x: AnyArray, weight: AnyArray, bias: AnyArray | None, heads: int) -> AnyArray:
    """`linear_to_heads`, of a matrix at least."""
    fits = is_linear(x, weight, bias) and x.ndim > 1 and weight.shape[1] % heads == 0
    return rows_to_heads(x, weight, bias, heads, Saved()) if fits else NotImplemented


def rows_to_heads(
    x: AnyArray, weight: AnyArray, bias: AnyArray, heads: int, saved: Saved
) -> AnyArray:
    """x W + b, all rows of x as one matrix, and the result cut into heads."""
    y = one_product(rows(x), weight, bias)
    return y.reshape(*x.shape[:-1], heads, -1).swapaxes(-3, -2)


def rows_to_heads_slopes(
    g: AnyArray,
    _y: AnyArray,
    x: AnyArray,
    weight: AnyArray,
    _bias: AnyArray,
    _heads: int,
    _saved: Saved,
) -> tuple[AnyArray, ...]:
    """Compute the slopes of a linear map, after joining the heads of the gradient."""
    g = rows(joined(g))
    return (g @ weight.T).reshape(x.shape), rows(x).T @ g, column_sums(g)


rows_to_heads = operation(rows_to_heads, *together(rows_to_heads_slopes, 3))


@kernel(projection.linear_of_heads)
def linear_of_heads(heads: AnyArray, weight: AnyArray, bias: AnyArray | None) -> AnyArray:
    """`linear_of_heads`, of heads that have a row for each position."""
    if not is_map(heads, weight, bias) or heads.ndim < 3:
        return NotImplemented
    fits = heads.shape[-3] * heads.shape[-1] == weight.shape[0]
    return rows_of_heads(heads, weight, bias, Saved()) if fits else NotImplemented


def rows_of_heads(heads: AnyArray, weight: AnyArray, bias: AnyArray, saved: Saved) -> AnyArray:
    """Heads beside each other, as rows of one matrix, times W, plus b."""
    *lead, H, T, V = heads.shape
    y = one_product(heads.swapaxes(-3, -2).reshape(-1, H * V), weight, bias)
    return y.reshape(*lead, T, -1)


def rows_of_heads_slopes(
    g: AnyArray, _y: AnyArray, heads: AnyArray, weight: AnyArray, _bias: AnyArray, _saved: Saved
) -> tuple[AnyArray, ...]:
    """Compute the slopes of a linear map, and cut the first of them into heads again."""
    g, beside = rows(g), joined(heads)
    of_heads = (g @ weight.T).reshape(*beside.shape[:-1], heads.shape[-3], -1).swapaxes(-3, -2)
    return of_heads, rows(beside).T @ g, column_sums(g)


rows_of_heads = operation(rows_of_heads, *together(rows_of_heads_slopes, 3))
