"""A compiled function beside the function itself: both are called often, and give what to compare."""

import numpy as np
from leaves import gradients

import minigrad as mg

CALLS = 5  # the first three run as they are


def both_ways(f, inputs):
    """What `f` gives for tensors and arrays, and the gradients of the tensors."""
    y = f(*inputs)
    leaves = [x for x in inputs if isinstance(x, mg.Tensor)]
    if y.requires_grad:
        y.backward(np.linspace(0.5, 2, y.size).reshape(y.shape).astype(y.dtype))
    return [y.detach().numpy(), *gradients(leaves)]


def compiled(f, *inputs, exact=True):
    """`f` compiled, after the calls that make a program for such inputs."""
    step = mg.compile(f, exact=exact)
    for _ in range(3):
        step(*inputs)
    assert step.source
    return step


def inputs_of(program, k):
    """Its leaves for the k-th call, with other numbers each time; plain arrays are the same in all."""
    for one in program.leaves:
        more = 1 if one.plain else 1 + k / 64
        array = one._replace(elements=[e * more for e in one.elements]).array()
        yield array if one.plain else mg.Tensor(array, requires_grad=True)
