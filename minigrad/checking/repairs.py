"""Repairs: small changes to a rule. Each is tried, until one makes the gradient right."""

from __future__ import annotations

import contextlib
import itertools
import operator
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from .. import errors
from ..engine.base import AnyArray
from ..engine.walk import copied_axes
from .operation_again import WrongGradient
from .patterns import proportional

# A sentence on the mistake, and a function that computes the gradient by the repaired rule. It may raise
# an error, for a repair need not fit the shapes.
Repair = tuple[str, Callable[[], AnyArray]]


def _missing_sums(wrong: WrongGradient) -> Iterator[Repair]:
    g, wide = wrong.g, wrong.from_rule.shape
    yield _summing(wide, wrong.numeric.shape), lambda: wrong.summed(wrong.from_rule)
    for axis in range(g.ndim):
        what = f"it does not sum over axis {axis} of the gradient, {g.shape}"
        rolled = [np.roll(g, k, axis) for k in range(g.shape[axis])]
        yield what, partial(_added_up, wrong, rolled)


def _added_up(wrong: WrongGradient, gs: list[AnyArray]) -> AnyArray:
    """The sum of the gradients that the rule gives for each of these g."""
    return sum(map(wrong.gradient, gs))


def _summing(wide: tuple[int, ...], shape: tuple[int, ...]) -> str:
    with contextlib.suppress(errors.ShapeError):
        axes = ", ".join(map(str, copied_axes(wide, shape)))
        return f"the copies that broadcasting made, along axes {axes} of {wide}, are not summed"
    return ""


def _missing_keepdims(wrong: WrongGradient) -> Iterator[Repair]:
    operation, g = wrong.operation, wrong.g
    if operation.y.ndim < np.ndim(operation.args[wrong.position]):
        for axis in range(g.ndim + 1):
            what = f"it is right if g keeps axis {axis}: keepdims, or np.expand_dims, is missing"
            yield what, partial(wrong.gradient, np.expand_dims(g, axis))


def _wrong_axes(wrong: WrongGradient) -> Iterator[Repair]:
    operation, args = wrong.operation, wrong.operation.args
    if "axis" in operation.names[: len(args)]:
        place = operation.names.index("axis")
        for axis in range(max(np.ndim(args[0]), operation.y.ndim)):
            other = [*args[:place], axis, *args[place + 1 :]]
            yield f"it is right with axis={axis}", partial(wrong.gradient, args=other)
    for j, k in itertools.combinations(range(wrong.numeric.ndim), 2):
        yield f"it takes axis {j} for axis {k}", partial(_swapped, wrong, j, k)


def _swapped(wrong: WrongGradient, j: int, k: int) -> AnyArray:
    """The gradient by the rule, with axes j and k exchanged in all its arguments, and then in it."""
    operation, ndim = wrong.operation, np.ndim(wrong.operation.args[wrong.position])
    swap = lambda a: np.swapaxes(a, j, k) if np.ndim(a) == ndim else a
    args = [swap(a) if isinstance(a, np.ndarray) else a for a in operation.args]
    from_rule = operation.rule(wrong.position, swap(wrong.g), swap(operation.y), args)
    return np.swapaxes(from_rule, j, k)


def _wrong_arguments(wrong: WrongGradient) -> Iterator[Repair]:
    operation, i, names = wrong.operation, wrong.position, wrong.operation.names
    for j, other in enumerate(operation.rules):
        if j != i and other is not None:
            what = f"it is right with the rule for {names[j]} in its place"
            yield what, partial(_by_rule, wrong, j)
            args = list(operation.args)
            args[i], args[j] = args[j], args[i]
            what = f"it is right with {names[i]} and {names[j]} exchanged"
            yield what, partial(wrong.gradient, args=args)


def _by_rule(wrong: WrongGradient, j: int) -> AnyArray:
    """The gradient by the rule for argument `j`."""
    return wrong.summed(wrong.operation.rule(j, wrong.g))


def _transposes(wrong: WrongGradient) -> Iterator[Repair]:
    operation, g, y = wrong.operation, wrong.g, wrong.operation.y
    yield "it is the transpose of what it should be", lambda: wrong.from_rule.swapaxes(-1, -2)
    yield "it is right with g transposed", lambda: wrong.gradient(g.swapaxes(-1, -2))
    turned = y.swapaxes(-1, -2) if y.ndim > 1 else y
    yield "it is right with y transposed", lambda: wrong.gradient(y=turned)
    for name, a in zip(operation.names, operation.args):
        if np.ndim(a) > 1:
            args = [b if b is not a else np.swapaxes(b, -1, -2) for b in operation.args]
            yield f"it is right with {name} transposed", partial(wrong.gradient, args=args)


def _repeated_indices(wrong: WrongGradient) -> Iterator[Repair]:
    operation = wrong.operation
    if operation.function is operator.getitem:
        counts = np.zeros(wrong.numeric.shape)
        np.add.at(counts, operation.args[1], 1)
        what = "an element that the index names more than once gets only one of its gradients"
        yield what, lambda: np.where(counts > 1, wrong.numeric, wrong.analytic)


def _without_g(wrong: WrongGradient) -> Iterator[Repair]:
    yield "the incoming gradient g is not multiplied in", lambda: wrong.analytic * wrong.g


def _wrong_powers(wrong: WrongGradient) -> Iterator[Repair]:
    operation = wrong.operation
    for name, a in (("y", operation.y), *zip(operation.names, operation.args)):
        if isinstance(a, np.ndarray) and a.dtype.kind == "f":
            what = f"a factor of {name} is missing: is an exponent off by one?"
            yield what, partial(_in_proportion, wrong, operator.mul, a)
            what = f"there is a factor of {name} too many: is an exponent off by one?"
            yield what, partial(_in_proportion, wrong, operator.truediv, a)


def _in_proportion(wrong: WrongGradient, by: Callable, a: np.ndarray) -> AnyArray:
    """The gradient multiplied or divided by `a`, times the number that brings it nearest."""
    return proportional(by(wrong.analytic, a), wrong.numeric)


# By the kind of the mistake; the first repair that makes the gradient right names it.
REPAIRS: dict[str, Callable[[WrongGradient], Iterator[Repair]]] = {
    "missing sum": _missing_sums,
    "missing keepdims": _missing_keepdims,
    "wrong axis": _wrong_axes,
    "wrong argument": _wrong_arguments,
    "transpose": _transposes,
    "repeated index": _repeated_indices,
    "no g": _without_g,
    "power": _wrong_powers,
}
