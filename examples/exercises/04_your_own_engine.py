"""Exercises for lesson 04: your own engine.

    python -m minigrad exercises check 04
    python -m minigrad exercises engine              yours under a transformer, weight by weight

Write the body of each function in place of the `raise`. NumPy and Python alone are to do the work.
"""

import heapq
import itertools
import operator

import numpy as np

# --- the engine of step 8 ---------------------------------------------------------------------------
# What stands here is a beginning; yours may be another one altogether.

count = itertools.count()
RULES = {}  # for each function, the gradient with respect to each argument: (g, y, *arguments) -> array
RULES[np.add] = lambda g, y, a, b: g, lambda g, y, a, b: g


class Tensor(np.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, array, function=None, args=(), kwargs=None):
        self.array = np.asarray(array)
        self.function, self.args, self.kwargs = function, args, kwargs or {}
        self.number = next(count)
        self.grad = None

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    size = property(lambda self: self.array.size)
    dtype = property(lambda self: self.array.dtype)
    __hash__ = object.__hash__

    def __array_ufunc__(self, function, method, *args, **kwargs):
        raise NotImplementedError

    def __array_function__(self, function, types, args, kwargs):
        raise NotImplementedError

    def __getitem__(self, index):
        raise NotImplementedError


def backward(loss):
    raise NotImplementedError


def engine():
    """Your engine: what makes a tensor of an array, and what walks back.

    It is asked for rules, one call at a time; for the gradients of small sums and products in which
    tensors are used often, with broadcasts; for a chain of 1200 sums; and for the gradients of a
    transformer. A transformer calls these functions, and no others that pass a gradient on: add,
    subtract, multiply, divide, maximum, matmul, where, negative, exp, log, sqrt, sum, mean, reshape,
    swapaxes, take_along_axis, and x[index].

    Returns:
        A tuple: the class, whose tensors have `array`, `shape`, `ndim`, `size`, `dtype` and, after the
        walk back, `grad`, an array; and the function that walks back from a tensor with one number.

    >>> Tensor, backward = engine()
    >>> x = Tensor(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> backward(np.sum(np.exp(-x) @ x[[0, 0]] + np.array([1.0, 2.0])))
    >>> x.grad.round(2).tolist()
    [[-0.53, 0.17], [-0.15, -0.05]]
    """
    raise NotImplementedError


# --- the museum of bugs -----------------------------------------------------------------------------
# Each program below shipped, in an engine that many people used. It runs, and looks right: its example
# is. It has one bug, that its docstring forbids. Find it, and repair it; then `check` tells its story.


def reused(graph, root):
    """The gradient of every node: how fast the root changes with it.

    Args:
        graph: for each node what it was made of, as a list of (argument, slope). The nodes stand in
            any order.
        root: the node to begin at; it has the gradient 1.

    Returns:
        A dictionary with the gradient of each node of the graph, 0 if the root does not depend on it.

    >>> reused({"x": [], "u": [("x", 3), ("x", 1)], "y": [("u", 2)]}, "y")
    {'x': 8, 'u': 2, 'y': 1}
    """
    grad = dict.fromkeys(graph, 0)
    grad[root] = 1

    def backward(node):
        for argument, slope in graph[node]:
            grad[argument] += slope * grad[node]
        for argument, _ in graph[node]:
            backward(argument)

    backward(root)
    return grad


def arrived(graph, order, g):
    """The gradients of arrays, which add up where several arrive.

    Args:
        graph: for each node what it was made of, as a list of (argument, factor): the argument gets
            the gradient of the node, times the factor. A sum has the factors 1.
        order: all nodes, the root first, and each one after all that were made of it.
        g: the gradient of the root, an array. It stays as it is.

    Returns:
        A dictionary with the gradient of each node, an array.

    >>> found = arrived({"z": [("x", 1), ("y", 2)], "x": [], "y": []}, "zxy", np.array([1.0, 3.0]))
    >>> found["x"].tolist(), found["y"].tolist()
    ([1.0, 3.0], [2.0, 6.0])
    """
    grads = {order[0]: g}
    for node in order:
        for argument, factor in graph[node]:
            passed = grads[node] if factor == 1 else factor * grads[node]
            if argument in grads:
                grads[argument] += passed
            else:
                grads[argument] = passed
    return grads


def max_rule(g, x):
    """The derivative rule of y = x.max(axis=-1).

    What arrives at an element of y goes to the element of x that was the largest. All of it arrives
    there, and no more than that: several that are the largest share it evenly.

    Args:
        g: the gradient of y, (n,).
        x: (n, m).

    Returns:
        The gradient of x, (n, m).

    >>> max_rule(np.array([5.0, 7.0]), np.array([[1.0, 3.0], [4.0, 2.0]])).tolist()
    [[0.0, 5.0], [7.0, 0.0]]
    """
    largest = x == x.max(axis=-1, keepdims=True)
    return g[:, None] * largest


def norm_rule(g, x):
    """The derivative rule of the length of each row: y = sqrt(sum(x**2)).

    Args:
        g: the gradient of y, (n,).
        x: (n, d).

    Returns:
        The gradient of x, (n, d): numbers, for every x. At 0, where the length has a kink, it is 0, as
        it is for an absolute value.

    >>> norm_rule(np.array([10.0]), np.array([[3.0, 4.0]])).tolist()
    [[6.0, 8.0]]
    """
    y = np.sqrt((x * x).sum(axis=-1))
    return g[:, None] * x / y[:, None]


def root_rule(g, x):
    """The derivative rule of y = np.where(x > 0, np.sqrt(x), 0), by the rules of its two functions.

    Args:
        g: the gradient of y, (n,).
        x: (n,), any numbers.

    Returns:
        The gradient of x, (n,): numbers, for every x; 0 where x is not above 0.

    >>> root_rule(np.array([1.0, 2.0]), np.array([4.0, 0.25])).tolist()
    [0.25, 2.0]
    """
    chosen = np.where(x > 0, g, 0)  # the rule of np.where: nothing goes to what was not chosen
    return chosen / (2 * np.sqrt(x))  # the rule of np.sqrt


def fill_rule(g, index):
    """The derivative rules of y, which is x with one number v at some places: y[index] = v.

    Args:
        g: the gradient of y, (n,).
        index: (k,), whole numbers from 0 to n - 1.

    Returns:
        The gradients of x, (n,), and of v, a number, as a tuple.

    >>> gx, gv = fill_rule(np.array([1.0, 2.0, 4.0]), np.array([2, 0]))
    >>> gx.tolist(), float(gv)
    ([0.0, 2.0, 0.0], 5.0)
    """
    gx = g.copy()
    gx[index] = 0
    return gx, g[index].sum()
