"""A tensor engine in one file: what the lesson `04_your_own_engine.py` comes to, step by step.

    x = Tensor([[1.0, 2.0]])
    loss = np.sum(np.exp(x) * x)      NumPy's own functions; they hand a Tensor over to `call`
    backward(loss)
    x.grad                            an array

A tensor remembers the function that made it, its arguments, and its number in the order of creation. A
table has a rule for each argument of each function. The walk back takes the newest tensor that a
gradient has reached, until none is left.
"""

import heapq
import itertools
import operator

import numpy as np

count = itertools.count()
RULES = {}  # for each function, the gradient with respect to each argument: (g, y, *arguments) -> array
WRITTEN = {}  # functions that are written in others


class Tensor(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that remembers how it was made. The base gives it NumPy's operators."""

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
        return call(function, args, kwargs) if method == "__call__" else NotImplemented

    def __array_function__(self, function, types, args, kwargs):
        return call(function, args, kwargs)

    def __getitem__(self, index):
        return call(operator.getitem, (self, index), {})


def plain(a):
    return a.array if isinstance(a, Tensor) else a


def call(function, args, kwargs):
    """The result of a function of Tensors: a Tensor that remembers, where there are rules for it."""
    if function in WRITTEN:
        return WRITTEN[function](*args, **kwargs)
    y = function(*map(plain, args), **kwargs)
    return Tensor(y, function, args, kwargs) if function in RULES else y


def backward(loss):
    """Find the gradient of a number with respect to every tensor that it was computed from."""
    arrived = {loss: np.ones_like(loss.array)}
    waiting = [(-loss.number, loss)]  # the newest first: all that use a tensor are newer
    while waiting:
        _, y = heapq.heappop(waiting)
        y.grad = g = arrived.pop(y)
        for a, rule in zip(y.args, RULES.get(y.function, ())):
            if rule is None or not isinstance(a, Tensor):
                continue
            given = undo_broadcast(rule(g, y.array, *map(plain, y.args), **y.kwargs), a.shape)
            if a not in arrived:
                heapq.heappush(waiting, (-a.number, a))
            arrived[a] = arrived.get(a, 0) + given


def undo_broadcast(g, shape):
    """The gradient of an array, given that of its copies: a sum."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


# --- what rules are written with ------------------------------------------------------------------


def kept(g, axis, keepdims):
    """A gradient with the axes that a sum took away."""
    return g if axis is None or keepdims else np.expand_dims(g, axis)


def transposed(a):
    return np.swapaxes(a, -1, -2)


def added_at(shape, index, g):
    """Zeros, with g added at an index; what it names twice gets both."""
    out = np.zeros(shape, g.dtype)
    np.add.at(out, index, g)
    return out


# --- the table ------------------------------------------------------------------------------------

# fmt: off
RULES[np.add] =      lambda g, y, a, b: g,            lambda g, y, a, b: g
RULES[np.subtract] = lambda g, y, a, b: g,            lambda g, y, a, b: -g
RULES[np.multiply] = lambda g, y, a, b: g * b,        lambda g, y, a, b: g * a
RULES[np.divide] =   lambda g, y, a, b: g / b,        lambda g, y, a, b: -g * y / b
RULES[np.maximum] =  lambda g, y, a, b: g * (a > b),  lambda g, y, a, b: g * (b > a)
RULES[np.matmul] =   lambda g, y, a, b: g @ transposed(b), lambda g, y, a, b: transposed(a) @ g
RULES[np.where] =    None,                            lambda g, y, c, a, b: np.where(c, g, 0), \
                     lambda g, y, c, a, b: np.where(c, 0, g)
RULES[np.negative] = lambda g, y, a: -g,
RULES[np.exp] =      lambda g, y, a: g * y,
RULES[np.log] =      lambda g, y, a: g / a,
RULES[np.sqrt] =     lambda g, y, a: g / (2 * y),
RULES[np.tanh] =     lambda g, y, a: g * (1 - y * y),
RULES[np.sum] =      lambda g, y, a, axis=None, keepdims=False: \
                     np.broadcast_to(kept(g, axis, keepdims), a.shape),
RULES[np.reshape] =  lambda g, y, a, shape: g.reshape(a.shape),
RULES[np.swapaxes] = lambda g, y, a, i, j: np.swapaxes(g, i, j),
RULES[operator.getitem] = lambda g, y, a, index: added_at(a.shape, index, g),
# fmt: on


# --- functions that are written in others ---------------------------------------------------------


def mean(a, axis=None, keepdims=False):
    total = np.sum(a, axis=axis, keepdims=keepdims)
    return total * (total.size / a.size)


def take_along_axis(a, indices, axis):
    at = list(np.indices(indices.shape, sparse=True))
    at[axis] = indices
    return a[tuple(at)]


WRITTEN |= {np.mean: mean, np.take_along_axis: take_along_axis}
