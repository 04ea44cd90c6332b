"""Exercises for lesson 14: generating.

    python -m minigrad exercises check 14

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def greedy(scores, start, end, longest):
    """Write the likeliest symbol, put it behind what was written, and go on from there.

    Args:
        scores: a function that takes the list of all symbols so far, the start symbol first, and
            returns how likely each symbol is to come next: (N,), the highest the likeliest.
        start: the id of the start symbol.
        end: the id of the end symbol; after it nothing is written.
        longest: how many symbols to write at most, the end symbol among them.

    Returns:
        The symbols written, a list of ids without the start symbol, with the end symbol if it came.
        Ids are whole numbers.

    >>> greedy(lambda tokens: np.eye(4)[min(len(tokens) + 1, 3)], 0, 3, 9)
    [2, 3]
    """
    raise NotImplementedError


def top_p(p, least):
    """Only the likeliest symbols that together have at least a given probability.

    Take symbols by their probability, the likeliest first, until the sum reaches `least`; the one
    that reaches it is taken, too. All others get 0, and those taken are divided by their sum.

    Args:
        p: probabilities, (N,), no two alike.
        least: above 0, below 1.

    Returns:
        Probabilities (N,), in the order of p.

    >>> top_p(np.array([0.125, 0.5, 0.25, 0.0625, 0.0625]), 0.6).round(4).tolist()
    [0.0, 0.6667, 0.3333, 0.0, 0.0]
    """
    raise NotImplementedError


def beam_search(scores, start, end, longest, beams):
    """Keep the best few beginnings at each step, and return the best in the end.

    A beginning is as good as the sum of log p of its symbols, p = softmax(scores). At each step
    every beginning is continued by every symbol; one that has ended stays as it is. Of all these
    together, whichever they came from, the best `beams` are kept. It is over when all that are kept
    have ended, or after `longest` steps.

    Args:
        scores, start, end, longest: as for `greedy`; scores are any numbers, (N,), also about 1000 or
            -1000. `start` and `end` may be the same id.
        beams: how many beginnings to keep.

    Returns:
        The symbols of the best, without the start symbol, and the sum of their log p, as a tuple.

    >>> tokens, log_p = beam_search(lambda tokens: np.log([1.0, 3.0, 4.0]), 0, 1, 2, 2)
    >>> tokens, round(float(log_p), 4)
    ([1], -0.9808)
    """
    raise NotImplementedError
