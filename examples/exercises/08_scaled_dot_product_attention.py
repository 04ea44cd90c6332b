"""Exercises for lesson 08: scaled dot-product attention.

    python -m minigrad exercises check 08

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def scores(q, k):
    """Scores that say how well each query matches each key.

        s_ij = q_i . k_j / sqrt(K)

    Args:
        q: T queries, (T, K).
        k: S keys, (S, K).

    Returns:
        (T, S): a row a query, a column a key.

    >>> scores(np.array([[1.0, 2.0, 2.0, 1.0]]), np.array([[1.0, 1.0, 0.0, 1.0]])).tolist()
    [[2.0]]
    """
    raise NotImplementedError


def attend(s, mask, v):
    """Each query's mean of the values, weighted by the softmax of its scores, without the masked.

        a_ij = exp(s_ij) / sum of exp(s_ik) over the k that the mask allows,   0 where it does not
        y_i  = sum_j a_ij v_j

    A query that may attend to nothing gets zeros. The scores may be large, hidden ones too: take
    off each row's maximum over what is allowed.

    Args:
        s: scores, (T, S).
        mask: booleans, (T, S), True = may be attended to.
        v: values, (S, V).

    Returns:
        (T, V).

    >>> mask = np.array([[True, True, False], [False, False, False]])
    >>> attend(np.zeros((2, 3)), mask, np.array([[1.0], [3.0], [50.0]])).tolist()
    [[2.0], [0.0]]
    """
    raise NotImplementedError


def softmax_rule(g, y):
    """The derivative rule of y = softmax(x), along rows.

        dL/dx_ij = y_ij (g_ij - sum_k g_ik y_ik)

    To find it yourself: raise one x_j, and say what happens to y_j, and to all the others.

    Args:
        g: the gradient of y, (T, S).
        y: the result of the softmax, (T, S): rows that sum to one; hidden places have 0.

    Returns:
        The gradient of x, (T, S).

    >>> softmax_rule(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])).tolist()
    [[0.25, -0.25]]
    """
    raise NotImplementedError
