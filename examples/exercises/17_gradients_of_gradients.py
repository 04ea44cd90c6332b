"""Exercises for lesson 17: gradients of gradients.

    python -m minigrad exercises check 17

Write the body of each function in place of the `raise`. Here minigrad may be used: `mg.grad`,
`mg.vjp`, and NumPy on Tensors; and in `newton_step` also `mg.hessian`.
"""

import numpy as np

import minigrad as mg


def hessian_times(f, x, v):
    """The matrix of all second derivatives of f, times a vector, without making the matrix.

        (H v)_i = sum_j d^2 f / dx_i dx_j  v_j

    It is the gradient of one number: of the product of the gradient with v. A matrix would be made row
    by row, with a call of f or a walk back for each; here f may be called 11 times at most, and walked
    back through as often, also for n = 12.

    Args:
        f: takes an array or Tensor (n,), and returns one number.
        x, v: (n,).

    Returns:
        (n,).

    >>> f = lambda x: x[0] * x[0] * x[1]
    >>> hessian_times(f, np.array([3.0, 5.0]), np.array([1.0, 2.0])).tolist()
    [22.0, 6.0]
    """
    raise NotImplementedError


def newton_step(f, x):
    """One step of Newton's method, to the lowest point of the parabola that fits f at x.

        x - H^-1 g,    with the gradient g and the Hessian H at x

    The Hessian may come from `mg.hessian`, or from anything else that gives it to four digits, such as
    differences of gradients.

    Args:
        f: takes an array or Tensor (n,), and returns one number.
        x: (n,).

    Returns:
        (n,).

    >>> f = lambda x: (x[0] - 1) ** 2 + x[0] * x[1] + x[1] ** 2
    >>> newton_step(f, np.zeros(2)).round(4).tolist()
    [1.3333, -0.6667]
    """
    raise NotImplementedError


def forward_derivative(f, x, v):
    """J v: how fast f changes as x moves along v, from two walks back.

    `y, back = mg.vjp(f, x)` gives y = f(x), and a function that takes u, of the shape of y, to the
    tuple (J^T u,). That function is linear in u; walk back through it. Another way is right too, if it
    is exact: a number added to f, however large, must change nothing.

    Args:
        f: takes an array or Tensor (n,), and returns one of shape (m,).
        x, v: (n,).

    Returns:
        (m,).

    >>> forward_derivative(lambda x: x * x, np.array([1.0, 3.0]), np.array([1.0, 2.0])).tolist()
    [2.0, 12.0]
    """
    raise NotImplementedError
