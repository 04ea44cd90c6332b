"""Exercises for lesson 15: one set of parts, three models.

    python -m minigrad exercises check 15

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def hide(tokens, draws, p, mask, pad):
    """Some tokens hidden, to be guessed: how a model that reads in both directions learns.

    A token is hidden where its draw is below p; padding never is. In what the model reads, hidden
    tokens are replaced by the id `mask`. What it is to guess are the hidden tokens alone;
    everywhere else stands padding, which the loss ignores.

    Args:
        tokens: ids, (B, T).
        draws: random numbers from 0 to 1, (B, T).
        p: a number from 0 to 1.
        mask, pad: ids.

    Returns:
        What it reads, (B, T), and what it is to guess, (B, T), as a tuple.

    >>> read, guess = hide(np.array([[5, 6, 0]]), np.array([[0.1, 0.9, 0.1]]), 0.5, 9, 0)
    >>> read.tolist(), guess.tolist()
    ([[9, 6, 0]], [[5, 0, 0]])
    """
    raise NotImplementedError


def last_logits(logits, lengths):
    """Find what a decoder-only model says about the next symbol of each prompt of a batch.

    The prompts are filled up with padding at their ends, to be equally long. The model says at each
    position what comes after it.

    Args:
        logits: (B, T, N).
        lengths: of the prompts without their padding, (B,), each from 1 to T.

    Returns:
        (B, N).

    >>> last_logits(np.array([[[1.0], [2.0]], [[3.0], [4.0]]]), np.array([1, 2])).tolist()
    [[1.0], [4.0]]
    """
    raise NotImplementedError


def cross_entropy_rule(logits, targets, pad):
    """The gradient of the loss, where the learning of all three models begins.

    The loss is a mean over the positions that are no padding,

        L = mean of -log softmax(logits)[target],

    and its derivative with respect to each logit of such a position is

        (softmax(logits) - 1 at the target) / how many positions count;

    at padded positions it is 0. The logits may be as large as 1000, or those of one position be 1000
    below another's: take off each position's maximum before exp.

    Args:
        logits: (B, T, N).
        targets: ids, (B, T), each from 0 to N - 1.
        pad: the id that stands for padding.

    Returns:
        The gradient of the logits, (B, T, N).

    >>> cross_entropy_rule(np.zeros((1, 2, 2)), np.array([[1, 0]]), 0).tolist()
    [[[0.5, -0.5], [0.0, 0.0]]]
    """
    raise NotImplementedError
