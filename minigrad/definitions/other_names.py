"""NumPy 2's names: each is a function of this folder, with other arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from ..engine.names import name_of
from ..engine.table import definition, rule
from .axes import along, axes_of, in_groups


def matvec(x1, x2):
    """y[..., i] = sum over j of x1[..., i, j] x2[..., j]: (..., n, m), (..., m) to (..., n).

    Raises:
        ShapeError: if x1 is no matrix.
    """
    if np.ndim(x1) < 2:
        raise ValueError("the first argument is a matrix, or a stack of these")
    return np.matmul(x1, x2[..., None])[..., 0]


def vecmat(x1, x2):
    """y[..., j] = sum over i of x1[..., i] x2[..., i, j]: (..., n), (..., n, m) to (..., m).

    Raises:
        ShapeError: if x2 is no matrix.
    """
    if np.ndim(x2) < 2:
        raise ValueError("the second argument is a matrix, or a stack of these")
    return np.matmul(x1[..., None, :], x2)[..., 0, :]


def outer(x1, x2, /):
    """y[i, j] = x1[i] x2[j]: (n,), (m,) to (n, m).

    Raises:
        ShapeError: if these are no vectors.
    """
    if np.ndim(x1) != 1 or np.ndim(x2) != 1:
        raise ValueError("it takes two vectors; np.outer takes arrays of any shape")
    return np.outer(x1, x2)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):  # noqa: A002
    """(sum |x|^ord)^(1 / ord), over some axes (None: all), as of one vector; see `np.linalg.norm`."""
    axes = axes_of(axis if axis is None or isinstance(axis, tuple) else int(axis), x.ndim)
    norms = np.linalg.norm(in_groups(x, axes)[0], ord, axis=-1)
    return np.expand_dims(norms, axes) if keepdims else norms


def unstack(x, /, *, axis=0):
    """The arrays x[0], x[1] ..., along `axis`: a tuple.

    Raises:
        ShapeError: if x is a number.
    """
    if not x.ndim:
        raise ValueError("a number has no axis to take apart")
    return tuple(np.moveaxis(x, axis, 0))


def cumulative(of_all: Callable, start: int) -> Callable:
    """Sums or products up to each element; and before the first, where that is asked for."""

    def accumulate(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
        if axis is None and x.ndim > 1:
            raise ValueError(f"of {x.ndim} axes, axis= says along which one")
        (axis,) = axis if isinstance(axis, tuple) else (axis,)
        x, axis = along(x, axis)
        totals = of_all(x, axis=axis)
        if not include_initial:
            return totals
        shape = [1 if i == axis else n for i, n in enumerate(x.shape)]
        return np.concatenate([np.full_like(totals, start, shape=shape), totals], axis=axis)

    accumulate.__doc__ = f"`{name_of(of_all)}`, and {start} before it if `include_initial`."
    return accumulate


NAMES: dict[str, Callable] = {
    "unstack": unstack,
    "cumulative_sum": cumulative(np.cumsum, 0),
    "cumulative_prod": cumulative(np.cumprod, 1),
    "matvec": matvec,
    "vecmat": vecmat,
    "linalg.matmul": lambda x1, x2, /: np.matmul(x1, x2),
    "linalg.outer": outer,
    "linalg.cross": lambda x1, x2, /, *, axis=-1: np.cross(x1, x2, axis=axis),
    "linalg.trace": lambda x, /, *, offset=0, dtype=None: np.trace(x, offset, -2, -1),
    "linalg.diagonal": lambda x, /, *, offset=0: np.diagonal(x, offset, -2, -1),
    "linalg.tensordot": lambda x1, x2, /, *, axes=2: np.tensordot(x1, x2, axes),
    "linalg.vecdot": lambda x1, x2, /, *, axis=-1: np.vecdot(
        *(np.moveaxis(x, operator.index(axis), -1) for x in (x1, x2))
    ),
    "linalg.vector_norm": vector_norm,
    "linalg.matrix_norm": lambda x, /, *, keepdims=False, ord="fro": np.linalg.norm(  # noqa: A006
        x, ord, (-2, -1), keepdims
    ),
    "linalg.svdvals": lambda x, /: np.linalg.svd(x, compute_uv=False),
}
for name, body in NAMES.items():
    home = np.linalg if name.startswith("linalg.") else np
    if hasattr(home, name.removeprefix("linalg.")):  # some came after NumPy 2.0
        definition(body, of=operator.attrgetter(name)(np))
if hasattr(np, "astype"):
    rule(np.astype, lambda g, _y, _x, dtype, *, copy=True, device=None: g, None)
