"""Exercises for lesson 12: encoder and decoder.

    python -m minigrad exercises check 12

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def causal_mask(queries, keys):
    """Each position may attend to itself and to those before it: True = may be attended to.

    Where there are more keys than queries, the queries are the last positions, as when a token is
    generated and those before are remembered.

    Args:
        queries: T.
        keys: S, at least T.

    Returns:
        Booleans, (T, S): a row a query, a column a key.

    >>> causal_mask(2, 3).tolist()
    [[True, True, False], [True, True, True]]
    """
    raise NotImplementedError


def padding_mask(tokens, pad):
    """No position may attend to padding: True = may be attended to.

    The mask is to be broadcast over the heads and the queries of scores (B, H, T, S).

    Args:
        tokens: ids, (B, S).
        pad: the id that stands for padding.

    Returns:
        Booleans, (B, 1, 1, S).

    >>> padding_mask(np.array([[7, 5, 0]]), 0).tolist()
    [[[[True, True, False]]]]
    """
    raise NotImplementedError


def decoder_mask(tokens, pad):
    """Both at once, for a decoder that reads its own sequence: neither the future nor padding.

    Args:
        tokens: ids, (B, T).
        pad: the id that stands for padding.

    Returns:
        Booleans, (B, 1, T, T).

    >>> decoder_mask(np.array([[7, 0, 5]]), 0).astype(int).tolist()
    [[[[1, 0, 0], [1, 0, 0], [1, 0, 1]]]]
    """
    raise NotImplementedError
