"""Exercises for lesson 11: layer norm and residuals.

    python -m minigrad exercises check 11

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def layer_norm(x, gain, bias, eps):
    """Each position's numbers brought to mean 0 and variance 1, then scaled and shifted.

        y = (x - mean) / sqrt(variance + eps) * gain + bias

    Mean and variance are those of the D numbers of each position; the variance is the mean of the
    squares of x - mean.

    Args:
        x: (..., D).
        gain, bias: (D,).
        eps: a small number.

    Returns:
        An array of the shape of x.

    >>> gain, bias = np.array([1.0, 10.0]), np.array([0.0, 5.0])
    >>> layer_norm(np.array([[1.0, 3.0]]), gain, bias, 0.0).tolist()
    [[-1.0, 15.0]]
    """
    raise NotImplementedError


def layer_norm_rule(g, x, gain, eps):
    """The derivative rule of layer norm, by its input.

    With n = (x - mean) / s, s = sqrt(variance + eps), and h = g gain, which arrives at n,

        dL/dx = (h - mean of h - n times the mean of h n) / s,

    each mean over the D numbers of a position. The first mean is there because x acts on the mean,
    the second because it acts on the variance.

    Args:
        g: the gradient of y, (T, D).
        x: (T, D).
        gain: (D,).
        eps: as above.

    Returns:
        The gradient of x, (T, D).

    >>> one = np.ones(2)
    >>> layer_norm_rule(np.array([[1.0, 0.0]]), np.array([[-1.0, 1.0]]), one, 1.0).round(4).tolist()
    [[0.1768, -0.1768]]
    """
    raise NotImplementedError


def residual_step(x, layer, norm):
    """One step of a pre-norm transformer: what a layer finds is added to what was there.

        y = x + layer(norm(x))

    Args:
        x: (T, D).
        layer, norm: functions that take and return (T, D).

    Returns:
        (T, D).

    >>> residual_step(np.array([[3.0]]), lambda x: 10 * x, lambda x: x - 1)
    array([[23.]])
    """
    raise NotImplementedError
