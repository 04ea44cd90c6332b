"""Exercises for lesson 10: where am I?

    python -m minigrad exercises check 10

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def sinusoidal(length, width, offset):
    """Positions as sines and cosines of falling frequency, interleaved.

        PE(pos, 2i)     = sin(pos / 10000^(2i/D))
        PE(pos, 2i + 1) = cos(pos / 10000^(2i/D))

    Args:
        length: T, how many positions.
        width: D; an odd one ends with a sine.
        offset: the first position; pos goes from there to offset + T - 1.

    Returns:
        (T, D), of float64, or float32.

    >>> sinusoidal(2, 4, 0).round(4).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.8415, 0.5403, 0.01, 1.0]]
    """
    raise NotImplementedError


def add_positions(x, table, read):
    """Positions added to embeddings, also when tokens come one by one.

    While a model writes, it reads each new token by itself, and remembers what it has computed for
    those before. The new tokens stand after them.

    Args:
        x: embeddings of the new tokens, (B, T, D).
        table: row p is what position p adds: (longest, D).
        read: how many tokens were read before; 0 at the beginning.

    Returns:
        (B, T, D).

    >>> add_positions(np.zeros((1, 1, 1)), np.array([[10.0], [20.0], [30.0]]), 2).tolist()
    [[[30.0]]]
    """
    raise NotImplementedError


def shift(width, k):
    """The matrix that moves all positions on by k.

    With M = shift(D, k), M PE(pos) = PE(pos + k) for the sinusoids above, whatever pos is. Each
    pair (sin a, cos a), a = pos w with w = 1 / 10000^(2i/D), is turned by the angle k w:

        sin(a + k w) =  sin a cos k w + cos a sin k w
        cos(a + k w) = -sin a sin k w + cos a cos k w

    Args:
        width: D, even.
        k: a whole number.

    Returns:
        M, (D, D).

    >>> shift(2, 1).round(4).tolist()
    [[0.5403, 0.8415], [-0.8415, 0.5403]]
    """
    raise NotImplementedError
