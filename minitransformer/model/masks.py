"""Masks for attention: boolean arrays, rows = queries, columns = keys, True = may be attended to.

Masks are joined with `&`, and broadcast over the batch and the heads:

    causal(T) & padding(tokens)        # (T, T) & (B, 1, 1, T) -> (B, 1, T, T)

Any array of booleans is a mask; those below have names. `show` prints one. The way of a mask:

    made      here: a source's for `Transformer.encode` and `EncoderOnly.encode`, a decoder's for
              `embedding.embed_next`
    passed    as it is, by stacks and layers, to `MultiHeadAttention`
    checked   there for its axes; in `attention.normalized`, by `minigrad.functional.masks`, for being
              of booleans that broadcast to the scores
    applied   in `masked_softmax`, of `minigrad.functional.softmaxes`: a score that is hidden becomes
              minus infinity, and its weight 0. Another `phi` sees all scores, and `attention.normalized`
              makes what it gives for a hidden one 0
    kept      a source's, in `Memory`, for the decoder's second attention

A query that is padding is not masked: the loss leaves it out, by its `ignore_index`.

Beside the model, masks are chiefly the matter of these files. In a graph, a mask is an array of booleans
by which scores are chosen:

    minigrad/functional/masks.py               what a mask is, and the errors for what is none
    minigrad/ran/words.py                      calls an array of booleans a mask
    minigrad/views/page/attention.py           finds the mask of an attention in a graph, and its kind
    minigrad/views/page/switches.py            switches a kind of mask off
    minigrad/views/page/cells.js               shows what a mask hides; a click turns one of its cells
    minigrad/views/page/cell_panel.js          says what a cell of a mask does
    minigrad/views/troubles/attention.py       tells of a mask that is inverted, or multiplied
    minigrad/views/troubles/finite.py          tells of a row that a mask hides whole
    minigrad/aten/rows/elements.py             `masked_fill` of PyTorch
    minigrad/aten/rows/places.py               writes where a mask of PyTorch's is True
    minigrad/aten/rows/layers.py               masks that PyTorch's attention was called with
    minitransformer/training/torch_weights.py  masks to and from PyTorch, where True means hidden
    minitransformer/views/another_line.py      runs again with other ids, of which the masks are made
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from minigrad import errors
from minigrad.engine.errors import described
from minigrad.engine.kinds import checked
from minigrad.functional.masks import is_mask
from minigrad.settings import function, whole

from .grid import grid
from .tokens import check_integers


def causal(queries: int, keys: int | None = None) -> np.ndarray:
    """Let each position see itself and those before it: (queries, keys) bool.

    With more keys than queries, the queries are the last positions, as when tokens are generated one
    by one and those before are remembered.

    Raises:
        ConfigError: if a number is not a whole number from 0.
    """
    queries, keys = _sizes(queries, keys)
    return np.tri(queries, keys, keys - queries, dtype=bool)  # (T, S)


def padding(tokens: np.ndarray, pad: int = 0) -> np.ndarray:
    """No position sees padding: for tokens (B, S), a mask of shape (B, 1, 1, S).

    It hides columns (keys), never rows: what a padded query computes, the loss ignores.

    Raises:
        DTypeError: for anything but an array of integers.
    """
    check_integers(tokens)
    pad = whole("pad", pad, least=-math.inf)
    return (tokens != pad)[..., None, None, :]  # (B, 1, 1, S)


def decoder(tokens: np.ndarray, new: int | None = None) -> np.ndarray:
    """Let each of the last `new` positions see itself and those before it, but no padding.

    Args:
        tokens: all ids so far, (B, S).
        new: T, how many of them are queries (default: all).

    Returns:
        (B, 1, T, S).
    """
    check_integers(tokens)
    S = tokens.shape[-1]
    T = S if new is None else whole("new", new, most=S)
    return causal(T, S) & padding(tokens)  # (B, 1, T, S)


def window(
    queries: int, before: int, after: int | None = None, keys: int | None = None
) -> np.ndarray:
    """Let each position see its neighbours, and itself: (queries, keys) bool.

    Args:
        before: how many positions to the left.
        after: how many to the right (default: as many as to the left).
        keys: as in `causal`.

    Raises:
        ConfigError: if a number is not a whole number from 0.
    """
    before = whole("before", before)
    after = before if after is None else whole("after", after)
    return arbitrary(lambda q, k: (q - before <= k) & (k <= q + after), queries, keys)


def arbitrary(
    allowed: Callable[[np.ndarray, np.ndarray], np.ndarray], queries: int, keys: int | None = None
) -> np.ndarray:
    """True where `allowed` is, for the positions of query and key from 0: (queries, keys) bool.

        arbitrary(lambda q, k: q % 2 == k % 2, 6)

    It is called once, with all positions as integer arrays (T, 1) and (1, S). With more keys than
    queries, the queries are the last positions.

    Raises:
        ConfigError: if a number is not a whole number from 0, or `allowed` gives no booleans.
    """
    queries, keys = _sizes(queries, keys)
    function("allowed", allowed)
    q = np.arange(keys - queries, keys)[:, None]  # (T, 1)
    k = np.arange(keys)[None, :]  # (1, S)
    mask = np.asarray(allowed(q, k))
    if not is_mask(mask, (queries, keys)):
        raise errors.ConfigError(
            f"allowed() gives booleans for all positions, ({queries}, {keys}), not {described(mask)}"
        )
    return np.array(np.broadcast_to(mask, (queries, keys)))


def _sizes(queries: int, keys: int | None) -> tuple[int, int]:
    """The numbers of queries and keys."""
    queries = whole("queries", queries)
    return queries, queries if keys is None else whole("keys", keys)


@checked
def show(
    mask: np.ndarray, queries: Sequence[str] | None = None, keys: Sequence[str] | None = None
) -> str:
    """Show a mask (..., T, S) as text: one row per query, `■` where it may attend, `·` where not."""
    return grid(mask, queries, keys, lambda allowed: "■" if allowed else "·")
