"""Exercises for lesson 16: a circuit: two heads that copy.

    python -m minigrad exercises check 16

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def repeat_part(x, start, to, length):
    """Rows in which a part comes twice, and where one can know what stands there.

    In row b, the symbols from position start[b] on, length[b] of them, are copied to the positions
    from to[b] on. The copy begins behind the part and fits into the row. That a copy begins cannot be
    known; so its first symbol is not known, and all its other symbols are.

    Args:
        x: symbols (B, T), integers. It stays as it is.
        start, to, length: (B,), integers.

    Returns:
        The new rows (B, T), and booleans (B, T): True where the symbol can be known.

    >>> rows, known = repeat_part(np.array([[1, 2, 3, 4, 5, 6]]), [1], [4], [2])
    >>> rows.tolist(), known.tolist()
    ([[1, 2, 3, 4, 2, 3]], [[False, False, False, False, False, True]])
    """
    raise NotImplementedError


def previous_share(weights):
    """The weight with which each head looks one back.

    For each head, the mean of the weights that the positions 1, 2, ... give to the one before them.
    Position 0 has nothing before it, and does not count.

    Args:
        weights: of H heads, (H, T, T), a row for each query.

    Returns:
        (H,).

    >>> previous_share(np.array([[[1.0, 0, 0], [1.0, 0, 0], [0.5, 0.5, 0]]])).tolist()
    [0.75]
    """
    raise NotImplementedError


def induction(ids, symbols):
    """The rule of the two heads: what followed the present symbol before, follows again.

    For each position t, look at all earlier positions with the symbol of t, and at the symbols that
    stand right behind them, up to position t. Each of these gets the same share; a symbol that
    followed twice gets two. Where the symbol at t is new, every symbol gets 1 / N.

    Args:
        ids: (T,), integers from 0 to N - 1.
        symbols: N.

    Returns:
        A row of shares for each position, (T, N), which sum to one.

    >>> induction(np.array([0, 1, 0, 2, 0]), 4).tolist()[2:]
    [[0.0, 1.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25], [0.0, 0.5, 0.5, 0.0]]
    """
    raise NotImplementedError
