"""Exercises for lesson 07: queries, keys and values by hand.

    python -m minigrad exercises check 07

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def self_attention(x, w_q, w_k, w_v):
    """Each word asks with its query, is found by its key, and answers with its value.

        Q = x W_q,  K = x W_k,  V = x W_v,    softmax(Q K^T / sqrt(width of the keys)) V

    where the softmax makes each row sum to one. The scores may be large, and for one word far larger
    than for another: take off each row's maximum before exp.

    Args:
        x: T words, (T, D).
        w_q, w_k: (D, K).
        w_v: (D, V).

    Returns:
        (T, V).

    >>> one = np.ones((1, 1))
    >>> self_attention(np.array([[0.0], [2.0]]), 0 * one, one, 3 * one).tolist()
    [[3.0], [3.0]]
    """
    raise NotImplementedError


def bilinear(w_q, w_k):
    """The one matrix that says who attends to whom.

    The score of words e and e' (rows of D numbers), before scaling, is (e W_q) . (e' W_k). Find the
    matrix A for which that is e A e'^T, whatever e and e' are.

    Args:
        w_q, w_k: (D, K).

    Returns:
        A, (D, D).

    >>> bilinear(np.array([[1.0], [0.0]]), np.array([[0.0], [2.0]])).tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    raise NotImplementedError
