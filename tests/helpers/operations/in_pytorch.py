"""The same calls in PyTorch: what it has by other names, and other arguments."""

from __future__ import annotations

import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

try:
    import torch
    from torch.nn import functional as tf
except ImportError:  # the rows can be run without it
    torch = tf = None  # type: ignore[assignment]


def same_in_torch(f: Any, then: tuple, options: dict[str, Any]) -> Callable:
    def call(*xs: Any) -> Any:
        found = f if callable(f) else getattr(like, f, None) or operator.attrgetter(f)(torch)
        return found(*xs, *in_torch(then), **in_torch(options))

    return call


def in_torch(value: Any) -> Any:
    """Arguments with PyTorch's arrays in place of NumPy's."""
    if isinstance(value, np.ndarray):
        return torch.tensor(value)
    if isinstance(value, dict):
        return {k: in_torch(v) for k, v in value.items()}
    return type(value)(map(in_torch, value)) if isinstance(value, (tuple, list)) else value


def reduction(torch_of: Callable) -> Callable:
    """A reduction of PyTorch's, made to take `axis` and `keepdims` as NumPy's do."""

    def with_axis(x, axis=None, keepdims=False, **options):
        axes = tuple(range(x.ndim)) if axis is None else axis
        axes = axes if isinstance(axes, tuple) else (axes,)
        return torch_of(x, axes, keepdims, **options) if axes else x + 0

    return with_axis


def one_axis_at_a_time(torch_of: Callable) -> Callable:
    def over_axes(x, axes, keep):
        for axis in sorted((a % x.ndim for a in axes), reverse=True):
            x = torch_of(x, axis, keep)
        return x

    return over_axes


def nan_variance(x, axes, keep):
    deviation = torch.where(x.isnan(), 0, x - x.nanmean(axes, keepdim=True))
    return (deviation**2).sum(axes, keep) / (~x.isnan()).sum(axes, keep)


like = types.SimpleNamespace(  # what PyTorch writes in another way
    sum=reduction(lambda x, axes, keep: torch.sum(x, axes, keep)),
    mean=reduction(lambda x, axes, keep: torch.mean(x, axes, keep)),
    prod=reduction(one_axis_at_a_time(lambda x, axis, keep: torch.prod(x, axis, keep))),
    max=reduction(lambda x, axes, keep: torch.amax(x, axes, keep)),
    min=reduction(lambda x, axes, keep: torch.amin(x, axes, keep)),
    amax=reduction(lambda x, axes, keep: torch.amax(x, axes, keep)),
    amin=reduction(lambda x, axes, keep: torch.amin(x, axes, keep)),
    ptp=reduction(lambda x, axes, keep: torch.amax(x, axes, keep) - torch.amin(x, axes, keep)),
    var=reduction(lambda x, axes, keep, ddof=0: torch.var(x, axes, correction=ddof, keepdim=keep)),
    std=reduction(lambda x, axes, keep, ddof=0: torch.std(x, axes, correction=ddof, keepdim=keep)),
    nanvar=reduction(nan_variance),
    nanstd=lambda x, **options: like.nanvar(x, **options) ** 0.5,
    nanprod=lambda x, **options: like.prod(torch.where(x.isnan(), 1, x), **options),
    nanmax=lambda x, **options: like.max(torch.where(x.isnan(), -math.inf, x), **options),
    nanmin=lambda x, **options: like.min(torch.where(x.isnan(), math.inf, x), **options),
    lower=lambda x: torch.tril(x) + torch.tril(x, -1).mT,  # all that NumPy reads of it, symmetric
    norm=reduction(lambda x, axes, keep, ord=2: torch.linalg.vector_norm(x, ord, axes, keep)),  # noqa: A006
    matrix_norm=reduction(lambda x, axes, keep, ord: torch.linalg.matrix_norm(x, ord, axes, keep)),  # noqa: A006
)
