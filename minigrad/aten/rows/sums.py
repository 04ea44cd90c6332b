"""Sums, means, and what else makes one number of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import functional as F
from .row_table import ROWS


def axes_of(dim: int | Sequence[int] | None) -> Any:
    """ATen's axes as NumPy's: none at all are all of them."""
    if dim is None or isinstance(dim, int):
        return dim
    return (tuple(dim) if len(dim) > 1 else dim[0]) if len(dim) else None


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """A mean; the mean of no numbers is 0 / 0."""
    if x.size:
        return np.mean(x, axis, keepdims=keepdims)
    total = np.sum(x, axis, keepdims=keepdims)
    return total / 0 if total.size else total


ROWS |= {
    "sum": lambda self, dim=None, keepdim=False: np.sum(self, axes_of(dim), keepdims=keepdim),
    "nansum": lambda self, dim=None, keepdim=False: np.nansum(self, axes_of(dim), keepdims=keepdim),
    "mean": lambda self, dim=None, keepdim=False: mean(self, axes_of(dim), keepdim),
    "amax": lambda self, dim=(), keepdim=False: np.max(self, axes_of(dim), keepdims=keepdim),
    "amin": lambda self, dim=(), keepdim=False: np.min(self, axes_of(dim), keepdims=keepdim),
    "max": lambda self: np.max(self),
    "min": lambda self: np.min(self),
    "prod": lambda self, dim=None, keepdim=False: np.prod(self, dim, keepdims=keepdim),
    "all": lambda self, dim=None, keepdim=False: np.all(self, axes_of(dim), keepdims=keepdim),
    "any": lambda self, dim=None, keepdim=False: np.any(self, axes_of(dim), keepdims=keepdim),
    "argmax": lambda self, dim=None, keepdim=False: np.argmax(self, dim, keepdims=keepdim),
    "argmin": lambda self, dim=None, keepdim=False: np.argmin(self, dim, keepdims=keepdim),
    "cumsum": lambda self, dim: np.cumsum(self, dim),
    "cumprod": lambda self, dim: np.cumprod(self, dim),
    "var": lambda self, dim=None, correction=1, keepdim=False: np.var(
        self, axes_of(dim), ddof=correction, keepdims=keepdim
    ),
    "std": lambda self, dim=None, correction=1, keepdim=False: np.std(
        self, axes_of(dim), ddof=correction, keepdims=keepdim
    ),
    "var_mean": lambda self, dim=None, correction=1, keepdim=False: [
        ROWS["var"](self, dim, correction, keepdim), ROWS["mean"](self, dim, keepdim)
    ],
    "std_mean": lambda self, dim=None, correction=1, keepdim=False: [
        ROWS["std"](self, dim, correction, keepdim), ROWS["mean"](self, dim, keepdim)
    ],
    "logsumexp": lambda self, dim, keepdim=False: F.logsumexp(self, axes_of(dim), keepdim),
    "norm": lambda self, p=2, dim=None, keepdim=False: np.linalg.vector_norm(
        self, axis=axes_of(dim), keepdims=keepdim, ord=2 if p is None else p
    ),
    "linalg_vector_norm": lambda self, ord=2, dim=None, keepdim=False: np.linalg.vector_norm(
        self, axis=axes_of(dim), keepdims=keepdim, ord=ord
    ),
}  # fmt: skip
