"""The questions to an engine, in plain data: rules, walks, and the gradients of a transformer.

    ask = asked(engine)                  engine() -> (Tensor, backward), as in lesson 04
    ask("rule", "exp", (x,), {}, 0, g)   the gradient of argument 0 in np.sum(g * np.exp(x))
    ask("walk", lines, leaves)           of all leaves, in a sum of what the lines compute
    ask("chain", 1200)                   of x in x + x + ...
    ask("transformer", *case)            the loss, and the gradient of each weight by its path
    ask()                                of x in the loss of the docstring's example

The same runs on minigrad's tensors, `asked(minigrad)`, which says what is right.
"""

import functools
import operator

import numpy as np

import minigrad as mg
import minitransformer as mt
from minigrad.functional import cross_entropy


def asked(engine):
    """A function that asks an engine, and takes and gives plain data."""

    @functools.wraps(engine)
    def ask(what="example", *of):
        with np.errstate(all="ignore"):  # scores that are hidden are -inf
            return ASKED[what](*engine(), *of)

    return ask


def minigrad():
    return lambda array: mg.Tensor(array, requires_grad=True), lambda loss: loss.backward()


def grad_of(leaf):
    """The gradient of a leaf as an array; None if it has none."""
    grad = leaf.grad
    if grad is not None and grad is not getattr(grad, "data", None):
        grad = grad.data if isinstance(grad, mg.Tensor) else grad
    return None if grad is None else np.array(grad, float)


def example(Tensor, backward):
    x = Tensor(np.array([[1.0, 2.0], [3.0, 4.0]]))
    backward(np.sum(np.exp(-x) @ x[[0, 0]] + np.array([1.0, 2.0])))
    return grad_of(x)


def function_of(name):
    return operator.getitem if name == "getitem" else getattr(np, name)


def rule(Tensor, backward, name, arguments, keywords, place, g):
    arguments = [index(one) for one in arguments]
    leaf = Tensor(arguments[place])
    y = function_of(name)(*arguments[:place], leaf, *arguments[place + 1 :], **keywords)
    backward(np.sum(y * g))
    return grad_of(leaf)


def index(of):
    """An index as it is written: `...` is no plain data, and goes as a text."""
    inner = tuple(map(index, of)) if isinstance(of, tuple) else of
    return ... if isinstance(inner, str) and inner == "..." else inner


def walk(Tensor, backward, lines, leaves):
    """The gradients of the leaves; a line computes of two of what is there, leaves first, one more."""
    leaves = [Tensor(leaf) for leaf in leaves]
    values = list(leaves)
    for name, i, j in lines:
        values.append(function_of(name)(values[i], values[j]))
    backward(functools.reduce(operator.add, map(np.sum, values)))
    return [grad_of(leaf) for leaf in leaves]


def chain(Tensor, backward, length):
    x = y = Tensor(np.array([1.0]))
    for _ in range(length):
        y = y + x
    backward(np.sum(y))
    return grad_of(x)


# --- a transformer ----------------------------------------------------------------------------------

WORDS = np.array([[3, 4], [5, 0]]), np.array([[1, 4, 3, 2], [1, 5, 2, 0]])  # the second is shorter


def transformer(Tensor, backward, sizes, weights, source, target):
    model, places = _model(sizes)
    own = {path: Tensor(weights[path]) for path in weights}
    for path, (module, name) in places.items():
        vars(module)[name] = own[path]
    loss = loss_of(model, source, target)
    backward(loss)
    value = next(getattr(loss, name) for name in ("array", "data", "value") if hasattr(loss, name))
    return float(np.asarray(value)), {path: grad_of(tensor) for path, tensor in own.items()}


def loss_of(model, source, target):
    logits = model(source, target[:, :-1])  # (B, T, N)
    return cross_entropy(logits, target[:, 1:], ignore_index=0)


def _model(sizes):
    """A model in float64, and where each of its weights is, by its path."""
    model = mt.Transformer(mt.Sizes(**sizes)).astype(np.float64)
    return model, places_of(model)


def places_of(model):
    return {
        f"{path}.{name}": (module, name)
        for path, module in model.named_modules()
        for name, value in vars(module).items()
        if isinstance(value, mg.Tensor)
    }


def transformer_case(seed):
    """Sizes, weights and words: a small transformer, and two short words."""
    sizes = {"source_symbols": 6, "target_symbols": 6, "width": 4, "heads": 2, "feed_forward": 6}
    rng = np.random.default_rng(seed)
    weights = {
        path: rng.normal(0, 0.5, vars(module)[name].shape).round(3)
        for path, (module, name) in _model(sizes)[1].items()
    }
    return sizes, weights, *WORDS


ASKED = {
    function.__name__: function for function in (example, rule, walk, chain, transformer)
}  # by name


# --- the calls of a transformer ---------------------------------------------------------------------


class Noted(np.lib.mixins.NDArrayOperatorsMixin):
    """A tensor of minigrad's that notes the calls in which it takes part, in `calls`."""

    def __init__(self, array, calls, tensor=None):
        self.calls = calls
        self.tensor = mg.Tensor(array) if tensor is None else tensor

    shape = property(lambda self: self.tensor.shape)
    ndim = property(lambda self: self.tensor.ndim)
    size = property(lambda self: self.tensor.size)
    dtype = property(lambda self: self.tensor.dtype)
    __hash__ = object.__hash__

    def __array_ufunc__(self, function, method, *arguments, **keywords):
        return self.call(function, arguments, keywords)

    def __array_function__(self, function, types, arguments, keywords):
        return self.call(function, arguments, keywords)

    def __getitem__(self, index):
        return self.call(operator.getitem, (self, index), {})

    def call(self, function, arguments, keywords):
        arrays = [a.tensor.data if isinstance(a, Noted) else a for a in arguments]
        with np.errstate(invalid="ignore"):  # of hidden scores
            y = function(*arrays, **keywords)
        if np.asarray(y).dtype.kind != "f":
            return y
        places = [k for k, a in enumerate(arguments) if isinstance(a, Noted)]
        self.calls.append((function.__name__, arrays, keywords, places, np.shape(y)))
        return Noted(y, self.calls)


def rules_of_a_transformer(case, seed=0):
    """The cases of `rule`, from the loss back, in which a transformer calls each function: once for
    each kind of call, with how often there is one."""
    sizes, weights, source, target = case
    model, places = _model(sizes)
    calls = []
    for path, (module, name) in places.items():
        vars(module)[name] = Noted(weights[path], calls)
    loss_of(model, source, target)
    rng = np.random.default_rng(seed)
    found, counts = {}, {}
    for name, arguments, keywords, places, shape in reversed(calls):
        if name in NO_RULE:
            continue
        for place in places:
            shapes = [getattr(a, "shape", None) or str(a) for a in arguments]
            key = name, place, str(shapes), str(keywords)
            counts[key] = counts.get(key, 0) + 1
            g = rng.normal(size=shape).round(2)
            plain = tuple(map(_plain, arguments))
            found.setdefault(key, ("rule", name, plain, dict(keywords), place, g))
    return [(case, counts[key]) for key, case in found.items()]


NO_RULE = {"max", "amax", "shape", "ndim"}  # a maximum is taken off, and changes nothing


def _plain(index):
    inner = tuple(map(_plain, index)) if isinstance(index, tuple) else index
    return "..." if inner is ... else inner
