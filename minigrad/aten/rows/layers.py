"""Norms, attention and losses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import functional as F
from ...engine.followed import bare
from ...functional.losses import minus_log_p
from .elements import same, times
from .row_table import ROWS, row
from .shapes import reshaped
from .sums import mean

# --- layers and losses ------------------------------------------------------------------------------


@row("native_layer_norm")
def _layer_norm(input, normalized_shape, weight, bias, eps):
    if len(normalized_shape) == 1 and weight is not None and bias is not None:
        return [F.layer_norm(input, weight, bias, eps), None, None]
    axes = len(normalized_shape)
    rows = reshaped(input, (*input.shape[: input.ndim - axes], math.prod(normalized_shape)))
    y = reshaped(F.standardize(rows, eps=eps), input.shape)
    return [_scaled(y, weight, bias), None, None]


def _scaled(y: Any, weight: Any, bias: Any) -> Any:
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


@row("_weight_norm_interface")
def _weight_norm(v, g, dim=0):
    axes = tuple([k for k in range(v.ndim) if k != dim % v.ndim])
    size = np.linalg.vector_norm(v, axis=axes, keepdims=True)
    return [v * (g / size), None]


@row("native_group_norm")
def _group_norm(input, weight, bias, N, C, HxW, group, eps):
    rows = np.reshape(input, (N, group, C // group * HxW))
    y = np.reshape(F.standardize(rows, eps=eps), input.shape)
    return [_scaled(y, *channels(input.ndim, weight, bias)), None, None]


def channels(ndim: int, *vectors: Any) -> list:
    """Vectors of numbers, one a channel, so that they broadcast along the second of `ndim` axes."""
    shape = (-1, *[1] * (ndim - 2))
    return [v if v is None else np.reshape(v, shape) for v in vectors]


@row("native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit.no_stats")
def _batch_norm(input, weight, bias, *rest):
    *running, training, _momentum, eps = rest
    if training:
        axes = (0, *range(2, input.ndim))
        mean = np.mean(input, axis=axes, keepdims=True)
        variance = np.mean(np.square(input - mean), axis=axes, keepdims=True)
    else:
        mean, variance = channels(input.ndim, *running)
    y = (input - mean) / np.sqrt(variance + eps)
    return [_scaled(y, *channels(input.ndim, weight, bias)), None, None]


@row("_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_attention_math")
def _attention(query, key, value, dropout_p=0.0, is_causal=False, attn_mask=None, scale=None):
    if dropout_p:
        raise NotImplementedError("dropout_p above 0")
    # Each head of keys may serve several of queries.
    if query.ndim == 4 and key.shape[1] != query.shape[1]:
        key, value = (np.repeat(a, query.shape[1] // a.shape[1], 1) for a in (key, value))
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = np.matmul(query, np.swapaxes(key, -2, -1)) * scale
    if is_causal:
        allowed = np.tri(query.shape[-2], key.shape[-2], dtype=bool)
        return [np.matmul(F.masked_softmax(scores, allowed), value), None]
    if attn_mask is not None and attn_mask.dtype == bool:
        return [np.matmul(F.masked_softmax(scores, attn_mask), value), None]
    weights = F.softmax(scores if attn_mask is None else scores + attn_mask)
    return [np.matmul(weights, value), None]


SMALL = 1e-12  # a probability below which PyTorch's loss has the slope of this one
REDUCTIONS = "none", "mean", "sum"  # by ATen's numbers


@row("nll_loss_forward", "nll_loss2d_forward")
def _nll_loss(self, target, weight, reduction, ignore_index):
    log_p = np.moveaxis(self, 1, -1) if self.ndim > 2 else self
    kind = REDUCTIONS[reduction]
    counted = np.not_equal(target, ignore_index)
    loss = minus_log_p(log_p, target, counted)  # `nll_loss` refuses p above 1, as PyTorch does not
    if weight is None:
        weights = counted.astype(log_p.dtype)
    else:
        weights = np.where(counted, weight[np.where(counted, target, 0)], 0.0)
        loss = weights * loss
    if kind == "none":
        return [loss, None]
    return [np.sum(loss) / np.sum(weights) if kind == "mean" else np.sum(loss), None]


def _reduced(loss: Any, reduction: int) -> Any:
    return (same, mean, np.sum)[reduction](loss)


ROWS |= {
    "mse_loss": lambda self, target, reduction=1: _reduced(np.square(self - target), reduction),
    "smooth_l1_loss": lambda self, target, reduction=1, beta=1.0: _reduced(
        _huber(np.absolute(self - target), beta) / beta, reduction
    ),
    "huber_loss": lambda self, target, reduction=1, delta=1.0: _reduced(
        _huber(np.absolute(self - target), delta), reduction
    ),
    "binary_cross_entropy": lambda self, target, weight=None, reduction=1: _reduced(
        times(1 if weight is None else weight, _bernoulli(self, target)), reduction
    ),
    "binary_cross_entropy_with_logits": lambda self, target, weight=None, pos_weight=None, reduction=1: (
        _reduced(
            times(1 if weight is None else weight, _logistic(self, target, pos_weight)), reduction
        )
    ),
}


@row("_trilinear")
def _trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1):
    def wide(x, axes):
        for axis in axes:
            x = np.expand_dims(x, axis)
        return x

    product = wide(i1, expand1) * wide(i2, expand2) * wide(i3, expand3)
    return np.sum(product, axis=tuple(sumdim)) if sumdim else product


@row("soft_margin_loss")
def _soft_margin(self, target, reduction=1):
    return _reduced(F.softplus(-target * self), reduction)


@row("multi_margin_loss")
def _multi_margin(self, target, p=1, margin=1, weight=None, reduction=1):
    rows = self if self.ndim > 1 else np.expand_dims(self, 0)
    places = np.reshape(np.asarray(target), (-1, 1))
    gaps = np.maximum(margin - np.take_along_axis(rows, places, 1) + rows, 0.0) ** p
    gaps = gaps if weight is None else gaps * weight[places]
    others = np.arange(rows.shape[1]) != places
    loss = np.sum(np.where(others, gaps, 0.0), axis=1) / rows.shape[1]
    return _reduced(loss if self.ndim > 1 else loss[0], reduction)


@row("_embedding_bag", "_embedding_bag_forward_only")
def _embedding_bag(
    weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=-1,
):  # fmt: skip
    if mode == 2 or scale_grad_by_freq:
        raise NotImplementedError("mode='max', or scale_grad_by_freq=True")
    places, starts = np.asarray(indices), np.asarray(offsets)
    bags = len(starts) - int(include_last_offset)
    bag = np.searchsorted(starts[:bags], np.arange(len(places)), side="right") - 1
    member = (bag == np.arange(bags)[:, None]) & (places != padding_idx)
    member = member.astype(weight.dtype)
    if mode == 1:
        member = member / np.maximum(member.sum(1, keepdims=True), 1)
    rows = weight[places]
    if per_sample_weights is not None:
        rows = rows * np.expand_dims(per_sample_weights, -1)
    return [np.matmul(member, rows), None, None, None]


def _huber(size: Any, delta: float) -> Any:
    """size^2 / 2 up to delta, a straight line beyond."""
    return np.where(np.less(size, delta), 0.5 * np.square(size), delta * (size - 0.5 * delta))


def _bernoulli(p: Any, target: Any) -> Any:
    """-(t log p + (1 - t) log(1 - p)), with logs of at least -100; its slope is PyTorch's, which is
    (p - t) / 1e-12 where p (1 - p) is less than that."""
    q, logs = p.detach(), lambda x: target * _log(x) + (1 - target) * _log(1 - x)
    small = np.less(q * (1 - q), SMALL)
    if not bare(small).any():
        return -logs(p)
    line = (q - target.detach()) / SMALL * (p - q)  # 0, and its slope is not
    return np.where(small, line - logs(q), -logs(np.where(small, 0.5, p)))


def _log(p: Any) -> Any:
    return np.maximum(np.log(p), -100.0)


def _logistic(x: Any, target: Any, pos_weight: Any) -> Any:
    weight = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    return (1 - target) * x + times(weight, F.softplus(-x))
