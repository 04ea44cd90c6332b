"""The cross-entropy of logits in rows, of which the softmax is never stored."""

from __future__ import annotations

import numpy as np

from .. import functional as F
from ..definitions.axes import as_arrays
from ..engine.table import AnyArray
from ..functional.losses import _check_targets, _counts
from .common import in_rows, is_number, kernel, operation, row_starts, row_sums, rows
from .softmax import TINY, needs_no_shift, shifts, softmax_of_rows


@kernel(F.cross_entropy)
def cross_entropy(
    logits: AnyArray,
    targets: AnyArray,
    *,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> AnyArray:
    """`functional.cross_entropy`, where the smoothing is Python's number."""
    if not in_rows(logits) or not is_number(label_smoothing):
        return NotImplemented
    targets = np.asarray(*as_arrays(targets))
    _check_targets(logits.shape, targets, ignore_index, reduction, label_smoothing)
    counting = Counting(targets, ignore_index, reduction)
    return cross_entropy_of_rows(logits, label_smoothing, counting)


class Counting:
    """The targets in numbers: which logit of each row is asked for, and how much that counts.

    Attributes:
        shape: of the result, or None for their sum.
        ids: class numbers (B T,).
        counted: which targets count (B T, 1).
        weight: of each of these in the result.
    """

    __slots__ = ("counted", "ids", "shape", "weight")

    def __init__(self, targets: np.ndarray, ignore_index: int | None, reduction: str):
        flat = targets.reshape(-1)
        counted = _counts(flat, ignore_index)
        self.shape = targets.shape if reduction == "none" else None
        self.ids = (flat * counted).astype(np.intp)  # of unsigned ones, sums would be floats
        self.counted = counted[:, None]
        self.weight = 1.0
        if reduction == "mean":
            self.weight = 1 / max(int(np.count_nonzero(counted)), 1)


def cross_entropy_of_rows(logits: AnyArray, label_smoothing: float, counting: Counting) -> AnyArray:
    """log sum exp(row) less the logit of the right class, for each row; their sum, or mean.

    The maximum is taken off both first: to add it to one would lose the digits of large logits.
    """
    x = rows(logits)  # (B T, N)
    top = 0 if needs_no_shift(x) else shifts(x)  # (B T, 1)
    total = row_sums(np.exp(x - top))
    total = np.log(np.maximum(total, TINY))
    right = x.reshape(-1).take(counting.ids + row_starts(*x.shape))[:, None] - top
    if label_smoothing:
        every = row_sums(x - top) * (label_smoothing / x.shape[1])
        right = (1 - label_smoothing) * right + every
    loss = np.where(counting.counted, total - right, 0) * counting.weight  # (B T, 1)
    return loss.sum() if counting.shape is None else loss.reshape(counting.shape)


def cross_entropy_slope(
    g: AnyArray, _y: AnyArray, logits: AnyArray, label_smoothing: float, counting: Counting
) -> AnyArray:
    """softmax(logits) less what the targets ask for, and nothing where a target does not count."""
    x, ids = rows(logits), counting.ids
    asked = np.full(x.shape, label_smoothing / x.shape[1], x.dtype)  # (B T, N)
    asked[np.arange(ids.size), ids] += 1 - label_smoothing
    weight = g.reshape(-1, 1) * (counting.counted * np.asarray(counting.weight, x.dtype))
    return ((softmax_of_rows(x) - asked) * weight).reshape(logits.shape)


cross_entropy_of_rows = operation(cross_entropy_of_rows, cross_entropy_slope, None, None)
