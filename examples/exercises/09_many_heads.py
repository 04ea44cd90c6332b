"""Exercises for lesson 09: many heads.

    python -m minigrad exercises check 09

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def split_heads(x, heads):
    """Each position's D numbers cut into H equal pieces, one for each head.

    Head h of position t gets x[b, t, h K : (h + 1) K], with K = D / H.

    Args:
        x: (B, T, D).
        heads: H, which divides D.

    Returns:
        (B, H, T, K).

    >>> split_heads(np.array([[[1, 2, 3, 4], [5, 6, 7, 8]]]), 2).tolist()
    [[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]]
    """
    raise NotImplementedError


def join_heads(x):
    """The heads' pieces put side by side again: what `split_heads` does, undone.

    Args:
        x: (B, H, T, K).

    Returns:
        (B, T, H K).

    >>> join_heads(np.array([[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]])).tolist()
    [[[1, 2, 3, 4], [5, 6, 7, 8]]]
    """
    raise NotImplementedError


def multi_head(x, w_q, w_k, w_v, w_o, heads):
    """Self-attention with several heads.

    Queries, keys and values, x w_q, x w_k and x w_v, are split into heads, each K = D / H wide.
    Each head attends by itself,

        softmax(Q_h K_h^T / sqrt(K)) V_h,

    and the heads' results, side by side, are multiplied by w_o. The scores may be large, and for one
    word far larger than for another: take off each row's maximum before exp.

    Args:
        x: (B, T, D).
        w_q, w_k, w_v, w_o: (D, D).
        heads: H.

    Returns:
        (B, T, D).

    >>> x, one = np.array([[[1.0, 2.0], [3.0, 6.0]]]), np.eye(2)
    >>> multi_head(x, 0 * one, one, one, 10 * one, 2).tolist()
    [[[20.0, 40.0], [20.0, 40.0]]]
    """
    raise NotImplementedError
