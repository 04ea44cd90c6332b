"""Exercises for lesson 05: words as vectors.

    python -m minigrad exercises check 05

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def cosine(a, b):
    """The cosine of the angle between two vectors: 1 if they point the same way.

        cos = a . b / (|a| |b|),    |a| = sqrt(a . a)

    Args:
        a, b: (D,), neither of them zero.

    Returns:
        A number.

    >>> round(float(cosine(np.array([3.0, 4.0]), np.array([4.0, 3.0]))), 6)
    0.96
    """
    raise NotImplementedError


def softmax(x):
    """Each row's numbers made positive, with the sum 1.

        y_ij = exp(x_ij) / sum_k exp(x_ik)

    The numbers may be as large as 1000 or as low as -1000, or one row be 1000 below another: exp
    must not overflow, and no row become 0 / 0. Subtracting the same number from all of a row changes
    nothing. Some numbers of a row, but not all, may be -inf, which is how a number is hidden: they
    get 0.

    Args:
        x: of any shape; the rows lie along the last axis.

    Returns:
        An array of the same shape.

    >>> softmax(np.array([[0.0, 0.0], [5.0, -1000.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    raise NotImplementedError


def contextualise(v):
    """Each word's vector replaced by a mean over the sentence, weighted by likeness.

        y_i = sum_j a_ij v_j,    a_ij = exp(v_i . v_j) / sum_k exp(v_i . v_k)

    The products may be as large as 1000, and for one word far larger than for another: exp must not
    overflow, and no row become 0 / 0, as in `softmax`.

    Args:
        v: the vectors of T words, (T, D).

    Returns:
        (T, D).

    >>> contextualise(np.array([[1.0, 0.0], [1.0, 0.0]])).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    raise NotImplementedError
