"""Functions known by their values at points: differences, areas, lines between them, convolutions."""

from __future__ import annotations

import numpy as np

from ..engine import errors
from ..engine.base import AnyArray
from ..engine.table import definition, rule
from .axes import as_arrays, at, axis_of
from .elementwise import ratio_or_zero


@definition(of=np.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """sum over i of dx_i (y_i + y_(i + 1)) / 2, along `axis`: the area under y, whose points are
    `dx` or diff(x) apart."""
    (y,) = as_arrays(y)
    place = axis_of(axis, y.ndim)
    if x is not None and np.ndim(x) == 1:
        dx = np.reshape(np.diff(x), [-1 if i == place else 1 for i in range(y.ndim)])
    elif x is not None:
        dx = np.diff(x, axis=axis)
    after, before = y[at(place, slice(1, None))], y[at(place, slice(None, -1))]
    return np.sum(dx * (after + before) / 2, axis=axis)


@definition(of=np.diff)
def diff(a, n=1, axis=-1):
    """y_i = a_(i + 1) - a_i along `axis`, so done n times, with one element fewer each time.

    Raises:
        ShapeError: for a negative n.
    """
    if n < 0:
        raise ValueError(f"differences are taken 0 or more times, not {n}")
    if n == 0:
        return a
    subtract = np.not_equal if a.dtype == bool else np.subtract
    a = np.moveaxis(a, axis_of(axis, a.ndim), -1)
    for _ in range(n):
        a = subtract(a[..., 1:], a[..., :-1])
    return np.moveaxis(a, -1, axis)


@definition(of=np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    """f_i + (x - x_i) (f_(i + 1) - f_i) / (x_(i + 1) - x_i), for x from x_i to x_(i + 1), where
    x_i and f_i are those of `xp` and `fp`: lines from point to point, of the shape of x, in
    float64.

    At a point the slope is that of the line to its right. Outside of the points, it is `left` or
    `right`, by default the first or last of `fp`; with a period, the points repeat.

    Raises:
        ShapeError: if the points are no vectors of one length, there is none, or the period is 0.
        DTypeError: if `left` or `right` is no number.
    """
    x, xp, fp = (
        t.astype(np.float64) if hasattr(t, "astype") else np.asarray(t, np.float64)
        for t in (x, xp, fp)
    )
    if xp.ndim != 1 or xp.shape != fp.shape or (x.size and not xp.size):
        raise ValueError("the points are two vectors of one length, and one point at least")
    if period == 0:
        raise ValueError("a period is not 0")
    if not xp.size:  # nor is anything asked
        return x + np.sum(fp)
    if period is not None:
        x, xp, left, right = x % abs(period), xp % abs(period), None, None
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate([xp[-1:] - abs(period), xp, xp[:1] + abs(period)])
        fp = np.concatenate([fp[-1:], fp, fp[:1]])
    if np.ndim(left) or np.ndim(right):
        raise TypeError("left= and right= are numbers")
    inside = np.where(np.less(x, xp[0]), xp[0], np.where(np.greater(x, xp[-1]), xp[-1], x))
    last = xp.size - 1
    before = np.clip(np.searchsorted(xp, inside, side="right") - 1, 0, max(last - 1, 0))
    after = np.minimum(before + 1, last)
    width = xp[after] - xp[before]  # 0 only at the end, where points are one above the other
    fraction = ratio_or_zero(inside - xp[before], width) + np.equal(width, 0)
    y = fp[before] + fraction * (fp[after] - fp[before])
    y = np.where(np.less(x, xp[0]), fp[0] if left is None else left, y)
    return y if right is None else np.where(np.greater(x, xp[-1]), right, y)


def convolution(a: AnyArray, v: AnyArray) -> AnyArray:
    """All sums of products a[i] v[k - i] of two vectors."""
    return np.convolve(a, v)


convolution = rule(
    convolution,
    lambda g, _y, _a, v: convolution(g, np.flip(v))[v.size - 1 : v.size - 1 + _a.size],
    lambda g, _y, a, _v: convolution(g, np.flip(a))[a.size - 1 : a.size - 1 + _v.size],
)


@definition(of=np.convolve)
def convolve(a, v, mode="full"):
    """y_k = sum over i of a_i v_(k - i), of vectors (n,) and (m,): all n + m - 1 of them; in the
    mode "same" the max(n, m) in the middle, in "valid" those where the shorter vector lies within
    the other.

    Raises:
        ShapeError: if these are no vectors, or one is empty.
        UnsupportedError: for another mode.
    """
    a, v = np.atleast_1d(a, v)
    if a.ndim > 1 or v.ndim > 1 or not (a.size and v.size):
        raise ValueError("a convolution is one of two vectors, each with one element at least")
    long, short = max(a.size, v.size), min(a.size, v.size)
    parts = {
        "full": slice(None),
        "same": slice((short - 1) // 2, (short - 1) // 2 + long),
        "valid": slice(short - 1, long),
    }
    if mode not in parts:
        raise errors.UnsupportedError(
            f"np.convolve of a Tensor knows the modes full, same and valid, not {mode!r}; "
            f"write np.convolve(a, v) for all sums"
        )
    return convolution(a, v)[parts[mode]]
