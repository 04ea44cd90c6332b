"""Causes of a wrong gradient: which rule made it, and which mistake would explain it.

Each operation of the graph is checked by itself, against finite differences of that operation alone.
A rule that fails is then tried with one small repair after another: the repair that makes it right
names the mistake.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..arrays.trees import leaves, rebuilt
from ..engine.base import AnyArray
from ..engine.node import Node
from ..engine.tensor import Tensor
from ..engine.walk import Contribution, Visit, fit, order, walk
from ..ran.loop import record
from ..transforms import gradients
from .differences import Values, is_kink, sides, slopes
from .operation_again import OperationAgain, WrongGradient
from .patterns import agree, as_float64, pattern, unlike
from .repairs import REPAIRS
from .report import Finding

EPS = 1e-6  # the step of the differences of one operation


def findings(
    f: Callable[[], list[Tensor]],
    weights: Sequence[np.ndarray],
    wrong: Sequence[tuple[Tensor, np.ndarray, np.ndarray]],
    eps: float,
    degree: int = 1,
) -> tuple[Finding, ...]:
    """Find the causes of wrong gradients of `f`.

    Args:
        wrong: each input with a wrong gradient, its analytic and its numeric gradient.
        degree: of the derivative. From 2 on, `f` is a gradient itself: it has rules inside.
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
        operation = OperationAgain(node) if contributions else None
        for k, c in enumerate(contributions):
            arrived.setdefault(c.to, []).append(c.fitted)
            if operation is not None:
                again = sum(p.position == c.position and p.to is c.to for p in contributions[:k])
                wrong = _wrong_gradient(operation, g, c, again)
                if wrong is not None:
                    yield _mistake(wrong)


def _any_gradient(operation: OperationAgain) -> np.ndarray:
    """A random gradient for the result: the one that arrived may be all ones, and hide a mistake."""
    return np.random.default_rng(0).standard_normal(operation.y.shape)


def _wrong_gradient(
    operation: OperationAgain, g: AnyArray, contribution: Contribution, again: int
) -> WrongGradient | None:
    """The gradient that an argument gets, if it is wrong: for a random gradient of the result, or `g`.

    `again` counts the earlier contributions of this argument to the same tensor: a list may have the
    tensor several times.
    """
    i, edges = contribution.position, operation.node.edges
    item = [e.item for e in edges if (e.position, e.to) == (i, contribution.to)][again]
    argument = operation.args[i] if item is None else operation.args[i][item]
    any_g = _any_gradient(operation)
    from_rule = operation.rule(i, any_g) if item is None else operation.rule(i, any_g)[item]
    given = contribution.given, contribution.fitted
    tried = (any_g, from_rule, fit(from_rule, argument, any_g)), (as_float64(g), *given)
    for arriving, from_rule, fitted in tried:
        numeric = slopes(operation.compute, [arriving], argument, EPS)
        if not agree(fitted, numeric):
            shares = as_float64(from_rule), as_float64(fitted)
            return WrongGradient(operation, i, item, arriving, *shares, numeric)
    return None


def _mistake(wrong: WrongGradient) -> Finding:
    """The mistake in a gradient: a kink, a pattern, or one that a repair shows."""
    operation, analytic, numeric = wrong.operation, wrong.analytic, wrong.numeric
    at = operation.place(wrong.position)
    if analytic.shape == numeric.shape:
        at_kink = _kink_of(wrong)
        if at_kink is not None:
            return at_kink
        if not numeric.any():
            what = "the function is flat there, as a step is: a derivative of one's choice, other "
            return Finding("flat", what + "than 0, cannot be checked", at)
    # If g is one number, a gradient without the factor g is a multiple of the right one.
    without_g = _repaired(wrong, "no g", at) if wrong.g.size == 1 else None
    if without_g is not None:
        return without_g
    kind, what = pattern(analytic, numeric, operation.counts(wrong.position))
    if kind not in ("unknown", "shape"):
        return Finding(kind, what, at)
    repaired = (_repaired(wrong, mistake, at) for mistake in REPAIRS)
    return next(filter(None, repaired), Finding(kind, what, at))


def _repaired(wrong: WrongGradient, mistake: str, at: str) -> Finding | None:
    """The finding that names a mistake, if one of its repairs makes the gradient right."""
    for sentence, repair in REPAIRS[mistake](wrong):
        with contextlib.suppress(Exception):  # a repair need not fit the shapes at hand
            if agree(repair(), wrong.numeric):
                return Finding(mistake, sentence, at)
    return None


def _kink_of(wrong: WrongGradient) -> Finding | None:
    """The first kink, if every element whose gradient is wrong lies on one."""
    operation, argument, g = wrong.operation, wrong.argument, wrong.g
    gap = np.abs(wrong.analytic - wrong.numeric)
    off = [*map(tuple, np.argwhere(unlike(wrong.analytic, wrong.numeric)))]
    kinks = [is_kink(operation.compute, [g], argument, k, EPS, gap[k]) for k in off]
    if not kinks or not all(kinks):
        return None
    k, ones = off[0], np.ones_like(g)  # slopes for g = 1 say most
    analytic = fit(wrong.share(ones), argument, ones)
    left, right = sides(operation.compute, [ones], argument, k, EPS)
    return _kink(argument[k], left, right, analytic[k], operation.place(wrong.position))


def _cut_off(node: Node) -> Iterator[Finding]:
    """A finding for each rule of a node that is right, but has a wrong derivative itself.

    The rule is checked as a function of the gradient g and of the operation's arguments.
    """
    operation = OperationAgain(node)
    leaf = lambda a: Tensor(a, requires_grad=True) if getattr(a, "dtype", None) == np.float64 else a
    g = leaf(_any_gradient(operation))
    args = [rebuilt(a, [leaf(b) for _, b in leaves(a)]) for a in operation.args]
    inputs = [g, *(b for a in args for _, b in leaves(a) if isinstance(b, Tensor))]
    for i in dict.fromkeys(edge.position for edge in node.edges):

        def gradient(i: int = i) -> list[Tensor]:
            y = Tensor.apply(operation.function, tuple(args), node.kwargs)
            from_rule = operation.rules[i](g, y, *args, **node.kwargs)
            return [a if isinstance(a, Tensor) else Tensor(a) for _, a in leaves(from_rule)]

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


# --- in the function as a whole ---------------------------------------------------------------------


def _in_function(
    values: Values, weights: Sequence, tensor: Tensor, analytic, numeric, eps: float
) -> Finding:
    """The cause of a wrong gradient if the rules of all operations are right."""
    array = tensor._array
    if analytic.shape == numeric.shape:
        gap = np.abs(analytic - numeric)
        index = np.unravel_index(np.argmax(np.where(np.isnan(gap), np.inf, gap)), gap.shape)
        if not np.isfinite(numeric[index]):
            return Finding("not finite", f"f is not defined on both sides of {array[index]:.6g}")
        if is_kink(values, weights, array, index, eps, gap[index]):
            left, right = sides(values, weights, array, index, eps)
            return _kink(array[index], left, right, analytic[index])
        finer = sum(sides(values, weights, array, index, eps / 4)) / 2
        if abs(finer - analytic[index]) < 0.2 * gap[index]:
            what = f"the differences come closer with a smaller step: try eps={eps / 10:.0e}"
            return Finding("step", what)
    _, what = pattern(analytic, numeric, {})
    return Finding(
        "outside the graph",
        f"{what}; every rule on the way is right, so part of what is computed from this input is "
        f"outside the graph: detach(), item(), .data or an array made from it",
    )


# --- in words -------------------------------------------------------------------------------------


def _called(node: Node) -> str:
    """Return the name of a node in a finding: `np.exp #4`."""
    name = "leaf" if node.operation is None else node.operation.name
    return " ".join(filter(None, (name, node.name, f"#{node.number}")))


def _kink(x: float, left: float, right: float, analytic: float, place: str = "") -> Finding:
    between = min(left, right) - 1e-6 <= analytic <= max(left, right) + 1e-6
    return Finding(
        "kink",
        f"at {x:.6g} the slope goes from {left:.6g} on the left to {right:.6g} on the right, so "
        f"finite differences cannot tell: the gradient here is {analytic:.6g}, which is "
        + ("one of those between: check beside the kink" if between else "not between the two"),
        place,
    )
