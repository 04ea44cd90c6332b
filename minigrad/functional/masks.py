"""Masks of attention: arrays of booleans (..., queries, keys), True = may be attended to.

A model makes them (`minitransformer.model.masks`). Here an array is told to be a mask, or refused with
an error that says why it is none.
"""

from __future__ import annotations

from .. import errors
from ..engine.tensor import Array


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Tell whether an array of `shape` fits beside one of the shape `to`, which stays as it is."""
    return len(shape) <= len(to) and all(m in (1, n) for m, n in zip(shape[::-1], to[::-1]))


def is_mask(mask: Array, shape: tuple[int, ...] | None = None) -> bool:
    """Tell whether `mask` is an array of booleans; and broadcasts to scores of `shape`, if given."""
    fits = getattr(mask, "dtype", None) == "bool"
    return fits and (shape is None or broadcasts(mask.shape, shape))


def check_mask(mask: Array, shape: tuple[int, ...] | None = None) -> None:
    """Check that `mask` is a mask, as `is_mask` says.

    Raises:
        DTypeError: if it is not an array of booleans.
        ShapeError: if it does not broadcast.
    """
    if not is_mask(mask):
        kind = getattr(mask, "dtype", type(mask).__name__)
        raise errors.DTypeError(
            f"a mask is an array of booleans, not {kind}: for ones and zeros write "
            f"mask == 1, for a mask of 0 and -inf to be added mask == 0"
        )
    if not is_mask(mask, shape):
        of_batch = {2: "; of keys (B, S) write mask[:, None, None, :]", 3: "; write mask[:, None]"}
        remedy = of_batch.get(len(mask.shape), "") if shape is not None and len(shape) == 4 else ""
        raise errors.ShapeError(
            f"a mask {mask.shape} does not broadcast to the scores {shape}: (..., queries, keys){remedy}"
        )
