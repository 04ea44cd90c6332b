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
