"""Exercises for lesson 18: many workers.

    python -m minigrad exercises check 18

Write the body of each function in place of the `raise`. NumPy and Python are all you need.
"""

import numpy as np


def add_gradients(parts):
    """The gradient of a batch, from the gradients of its parts.

    The loss of the batch is the sum of the losses of the parts, so its gradient is the sum of their
    gradients. A part whose loss does not use a parameter has no gradient for it: its name is missing
    there.

    Args:
        parts: for each part, the gradients by the names of the parameters: arrays.

    Returns:
        The gradients by the names of all parameters that any part used.

    >>> one, two = {"w": np.array([1.0, 2.0])}, {"w": np.array([10.0, 10.0]), "b": np.array([3.0])}
    >>> {name: g.tolist() for name, g in add_gradients([one, two]).items()}
    {'w': [11.0, 12.0], 'b': [3.0]}
    """
    raise NotImplementedError


def weighted_mean(means, sizes):
    """The gradient of a mean over a batch, from the gradients of the means over its parts.

        g = sum_k n_k g_k / sum_k n_k

    Args:
        means: (parts, n), the gradient of the mean over each part.
        sizes: (parts,), how many examples each part has.

    Returns:
        (n,).

    >>> weighted_mean(np.array([[2.0, 0.0], [6.0, 4.0]]), np.array([3, 1])).tolist()
    [3.0, 1.0]
    """
    raise NotImplementedError


def tree_sum(items, add):
    """Add items in pairs, then the sums in pairs, and so on, until one is left.

    Neighbours are added, from the left. An item left over at the end of a row goes up to the next row
    as it is:

        a   b   c   d   e
        (ab)    (cd)    e
        ((ab)(cd))      e
        (((ab)(cd))e)

    Args:
        items: a list, of one item at least.
        add: takes two items, and returns their sum. Rounded sums depend on the order, so `add(x, y)`
            is not the same as `add(y, x)` here.

    >>> tree_sum(["a", "b", "c", "d", "e"], lambda x, y: f"({x}{y})")
    '(((ab)(cd))e)'
    """
    raise NotImplementedError


def ring_round(chunks, k):
    """One round of adding gradients around a ring of N workers.

    Worker r has N chunks, in row r. In round k, from 0 on, it sends its chunk number (r - k) mod N to
    worker (r + 1) mod N. All send at the same time. In the first N - 1 rounds a worker adds what arrives
    to its own chunk of that number; in the later ones, what arrives takes that chunk's place. After
    2 (N - 1) rounds all workers have all sums.

    Args:
        chunks: (N, N).
        k: the round.

    Returns:
        (N, N), the chunks after the round.

    >>> ring_round(np.array([[1.0, 2.0], [10.0, 20.0]]), 0).tolist()
    [[1.0, 22.0], [11.0, 20.0]]
    >>> ring_round(np.array([[1.0, 22.0], [11.0, 20.0]]), 1).tolist()
    [[11.0, 22.0], [11.0, 22.0]]
    """
    raise NotImplementedError
