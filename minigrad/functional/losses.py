"""Losses: numbers for how wrong an answer is, one in all, or one for each question."""

from __future__ import annotations

import math

import numpy as np

from .. import errors
from ..definitions.axes import as_arrays
from ..definitions.half import in_single
from ..engine.arguments import without_tensors
from ..engine.table import definition
from ..engine.tensor import A, Array
from ..settings import whole
from .activations import softplus
from .lookup import check_ids
from .softmaxes import log_softmax
from .squashed import warn_of_probabilities

ONE_SCORE = "; one score a row is for binary_cross_entropy_with_logits"
ABOVE_0 = 1e-3  # by so much rounding may lift the logarithm of a probability above 0


@definition(plain=True)
@in_single
def cross_entropy(
    logits: A,
    targets: Array,
    *,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> A:
    """-log p, p = softmax(logits)[target]: the cross-entropy of the right classes, in nats (lesson 13).

    With label smoothing s it is (1 - s) (-log p) + s mean(-log softmax(logits)).

    Args:
        logits: `(..., N)`, scores of N classes.
        targets: integers of shape `(...)`, each from 0 to N - 1 or `ignore_index`.
        ignore_index: a target that counts for nothing, such as padding.
        label_smoothing: the share of each target spread evenly over all N classes
            (Szegedy et al., 2016, section 7).
        reduction: "mean" over the targets that count, "sum", or "none". The mean of none is 0.

    Raises:
        ShapeError, DTypeError: if `targets` does not fit `logits`, or is not of integers; and for one
            class, of which the loss would be 0.
        ConfigError: for a smoothing outside 0 to 1, or another reduction.
    """
    (targets,) = as_arrays(targets)
    _check_targets(np.shape(logits), targets, ignore_index, reduction, label_smoothing)
    warn_of_probabilities(logits, "cross_entropy", "softmax")
    log_p = log_softmax(logits)  # (..., N)
    counted = _counted(targets, ignore_index)
    loss = minus_log_p(log_p, targets, counted)  # (...)
    if label_smoothing:
        over_all = np.where(counted, -np.mean(log_p, axis=-1), 0)
        loss = (1 - label_smoothing) * loss + label_smoothing * over_all
    return _reduce(loss, reduction, None if ignore_index is None else counted)


def _check_targets(shape, targets, ignore_index, reduction, label_smoothing=0.0) -> None:
    targets = without_tensors(targets)
    if targets.shape != shape[:-1]:
        raise errors.ShapeError(
            f"scores of shape {shape} ask for targets of shape {shape[:-1]}, "
            f"not {targets.shape}{_remedy(shape, targets.shape)}"
        )
    if shape[-1:] == (1,):
        raise errors.ShapeError(f"of one class the loss is 0 for all scores {shape}{ONE_SCORE}")
    if ignore_index is not None:
        ignore_index = whole("ignore_index", ignore_index, least=-math.inf)
    counting = targets if ignore_index is None else targets[targets != ignore_index]
    check_ids(counting, shape[-1], "a target")
    if not 0 <= label_smoothing <= 1:
        raise errors.ConfigError(f"label_smoothing is a share from 0 to 1, not {label_smoothing}")
    _check_reduction(reduction)


def _remedy(shape, of_targets) -> str:
    """Say what to write for targets that do not fit scores of `shape`; "" if that is not clear."""
    if of_targets == shape:
        is_one_score = len(shape) == 1 or shape[-1] == 1
        return ONE_SCORE if is_one_score else "; of one-hot targets take targets.argmax(-1)"
    if of_targets == (*shape[:-1], 1):
        return "; write targets[..., 0]"
    return "; the scores come first, and then the targets" if of_targets[:-1] == shape else ""


def _counted(targets, ignore_index):
    return np.full(targets.shape, True) if ignore_index is None else targets != ignore_index


def _check_reduction(reduction) -> None:
    if reduction not in ("mean", "sum", "none"):
        raise errors.ConfigError(f"reduction is 'mean', 'sum' or 'none', not {reduction!r}")


def _reduce(loss, reduction, counted=None):
    """The losses as they are, their sum, or the mean of the counted ones; the mean of none is 0."""
    if reduction != "mean":
        return loss if reduction == "none" else np.sum(loss)
    if counted is None:
        return np.sum(loss) / max(loss.size, 1)
    return np.sum(loss) / np.maximum(np.sum(counted), 1).astype(loss.dtype)


@definition(plain=True)
@in_single
def nll_loss(
    log_p: A, targets: Array, *, ignore_index: int | None = None, reduction: str = "mean"
) -> A:
    """-log p[target]: the negative log-likelihood of the right classes.

    Args:
        log_p: `(..., N)`, logarithms of probabilities, at most 0, such as `log_softmax` gives.
        targets, ignore_index, reduction: as for `cross_entropy`.

    Raises:
        ShapeError, DTypeError, ConfigError: as `cross_entropy`; a ConfigError for a number above 0.
    """
    (targets,) = as_arrays(targets)
    _check_targets(log_p.shape, targets, ignore_index, reduction)
    if np.any(without_tensors(log_p) > ABOVE_0):
        raise errors.ConfigError(
            "log_p are logarithms of probabilities, at most 0, as log_softmax(scores) gives; "
            "cross_entropy takes the scores themselves"
        )
    counted = _counted(targets, ignore_index)
    loss = minus_log_p(log_p, targets, counted)
    return _reduce(loss, reduction, None if ignore_index is None else counted)


def minus_log_p(log_p: A, targets: Array, counted: Array) -> A:
    """-log p[target]: log_p (..., N), targets (...) to (...); 0 where a target is not `counted`."""
    ids = np.where(counted, targets, 0)[..., None]  # (..., 1)
    loss = -np.take_along_axis(log_p, ids, axis=-1)[..., 0]  # (...)
    return np.where(counted, loss, 0)


@definition(plain=True)
@in_single
def mse_loss(predicted: A, targets: Array, *, reduction: str = "mean") -> A:
    """(predicted - targets)^2: the squared errors.

    Args:
        predicted, targets: of one shape.
        reduction: "mean" over all elements, "sum", or "none". The mean of none is 0.

    Raises:
        ShapeError: if the shapes differ; broadcasting here is nearly always a mistake.
        ConfigError: for another reduction.
    """
    predicted, targets = _pair(predicted, targets, reduction)
    return _reduce(np.square(predicted - targets), reduction)


@definition(plain=True)
@in_single
def binary_cross_entropy_with_logits(logits: A, targets: Array, *, reduction: str = "mean") -> A:
    """-(t log p + (1 - t) log(1 - p)), p = sigmoid(logits): the cross-entropy of targets t, in nats.

    Args:
        logits: of any shape, one for each question; `sigmoid` makes probabilities of them.
        targets: of that shape, from 0 to 1.
        reduction: "mean" over all elements, "sum", or "none". The mean of none is 0.

    Raises:
        ShapeError: if the shapes differ.
        ConfigError: for a target outside 0 to 1, or another reduction.
    """
    logits, targets = _pair(logits, targets, reduction)
    _check_probabilities(targets)
    warn_of_probabilities(logits, "binary_cross_entropy_with_logits", "sigmoid")
    return _reduce((1 - targets) * logits + softplus(-logits), reduction)


def _check_probabilities(targets) -> None:
    numbers = np.asarray(without_tensors(targets))
    wrong = numbers[(numbers < 0) | (numbers > 1)]
    if wrong.size:
        raise errors.ConfigError(
            f"a target is from 0 to 1, not {wrong[0]}; the scores come first, and then the targets"
        )


def _pair(values, targets, reduction):
    """Both as arrays, of one shape."""
    values, targets = as_arrays(values, targets)
    if values.shape != targets.shape:
        is_column = values.shape == (*targets.shape, 1)
        remedy = "; write x[..., 0] for what is compared" if is_column else ""
        raise errors.ShapeError(
            f"targets have the shape of what they are compared with: {values.shape}, "
            f"not {targets.shape}{remedy}"
        )
    _check_reduction(reduction)
    return values, targets
