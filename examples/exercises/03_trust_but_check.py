"""Exercises for lesson 03: trust, but check.

    python -m minigrad exercises check 03

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import numpy as np


def numerical_gradient(f, x, h):
    """The slope of f along every element of x, by central differences.

        (f(x with x_k + h) - f(x with x_k - h)) / 2h    for each element x_k, the others as they are

    Args:
        f: takes an array of the shape of x, and returns a number.
        x: of any shape, of floats or of whole numbers; it is not to be changed.
        h: the step.

    Returns:
        An array of floats, of the shape of x; float64, or float32, which may be rounded more.

    >>> numerical_gradient(lambda x: x[0] * x[0] * x[1], np.array([2.0, 3.0]), 0.5).tolist()
    [12.0, 4.0]
    """
    raise NotImplementedError


def gradients_agree(analytic, numeric, rtol, atol):
    """Tell whether a gradient is right, judged by finite differences: all of its elements.

        |analytic - numeric| <= atol + rtol |numeric|        for every element

    Args:
        analytic: the gradient to be judged, of any shape; there may be a NaN in it, which is wrong.
        numeric: finite differences. If their shape is another, the gradient is wrong.
        rtol, atol: what is tolerated.

    Returns:
        True or False.

    >>> gradients_agree(np.array([1.0, 2.0]), np.array([1.0, 2.1]), 0.0, 0.2)
    True
    >>> gradients_agree(np.array([1.0, 2.0]), np.array([1.0, 2.5]), 0.0, 0.2)
    False
    """
    raise NotImplementedError
