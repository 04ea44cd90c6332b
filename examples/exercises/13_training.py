"""Exercises for lesson 13: training, and what its numbers tell.

    python -m minigrad exercises check 13

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def teacher_forcing(targets):
    """The ids that a decoder reads in training, and those that it is to write: the same, shifted by one.

    At each position it has read the right symbols up to there, and is to say the next one.

    Args:
        targets: ids, (B, T + 1): each row begins with the start symbol and has the end symbol, and
            then perhaps padding.

    Returns:
        What it reads, (B, T), and what it is to write, (B, T), as a tuple.

    >>> read, write = teacher_forcing(np.array([[1, 7, 8, 2]]))
    >>> read.tolist(), write.tolist()
    ([[1, 7, 8]], [[7, 8, 2]])
    """
    raise NotImplementedError


def cross_entropy(logits, targets, pad):
    """The surprise of a model at the right symbols: a mean over all that are no padding.

        loss = mean of -log p(target),    p = softmax(logits)

    The logits may be as large as 1000: log softmax(x) = x - max - log(sum of exp(x - max)).

    Args:
        logits: (B, T, N).
        targets: ids, (B, T), each from 0 to N - 1.
        pad: the id that stands for padding: these positions do not count.

    Returns:
        A number.

    >>> float(cross_entropy(np.zeros((1, 2, 4)), np.array([[1, 0]]), 0).round(4))
    1.3863
    """
    raise NotImplementedError


def dropout(x, p, draws, training):
    """Numbers set to 0 at random in training, and the others made larger, so that the mean stays.

        x / (1 - p) where the draw is at least p, 0 where it is below,    in training;
        x                                                                 otherwise

    Args:
        x: of any shape.
        p: the chance of being set to 0, from 0 to below 1.
        draws: random numbers from 0 to 1, of the shape of x.
        training: True in training, False in use.

    Returns:
        An array of the shape of x.

    >>> dropout(np.array([3.0, 3.0]), 0.25, np.array([0.1, 0.8]), True).tolist()
    [0.0, 4.0]
    """
    raise NotImplementedError
