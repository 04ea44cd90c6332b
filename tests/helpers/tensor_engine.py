"""An engine of tensors, in the style that many courses teach: a class for each function."""

import numpy as np


class Function:
    @classmethod
    def apply(cls, *inputs):
        ctx = {}
        inputs = [x if isinstance(x, Tensor) else Tensor(np.array(x, float)) for x in inputs]
        out = Tensor(cls.forward(ctx, *[x.storage for x in inputs]))
        out.history = cls, ctx, inputs
        return out


class Add(Function):
    def forward(ctx, a, b):
        return a + b

    def backward(ctx, g):
        return g, g


class Mul(Function):
    def forward(ctx, a, b):
        ctx["saved"] = a, b
        return a * b

    def backward(ctx, g):
        a, b = ctx["saved"]
        return g * b, g * a


class Inv(Function):
    def forward(ctx, a):
        ctx["saved"] = a
        return 1 / a

    def backward(ctx, g):
        return (-g / ctx["saved"] ** 2,)


class Exp(Function):
    def forward(ctx, a):
        ctx["saved"] = np.exp(a)
        return ctx["saved"]

    def backward(ctx, g):
        return (g * ctx["saved"],)


class Log(Function):
    def forward(ctx, a):
        ctx["saved"] = a
        return np.log(a)

    def backward(ctx, g):
        return (g / ctx["saved"],)


class MatMul(Function):
    def forward(ctx, a, b):
        ctx["saved"] = a, b
        return a @ b

    def backward(ctx, g):
        a, b = ctx["saved"]
        return g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g


class Sum(Function):
    """Over one axis, which stays there with length 1."""

    def forward(ctx, a, dim):
        ctx["shape"] = a.shape
        return a.sum(axis=int(dim), keepdims=True)

    def backward(ctx, g):
        return np.broadcast_to(g, ctx["shape"]), np.zeros(())


class View(Function):
    def forward(ctx, a, shape):
        ctx["shape"] = a.shape
        return a.reshape(shape.astype(int))

    def backward(ctx, g):
        return g.reshape(ctx["shape"]), np.zeros(1)


class Permute(Function):
    def forward(ctx, a, order):
        ctx["order"] = order.astype(int)
        return a.transpose(ctx["order"])

    def backward(ctx, g):
        return g.transpose(np.argsort(ctx["order"])), np.zeros(1)


class Tensor:
    def __init__(self, storage):
        self.storage, self.history, self.grad = storage, None, None

    shape = property(lambda self: self.storage.shape)
    to_numpy = lambda self: self.storage
    __add__ = lambda self, other: Add.apply(self, other)
    __mul__ = lambda self, other: Mul.apply(self, other)
    __radd__, __rmul__ = __add__, __mul__
    __neg__ = lambda self: self * -1
    __sub__ = lambda self, other: self + -other
    __truediv__ = lambda self, other: self * Inv.apply(other)
    __matmul__ = lambda self, other: MatMul.apply(self, other)
    exp = lambda self: Exp.apply(self)
    log = lambda self: Log.apply(self)
    sum = lambda self, dim: Sum.apply(self, dim)
    view = lambda self, *shape: View.apply(self, shape)
    permute = lambda self, *order: Permute.apply(self, order)

    def backward(self):
        order, seen, waiting = [], set(), [(self, False)]
        while waiting:
            tensor, done = waiting.pop()
            if done:
                order.append(tensor)
            elif tensor not in seen:
                seen.add(tensor)
                waiting.append((tensor, True))
                waiting += [(x, False) for x in (tensor.history or (0, 0, ()))[2]]
        gradients = {self: np.ones(self.shape)}
        for tensor in reversed(order):
            g = gradients.pop(tensor)
            tensor.grad = Tensor(g)
            if tensor.history:
                function, ctx, inputs = tensor.history
                for x, d in zip(inputs, function.backward(ctx, g)):
                    d = d.sum(axis=tuple(range(d.ndim - len(x.shape))))
                    stretched = tuple(k for k, n in enumerate(x.shape) if n == 1)
                    d = d.sum(axis=stretched, keepdims=True)
                    gradients[x] = gradients.get(x, 0) + d


def tensor(values):
    return Tensor(np.array(values, float))
