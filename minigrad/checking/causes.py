"""Causes of a wrong gradient: which rule made it, and which mistake would explain it.

Each operation of the graph is checked by itself, against finite differences of that operation alone.
A rule that fails is then tried with one small repair after another: the repair that makes it right
names the mistake.
"""

from __future__ import annotations

import contextlib
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import errors
from ..arrays.trees import leaves, rebuilt
from ..engine.base import AnyArray
from ..engine.node import Node
from ..engine.tensor import Tensor
from ..engine.walk import Contribution, Visit, copied_axes, fit, order, undo_broadcast, walk
from ..ran.recording import record
from ..ran.rules_as_text import argument_names, source_of
from ..transforms import gradients
from .differences import Values, is_kink, sides, slopes

EPS = 1e-6  # the step of the differences of one operation

# --- what is found --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """A finding about a wrong gradient.

    Attributes:
        kind: in a word or two: "factor", "sign", "zero", "transpose", "missing sum", "missing
            keepdims", "wrong axis", "wrong argument", "repeated index", "power", "no g",
            "overwritten", "kink", "flat", "step", "not finite", "float32", "outside the graph",
            "unknown".
        what: in a sentence.
        place: the operation and the argument, the rule, and the line of code; "" for no operation.
    """

    kind: str
    what: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}" + (f"\n  {self.place}" if self.place else "")


def findings(
    f: Callable[[], list[Tensor]],
    weights: Sequence[np.ndarray],
    inputs: Sequence[Tensor],
    wrong: Sequence[tuple[Tensor, np.ndarray, np.ndarray]],
    eps: float,
    degree: int = 1,
) -> tuple[Finding, ...]:
    """Find what explains that gradients of `f` are wrong.

    `wrong` has each wrong input with its analytic and its numeric gradient. From degree 2 on, `f` is
    itself a gradient, so that the rules are part of it.
    """
    with record():
        outputs = f()
    starts: dict[Node, list] = {}  # the gradients that each node starts with
    for output, weight in zip(outputs, weights):
        if output._node is not None and output._node.requires_grad:
            starts.setdefault(output._node, []).append(weight)
    nodes = order(starts)
    coarse = [node for node in nodes if node.dtype != np.float64]
    if coarse:
        what = f"{_called(coarse[-1])} computes in {coarse[-1].dtype}, too coarse for differences"
        return (Finding("float32", what),)
    visits = walk({node: sum(start[1:], start[0]) for node, start in starts.items()})
    explained = list(_in_operations(visits, starts))
    if not explained and degree > 1:
        explained = [finding for node in nodes if node.edges for finding in _cut_off(node)]
    if not explained:
        values: Values = lambda: [output._array for output in f()]
        explained = [_in_function(values, weights, *case, eps) for case in wrong]
    return tuple(dict.fromkeys(explained))


# --- in one operation -----------------------------------------------------------------------------


def _in_operations(visits: Iterator[Visit], starts: dict[Node, list]) -> Iterator[Finding]:
    arrived = {node: list(start) for node, start in starts.items()}
    for node, g, contributions in visits:
        came = arrived.pop(node, [g])
        if len(came) > 1 and not agree(g, sum(came)):
            what = f"{len(came)} gradients arrive at {_called(node)}, and what it gets is not their sum"
            last = ", but the last of them" if agree(g, came[-1]) else ""
            yield Finding("overwritten", what + last)
        operation = _Rerun(node, g) if contributions else None
        for k, c in enumerate(contributions):
            arrived.setdefault(c.to, []).append(c.fitted)
            if operation is not None:
                again = sum(p.position == c.position and p.to is c.to for p in contributions[:k])
                yield from operation.explain(c, again)


def _cut_off(node: Node) -> Iterator[Finding]:
    """Rules of a node that are right, and whose own derivatives are not."""
    operation = _Rerun(node, np.ones(node.shape))
    leaf = lambda a: Tensor(a, requires_grad=True) if getattr(a, "dtype", None) == np.float64 else a
    args = [rebuilt(a, [leaf(b) for _, b in leaves(a)]) for a in operation.args]
    read = [leaf(operation.tried[0]), *(b for a in args for _, b in leaves(a))]
    inputs = [a for a in read if isinstance(a, Tensor)]
    for i in dict.fromkeys(i for i, _, _ in node.edges):

        def gradient(i: int = i) -> list[Tensor]:
            y = Tensor.apply(operation.function, tuple(args), node.kwargs)
            from_rule = operation.rules[i](inputs[0], y, *args, **node.kwargs)
            return [g if isinstance(g, Tensor) else Tensor(g) for _, g in leaves(from_rule)]

        outputs = gradient()
        weights = [np.random.default_rng(1).standard_normal(output.shape) for output in outputs]
        analytic = gradients(outputs, weights, inputs)
        values: Values = lambda: [output._array for output in gradient()]
        for tensor, a in zip(inputs, analytic):
            numeric = slopes(values, weights, tensor._array, EPS)
            if not agree(np.zeros(tensor.shape) if a is None else a, numeric):
                what = "the rule is right, but part of what it computes is outside the graph"
                yield Finding("outside the graph", what, operation.place(i))
                break


class _Rerun:
    """One operation of the graph, to be computed again with other arguments."""

    def __init__(self, node: Node, g: object):
        assert node.operation is not None
        self.node = node
        self.note = node.note  # it ran under record()
        self.function, self.rules = node.operation.call, node.operation.rules
        self.operation = node.operation
        self.args = [rebuilt(a, [_array(b) for _, b in leaves(a)]) for a in self.note.args]
        self.y = np.asarray(self.compute()[0])
        # The gradient that arrived may be all ones, say, and hide much: try any other one first.
        self.tried = np.random.default_rng(0).standard_normal(self.y.shape), _array(g)
        self.names = argument_names(node.operation, len(self.args))

    def compute(self) -> list[np.ndarray]:
        return [np.asarray(self.function(*self.args, **self.node.kwargs))]

    def rule(
        self, i: int, g: AnyArray, y: AnyArray = None, args: Sequence | None = None
    ) -> AnyArray:
        """Compute what the rule of argument i gives for the gradient g, and for y and args if given."""
        y = self.y if y is None else y
        return self.rules[i](g, y, *(args or self.args), **self.node.kwargs)

    def explain(self, contribution: Contribution, again: int) -> Iterator[Finding]:
        """The mistake in what one argument gets, if it is wrong.

        `again` counts the earlier contributions of this argument to the same tensor, for a list that has
        it several times.
        """
        i, argument, place = contribution.position, self.args[contribution.position], None
        places = [k for j, k, parent in self.node.edges if j == i and parent is contribution.to]
        if places[again] is not None:
            place = places[again]
            argument = argument[place]
        for g, passed in zip(self.tried, (None, contribution)):
            if passed is None:
                from_rule = self.rule(i, g) if place is None else self.rule(i, g)[place]
                fitted = fit(from_rule, argument, g)
            else:
                from_rule, fitted = contribution.given, contribution.fitted
            numeric = slopes(self.compute, [g], argument, EPS)
            if not agree(fitted, numeric):
                yield self._finding(
                    _Wrong(self, i, place, g, _array(from_rule), _array(fitted), numeric), argument
                )
                return

    def place(self, i: int) -> str:
        rule = source_of(self.rules[i]).replace("\n", "\n  ")
        line = f"\n  {self.note.line}" if self.note.line else ""
        return f"in the rule of {self.operation.name} for {self.names[i]}: {rule}{line}"

    def _finding(self, wrong: _Wrong, argument: Any) -> Finding:
        """The mistake in a gradient: a kink, a pattern, or one that a repair shows."""
        i, g, analytic, numeric = wrong.position, wrong.g, wrong.analytic, wrong.numeric
        at = self.place(i)
        if analytic.shape == numeric.shape:
            off = ~np.isclose(analytic, numeric, 1e-4, 1e-6 * _size(numeric))
            kinks = [
                is_kink(self.compute, [g], argument, k, EPS, abs(analytic[k] - numeric[k]))
                for k in map(tuple, np.argwhere(off))
            ]
            if kinks and all(kinks):
                k, ones = tuple(np.argwhere(off)[0]), np.ones_like(g)  # slopes for g = 1 say most
                analytic = fit(wrong.share(ones), argument, ones)
                left, right = sides(self.compute, [ones], argument, k, EPS)
                return _kink(argument[k], left, right, analytic[k], at)
            if not numeric.any():
                what = (
                    "the function is flat there, as a step is: a derivative of one's choice, other "
                )
                return Finding("flat", what + "than 0, cannot be checked", at)
        kind, what = pattern(analytic, numeric, self._counts(i))
        if kind not in ("unknown", "shape"):
            return Finding(kind, what, at)
        for mistake, repairs in REPAIRS.items():
            for sentence, repaired in repairs(wrong):
                with contextlib.suppress(Exception):  # a repair need not fit the shapes at hand
                    if agree(repaired(), numeric):
                        return Finding(mistake, sentence, at)
        return Finding(kind, what, at)

    def _counts(self, i: int) -> dict[int, str]:
        """Numbers that a forgotten division or multiplication could be by."""
        counts = {n: f"the length of axis {k}" for k, n in enumerate(np.shape(self.args[i]))}
        x, y = np.size(self.args[i]), self.y.size
        return counts | ({x // y: "the number of elements that went into each result"} if y else {})

    def other_axes(self) -> Iterator[tuple[int, list]]:
        """The arguments with another axis in place of the one named."""
        ndim = max(np.ndim(self.args[0]), self.y.ndim)
        if "axis" in self.names[: len(self.args)]:
            place = self.names.index("axis")
            for axis in range(ndim):
                yield axis, [axis if k == place else a for k, a in enumerate(self.args)]

    def swapped(self, i: int, g: object, j: int, k: int) -> AnyArray:
        """Compute what the rule gives if axes j and k are exchanged in all that it is given."""
        ndim = np.ndim(self.args[i])
        swap = lambda a: np.swapaxes(a, j, k) if np.ndim(a) == ndim else a
        args = [swap(a) if isinstance(a, np.ndarray) else a for a in self.args]
        return self.rule(i, swap(g), swap(self.y), args)


@dataclass(frozen=True)
class _Wrong:
    """A gradient that a rule got wrong, of one argument of an operation.

    Attributes:
        operation: the operation.
        position: of the argument.
        place: of its element, where it is a list.
        g: the gradient that the rule was given.
        from_rule: what the rule gave.
        analytic: that with broadcasting undone.
        numeric: what finite differences give.
    """

    operation: _Rerun
    position: int
    place: int | None
    g: AnyArray
    from_rule: AnyArray
    analytic: np.ndarray
    numeric: np.ndarray

    def share(self, g: AnyArray, **changed: Any) -> AnyArray:
        """Compute what the rule gives for g, and for other y and args if given."""
        from_rule = self.operation.rule(self.position, g, **changed)
        return from_rule if self.place is None else from_rule[self.place]

    def gradient(self, g: AnyArray = None, **changed: Any) -> AnyArray:
        """The same with broadcasting undone."""
        return self.summed(self.share(self.g if g is None else g, **changed))

    def summed(self, share: AnyArray) -> AnyArray:
        return undo_broadcast(_array(share), self.numeric.shape)


# --- the mistakes that a small change to the rule repairs -----------------------------------------

# In a sentence, and the gradient that the changed rule gives.
Repair = tuple[str, Callable[[], AnyArray]]


def _missing_sums(wrong: _Wrong) -> Iterator[Repair]:
    g, wide = wrong.g, wrong.from_rule.shape
    yield _summing(wide, wrong.numeric.shape), lambda: wrong.summed(wrong.from_rule)
    for axis in range(g.ndim):
        what = f"it does not sum over axis {axis} of the gradient, {g.shape}"
        rolled = [np.roll(g, k, axis) for k in range(g.shape[axis])]
        yield what, partial(_sum_of, wrong, rolled)


def _sum_of(wrong: _Wrong, gs: list[np.ndarray]) -> np.ndarray:
    return sum(wrong.gradient(g) for g in gs)


def _missing_keepdims(wrong: _Wrong) -> Iterator[Repair]:
    operation, g = wrong.operation, wrong.g
    if operation.y.ndim < np.ndim(operation.args[wrong.position]):
        for axis in range(g.ndim + 1):
            what = f"it is right if g keeps axis {axis}: keepdims, or np.expand_dims, is missing"
            yield what, partial(wrong.gradient, np.expand_dims(g, axis))


def _wrong_axes(wrong: _Wrong) -> Iterator[Repair]:
    operation = wrong.operation
    for axis, args in operation.other_axes():
        yield f"it is right with axis={axis}", partial(wrong.gradient, args=args)
    for j, k in itertools.combinations(range(wrong.numeric.ndim), 2):
        what = f"it takes axis {j} for axis {k}"
        yield what, partial(_swapped, wrong, j, k)


def _swapped(wrong: _Wrong, j: int, k: int) -> np.ndarray:
    return np.swapaxes(wrong.operation.swapped(wrong.position, wrong.g, j, k), j, k)


def _wrong_arguments(wrong: _Wrong) -> Iterator[Repair]:
    operation, i, names = wrong.operation, wrong.position, wrong.operation.names
    for j, other in enumerate(operation.rules):
        if j != i and other is not None:
            what = f"it is right with the rule for {names[j]} in its place"
            yield what, partial(_by_rule, wrong, j)
            args = list(operation.args)
            args[i], args[j] = args[j], args[i]
            what = f"it is right with {names[i]} and {names[j]} exchanged"
            yield what, partial(wrong.gradient, args=args)


def _by_rule(wrong: _Wrong, j: int) -> np.ndarray:
    return wrong.summed(wrong.operation.rule(j, wrong.g))


def _transposes(wrong: _Wrong) -> Iterator[Repair]:
    operation, g, y = wrong.operation, wrong.g, wrong.operation.y
    yield "it is the transpose of what it should be", lambda: wrong.from_rule.swapaxes(-1, -2)
    yield "it is right with g transposed", lambda: wrong.gradient(g.swapaxes(-1, -2))
    turned = y.swapaxes(-1, -2) if y.ndim > 1 else y
    yield "it is right with y transposed", lambda: wrong.gradient(y=turned)
    for name, a in zip(operation.names, operation.args):
        if np.ndim(a) > 1:
            args = [b if b is not a else np.swapaxes(b, -1, -2) for b in operation.args]
            yield f"it is right with {name} transposed", partial(wrong.gradient, args=args)


def _repeated_indices(wrong: _Wrong) -> Iterator[Repair]:
    operation = wrong.operation
    if operation.function is operator.getitem:
        counts = np.zeros(wrong.numeric.shape)
        np.add.at(counts, operation.args[1], 1)
        what = "an element that the index names more than once gets only one of its gradients"
        once = np.where(counts > 1, wrong.numeric, wrong.analytic)
        yield what, lambda: once


def _without_g(wrong: _Wrong) -> Iterator[Repair]:
    yield "the incoming gradient g is not multiplied in", lambda: wrong.analytic * wrong.g


def _wrong_powers(wrong: _Wrong) -> Iterator[Repair]:
    operation, analytic, numeric = wrong.operation, wrong.analytic, wrong.numeric
    for name, a in (("y", operation.y), *zip(operation.names, operation.args)):
        if isinstance(a, np.ndarray) and a.dtype.kind == "f":
            what = f"a factor of {name} is missing: is an exponent off by one?"
            yield what, lambda: proportional(analytic * a, numeric)
            what = f"there is a factor of {name} too many: is an exponent off by one?"
            yield what, lambda: proportional(analytic / a, numeric)


# By the kind of the mistake; the first repair that makes the gradient right names it.
REPAIRS: dict[str, Callable[[_Wrong], Iterator[Repair]]] = {
    "missing sum": _missing_sums,
    "missing keepdims": _missing_keepdims,
    "wrong axis": _wrong_axes,
    "wrong argument": _wrong_arguments,
    "transpose": _transposes,
    "repeated index": _repeated_indices,
    "no g": _without_g,
    "power": _wrong_powers,
}


# --- in words -------------------------------------------------------------------------------------


def _called(node: Node) -> str:
    """Return the name of a node in a finding: `np.exp #4`."""
    name = "leaf" if node.operation is None else node.operation.name
    return " ".join(filter(None, (name, node.name, f"#{node.number}")))


def _summing(wide: tuple[int, ...], shape: tuple[int, ...]) -> str:
    with contextlib.suppress(errors.ShapeError):
        axes = ", ".join(map(str, copied_axes(wide, shape)))
        return f"the copies that broadcasting made, along axes {axes} of {wide}, are not summed"
    return ""


def _kink(x: float, left: float, right: float, analytic: float, place: str = "") -> Finding:
    between = min(left, right) - 1e-6 <= analytic <= max(left, right) + 1e-6
    return Finding(
        "kink",
        f"at {x:.6g} the slope goes from {left:.6g} on the left to {right:.6g} on the right, so "
        f"finite differences cannot tell: the gradient here is {analytic:.6g}, which is "
        + ("one of those between: check beside the kink" if between else "not between the two"),
        place,
    )


# --- in the function as a whole ---------------------------------------------------------------------


def _in_function(
    values: Values, weights: Sequence, tensor: Tensor, analytic, numeric, eps: float
) -> Finding:
    """Explain a wrong gradient where every operation's rule is right."""
    array = tensor._array
    if analytic.shape == numeric.shape:
        gap = np.abs(analytic - numeric)
        index = np.unravel_index(np.argmax(np.where(np.isnan(gap), np.inf, gap)), gap.shape)
        if not np.isfinite(numeric[index]):
            return Finding("not finite", f"f is not defined on both sides of {array[index]:.6g}")
        if is_kink(values, weights, array, index, eps, gap[index]):
            left, right = sides(values, weights, array, index, eps)
            return _kink(array[index], left, right, analytic[index])
        finer = slopes_at(values, weights, array, index, eps / 4)
        if abs(finer - analytic[index]) < 0.2 * gap[index]:
            what = f"the differences come closer with a smaller step: try eps={eps / 10:.0e}"
            return Finding("step", what)
    _, what = pattern(analytic, numeric, {})
    return Finding(
        "outside the graph",
        f"{what}; every rule on the way is right, so part of what is computed from this input is "
        f"outside the graph: detach(), item(), .data or an array made from it",
    )


def slopes_at(values: Values, weights: Sequence, array, index: tuple, eps: float) -> float:
    left, right = sides(values, weights, array, index, eps)
    return (left + right) / 2


# --- arrays that resemble each other --------------------------------------------------------------


def pattern(analytic: np.ndarray, numeric: np.ndarray, counts: dict[int, str]) -> tuple[str, str]:
    """Describe how a wrong gradient relates to the right one: (kind, sentence)."""
    if analytic.shape != numeric.shape:
        what = f"the gradient has the shape {analytic.shape}, and its tensor {numeric.shape}"
        return "shape", what
    if not np.all(np.isfinite(analytic)):
        return "not finite", "the gradient has NaN or infinite elements"
    if not np.all(np.isfinite(numeric)):
        return "not finite", "the function is not defined on both sides of the point"
    off = ~np.isclose(analytic, numeric, 1e-4, 1e-6 * _size(numeric))
    where = "" if off.all() else f" in {int(off.sum())} of {off.size} elements"
    a, n = analytic[off], numeric[off]
    if not a.any():
        return "zero", f"it is zero{where}, and should not be"
    if agree(a, -n):
        return "sign", f"the sign is wrong{where}"
    c = float(a @ n / (n @ n)) if n.any() else 0.0
    if c and agree(a, c * n) and (a.size > 1 or off.size == 1):
        return "factor", f"it is {c:.6g} times what it should be{where}{_reason(c, counts)}"
    return "unknown", f"{int(off.sum())} of {off.size} elements are wrong, in no simple way"


def _reason(c: float, counts: dict[int, str]) -> str:
    for n, what in counts.items():
        if n > 1 and np.isclose(c, n, 1e-4):
            return f"; {n} is {what}: is it to be divided by?"
        if n > 1 and np.isclose(c * n, 1, 1e-4):
            return f"; {n} is {what}: is it to be multiplied by, or a sum in place of a mean?"
    return "; was one of two uses forgotten?" if np.isclose(c, 0.5, 1e-4) else ""


def agree(a: AnyArray, b: AnyArray) -> bool:
    """Tell whether two arrays are the same up to the error of finite differences."""
    a, b = _array(a), _array(b)
    return a.shape == b.shape and bool(np.allclose(a, b, 1e-4, 1e-6 * _size(b)))


def proportional(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`a` times the number that brings it closest to `b`."""
    a = np.broadcast_to(a, b.shape)
    return a * (np.vdot(a, b) / np.vdot(a, a))


def _size(a: np.ndarray) -> float:
    return max(1.0, float(np.max(np.abs(a), initial=0.0, where=np.isfinite(a))))


def _array(value: object) -> AnyArray:
    """The array in a Tensor, in float64; a copy, to be changed at will; anything else as it is."""
    value = value._array if isinstance(value, Tensor) else value
    if isinstance(value, (np.ndarray, np.generic)):
        return np.array(value, np.float64 if value.dtype.kind == "f" else None)
    return value
