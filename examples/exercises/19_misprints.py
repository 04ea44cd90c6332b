"""Exercises for lesson 19: misprints.

    python -m minigrad exercises check 19

What is misprinted in a program runs. Each of these shipped, in a transformer or a trainer that many
people used; it looks right, and its example is. It has one bug, that its docstring forbids. Find it, and
repair it, with NumPy and Python alone; then `check` tells its story.
"""

import numpy as np


def accumulated_loss(parts):
    """The loss of a batch that does not fit into memory, part by part.

    It is the mean over all tokens of the batch that count, the same however the batch is cut.

    Args:
        parts: a list of (losses, counts): the loss of each token, (n,), and booleans, (n,), False for
            padding. In each part some token counts.

    Returns:
        The loss, a number.

    >>> yes = np.array([True, True])
    >>> float(accumulated_loss([(np.array([1.0, 3.0]), yes), (np.array([5.0, 7.0]), yes)]))
    4.0
    """
    loss = 0.0
    for losses, counts in parts:
        loss += losses[counts].mean() / len(parts)
    return loss


def drawn_by_workers(seed, epochs, workers):
    """Random numbers for the crops that worker processes make of pictures.

    The same arguments give the same numbers. But no two workers draw the same, nor does a worker in
    two epochs.

    Args:
        seed: a whole number.
        epochs, workers: how many.

    Returns:
        A list for each epoch, of a list for each worker, of four whole numbers below 1,000,000.

    >>> found = drawn_by_workers(7, 1, 1)
    >>> len(found), len(found[0]), len(found[0][0])
    (1, 1, 4)
    """
    drawn = []
    for _ in range(epochs):
        epoch = []
        for _ in range(workers):
            rng = np.random.default_rng(seed)  # a process begins with a copy of what there is
            epoch.append(rng.integers(0, 1_000_000, 4).tolist())
        drawn.append(epoch)
    return drawn


def smoothed_loss(log_p, targets, smoothing, ignored):
    """Cross-entropy with label smoothing, in which some positions do not count.

    At a position that counts, the loss is (1 - smoothing) times minus the log-probability of the
    target, plus smoothing times the mean of minus the log-probabilities of all symbols. The result is
    the mean over the positions that count.

    Args:
        log_p: log-probabilities, (n, N).
        targets: (n,), whole numbers; some position counts.
        smoothing: from 0 to 1.
        ignored: the target of a position that does not count, such as -100.

    Returns:
        A number.

    >>> log_p = np.log(np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]))
    >>> round(float(smoothed_loss(log_p, np.array([0, -100]), 0.0, -100)), 4)
    0.6931
    """
    counts = targets != ignored
    safe = np.where(counts, targets, 0)
    of_targets = np.where(counts, -log_p[np.arange(len(targets)), safe], 0)
    of_all = -log_p.mean(axis=-1)
    return ((1 - smoothing) * of_targets.sum() + smoothing * of_all.sum()) / counts.sum()


def clipped(gradients, most):
    """Gradients made smaller, if together they are longer than `most`.

    All gradients are seen as one long vector: its direction stays.

    Args:
        gradients: a list of arrays, one for each weight.
        most: the greatest length.

    Returns:
        A list of arrays.

    >>> [g.tolist() for g in clipped([np.array([3.0, 4.0])], 2.5)]
    [[1.5, 2.0]]
    """
    result = []
    for g in gradients:
        length = np.sqrt(np.sum(g * g))
        result.append(g * min(1.0, most / length))
    return result


def normalized(x, gain, bias, eps):
    """Layer norm: gain * (x - mean) / sqrt(variance + eps) + bias, row by row.

    The variance is the mean of the squared distances from the mean.

    Args:
        x: (n, D).
        gain, bias: (D,).
        eps: a small number.

    Returns:
        (n, D).

    >>> normalized(np.array([[2.0, 2.0]]), np.array([3.0, 3.0]), np.array([1.0, 0.0]), 0.01).tolist()
    [[1.0, 0.0]]
    """
    mean = x.mean(axis=-1, keepdims=True)
    std = x.std(axis=-1, keepdims=True, ddof=1)
    return gain * (x - mean) / (std + eps) + bias


def embedded(new, cached, table, positions):
    """Tokens as vectors, each with the vector of its position added.

    While a model writes, the keys and values of all that is there already are kept, and only what is
    new goes in.

    Args:
        new: ids of the new tokens, (T,).
        cached: how many tokens are there already.
        table: the vector of each symbol, (N, D).
        positions: the vector of each position, from the beginning of the text, (longest, D).

    Returns:
        (T, D).

    >>> table, positions = np.array([[10.0], [20.0]]), np.array([[0.1], [0.2], [0.3]])
    >>> embedded(np.array([0, 1, 1]), 0, table, positions).round(1).tolist()
    [[10.1], [20.2], [20.3]]
    """
    x = table[new]
    if len(new) > 1:
        x = x + positions[: len(new)]
    return x


def attended(q, k, v):
    """Self-attention with H heads: each query's shares of all values, which sum to 1.

    Args:
        q, k, v: (T, H, D).

    Returns:
        (T, H, D).

    >>> q = np.array([[[1.0, 2.0]]])
    >>> attended(q, 2 * q, 3 * q).tolist()
    [[[3.0, 6.0]]]
    """
    scores = np.einsum("ihd,jhd->ijh", q, k) / np.sqrt(q.shape[-1])
    e = np.exp(scores - scores.max(axis=0))
    weights = e / e.sum(axis=0)
    return np.einsum("ijh,jhd->ihd", weights, v)


def masked_weights(scores, allowed):
    """Attention weights: of each row, the softmax over the keys that it may attend to.

    A key that is hidden gets exactly 0, whatever its score is. A row in which everything is hidden
    gets zeros.

    Args:
        scores: (T, S), any numbers.
        allowed: (T, S), booleans.

    Returns:
        (T, S).

    >>> masked_weights(np.array([[1.0, 1.0, 5.0]]), np.array([[True, True, False]])).tolist()
    [[0.5, 0.5, 0.0]]
    """
    scores = scores + np.where(allowed, 0.0, -10_000.0)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def best_beam(prompt, beams, penalty):
    """The best of the texts that beam search has found after a prompt.

    The score of a text is the sum of the log-probabilities of its written tokens, divided by their
    number to the power `penalty`: with 1, it is their mean, and no length is preferred.

    Args:
        prompt: how many tokens were given.
        beams: for each text, the log-probabilities of the tokens that were written, (n,).
        penalty: from 0.

    Returns:
        The number of the best text, and its score, as a tuple.

    >>> best_beam(0, [np.array([-1.0, -2.0]), np.array([-1.0])], 1.0)
    (1, -1.0)
    """
    scores = [float(np.sum(one)) / (prompt + len(one)) ** penalty for one in beams]
    best = max(range(len(beams)), key=scores.__getitem__)
    return best, scores[best]
