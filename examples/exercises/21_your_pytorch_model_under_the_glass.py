"""Exercises for lesson 21: your PyTorch model under the glass.

    python -m minigrad exercises check 21

Write the body of each function in place of the `raise`. NumPy and Python are all you need.
"""

import numpy as np


def distance_rule(g, v):
    """The gradient with respect to vectors, of the distances of all pairs, without a NaN.

        d_ij = |v_i - v_j|,    loss = sum over i and j of g_ij d_ij

    Where two vectors are equal, the distance has no slope: its gradient there is taken to be 0. So it
    is on the diagonal.

    Args:
        g: (N, N), the gradient of the loss with respect to each distance.
        v: (N, D).

    Returns:
        (N, D), the gradient of the loss with respect to v.

    >>> distance_rule(np.array([[5.0, 1.0], [0.0, 5.0]]), np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [-0.6, -0.8]]
    """
    raise NotImplementedError


def culprit(calls, values):
    """The first call whose result is not finite, though all of its arguments are.

    Args:
        calls: in order, each a list of the name of its result and the names of its arguments.
        values: for each name, an array.

    Returns:
        The name of its result; None if there is no such call.

    >>> values = {"x": np.array([0.0, 1.0]), "a": np.array([-np.inf, 0.0]), "b": np.array([np.nan, 0.0])}
    >>> culprit([["a", "x"], ["b", "a", "x"]], values)
    'a'
    """
    raise NotImplementedError
