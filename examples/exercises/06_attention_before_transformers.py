"""Exercises for lesson 06: attention before transformers.

    python -m minigrad exercises check 06

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def rnn(x, W, U, b):
    """A recurrent network: one state, carried along a sequence.

        h_t = tanh(x_t W + h_(t-1) U + b),    with zeros before the first

    Args:
        x: a sequence of T vectors, (T, D).
        W: (D, H).
        U: (H, H).
        b: (H,).

    Returns:
        The states h_1 ... h_T, (T, H).

    >>> one, zero = np.ones((1, 1)), np.zeros(1)
    >>> rnn(np.array([[0.5], [0.0]]), one, one, zero).round(4).tolist()
    [[0.4621], [0.4318]]
    """
    raise NotImplementedError


def additive_scores(q, k, W, U, v):
    """Additive attention's scores: how well each query matches each key.

        e_ij = v . tanh(q_i W + k_j U)

    Args:
        q: T queries, (T, K).
        k: S keys, (S, L).
        W: (K, A).
        U: (L, A).
        v: (A,).

    Returns:
        (T, S): a row a query, a column a key.

    >>> one = np.ones((1, 1))
    >>> additive_scores(one, np.array([[-1.0], [0.0]]), one, one, np.array([2.0])).round(4).tolist()
    [[0.0, 1.5232]]
    """
    raise NotImplementedError


def contexts(e, h):
    """The mean of the encoder's states that a decoder reads at each of its steps.

        c_j = sum_i a_ij h_i,    where for each j the weights a_ij sum to one over i

    and a_ij grows as exp(e_ij). The scores may be as large as 1000, or those of one step be 1000 below
    another's: exp must not overflow, and no step get 0 / 0.

    Args:
        e: scores, (S, T): e[i, j] says how well state i fits step j (`additive_scores` has them the
            other way round).
        h: the states, (S, D).

    Returns:
        (T, D), a row for each step.

    >>> contexts(np.array([[0.0], [0.0]]), np.array([[2.0], [4.0]])).tolist()
    [[3.0]]
    """
    raise NotImplementedError
