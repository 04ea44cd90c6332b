"""The cross-entropy of logits in rows, of which the softmax is never stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functional as F
from ..engine.table import rule
from ..functional.losses import _check_targets, _counts
from .common import in_rows, is_number, kernel, row_starts, row_sums, rows
from .softmax import TINY, is_mild, shifts, softmax_of_rows


@kernel(F.cross_entropy)
def cross_entropy(
    logits: Any,
    targets: Any,
    *,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> Any:
    """`functional.cross_entropy`, where the smoothing is Python's number."""
    if not in_rows(logits) or not is_number(label_smoothing):
        return NotImplemented
    targets = np.asarray(targets)
    _check_targets(logits.shape, targets, ignore_index, reduction, label_smoothing)
    return cross_entropy_of_rows(logits, targets, ignore_index, label_smoothing, reduction)


def cross_entropy_of_rows(
    logits: Any, targets: Any, ignore_index: int | None, label_smoothing: float, reduction: str
) -> Any:
    """log sum exp(row) less the logit of the right class, for each row; their sum, or mean."""
    x, ids, counted, share = counting(logits, targets, ignore_index, reduction)
    top = 0 if is_mild(x) else shifts(x)  # (B T, 1)
    total = row_sums(np.exp(x - top))
    total = np.log(np.maximum(total, TINY)) + top
    right = x.reshape(-1).take(ids + row_starts(*x.shape))[:, None]
    if label_smoothing:
        right = (1 - label_smoothing) * right + (label_smoothing / x.shape[1]) * row_sums(x)
    loss = np.where(counted, total - right, 0) * share  # (B T, 1)
    return loss.reshape(targets.shape) if reduction == "none" else loss.sum()


def cross_entropy_slope(
    g: Any,
    _y: Any,
    logits: Any,
    targets: Any,
    ignore_index: Any,
    label_smoothing: Any,
    reduction: Any,
) -> Any:
    """softmax(logits) less what the targets ask for, and nothing where a target does not count."""
    x, ids, counted, share = counting(logits, targets, ignore_index, reduction)
    asked = np.full(x.shape, label_smoothing / x.shape[1], x.dtype)  # (B T, N)
    asked[np.arange(ids.size), ids] += 1 - label_smoothing
    weight = g.reshape(-1, 1) * (counted * np.asarray(share, x.dtype))
    return ((softmax_of_rows(x) - asked) * weight).reshape(logits.shape)


cross_entropy_of_rows = rule(cross_entropy_of_rows, cross_entropy_slope, None, None, None, None)


def counting(logits: Any, targets: Any, ignore_index: int | None, reduction: str) -> tuple:
    """Logits (B T, N), class numbers (B T,), which count (B T, 1), and the share of each."""
    flat = np.reshape(targets, -1)
    counted = _counts(flat, ignore_index)
    share = 1 / max(int(np.count_nonzero(counted)), 1) if reduction == "mean" else 1.0
    ids = (flat * counted).astype(np.intp)  # unsigned ones would become floats when added to others
    return rows(logits), ids, counted[:, None], share
