"""Input of the models: rows of ids, checked where they come in."""

from __future__ import annotations

import numpy as np

from minigrad import errors


def check_tokens(tokens: np.ndarray) -> None:
    """Check that `tokens` are a batch of ids: an array of integers (B, T).

    Raises:
        DTypeError: if they are no array, or not of integers.
        ShapeError: if they have not two axes.
    """
    check_integers(tokens)
    if len(tokens.shape) != 2:
        raise errors.ShapeError(
            f"a model reads tokens (batch, positions), and the shape is {tuple(tokens.shape)}: "
            f"write tokens[None] for a batch of one sequence"
        )


def check_integers(tokens: np.ndarray) -> None:
    """Check that `tokens` are an array of integers.

    Raises:
        DTypeError: if not.
    """
    dtype = getattr(tokens, "dtype", None)
    if dtype is None or dtype.kind not in "iu":
        raise errors.DTypeError(
            f"tokens are an array of integers, not {dtype or repr(tokens)[:60]}: write np.array(...) "
            f"around a list of rows, and tokens.astype(int) for an array of another type"
        )
