"""The backward walk: from a result to its leaves, one operation at a time.

An operation can only run after those that made its arguments. So the order of creation, reversed, is
an order in which every node comes after all that use it, and the walk is a loop over it: nothing
recurses, and a node used twice is visited once, when both gradients have arrived.
"""

from __future__ import annotations

import math
import operator
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..views.show import extent, outline, values
from . import errors, table
from .modes import enable_grad, mode
from .node import Node
from .tensor import Tensor, _wrap, as_array

# The C library keeps freed memory for reuse up to twice the largest block that it has seen freed, and
# gives the rest back, to ask for it again in the next training step. So it is shown a large one.
np.empty(31 << 20, np.uint8)

Target = Node | Tensor  # where gradients arrive: an operation that ran, or a leaf


class Passed(NamedTuple):
    """What one argument of a node gets: its share of the gradient, on the way to where it came from.

    For the step of a leaf, `to` is the leaf itself, `before` and `after` are its `.grad`, and the
    gradient is both `given` and `fitted`.
    """

    i: int  # the position of the argument
    to: Target  # what made the argument
    given: Any  # what the rule gave
    fitted: Any  # that with broadcasting undone: of the argument's shape and dtype
    before: Any  # what had arrived there so far, or None
    after: Any  # the sum


def backward(root: Tensor, gradient=None, *, retain_graph=False, create_graph=False) -> None:
    """Add the gradient of `root` to the `.grad` of every leaf it was computed from.

    This is the walk of `steps`, run to its end. See `Tensor.backward` for arguments and errors.
    """
    deque(walk(root, gradient, retain_graph, create_graph), maxlen=0)


def gradients(
    roots: Sequence[Tensor],
    given: Sequence[Any],
    inputs: Sequence[Tensor],
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
) -> list[Any]:
    """The gradients with respect to `inputs`, returned; the `.grad` of no leaf is touched.

    `given` holds the gradient with respect to each root. An input that no root depends on gets None.
    """
    wanted = {x._node or x for x in inputs}
    run = walk_toward(roots, given, inputs, retain_graph, create_graph)
    found = {node: g for node, g, _ in run if node in wanted}
    return [found.get(x._node or x) for x in inputs]


def walk_toward(
    roots: Sequence[Tensor],
    given: Sequence[Any],
    inputs: Sequence[Tensor],
    retain_graph: bool = False,
    create_graph: bool = False,
    keep: bool = False,
) -> Iterator[tuple[Target, Any, Sequence[Passed]]]:
    """As `walk`, from several roots, and only as far as it takes to reach the inputs.

    What is older than all the inputs cannot depend on them, and is not walked.
    """
    oldest = min((x.number for x in inputs), default=math.inf)
    sums: dict[Target, Any] = {}
    for root, g in zip(roots, given):
        if root._requires_grad and root.number >= oldest:
            start = root._node or root
            with enable_grad():
                sums[start] = sums[start] + g if start in sums else g
    return _run(sums, order(sums, oldest), retain_graph, create_graph, keep, oldest)


def order(starts: Iterable[Target], oldest: float = 0) -> list[Target]:
    """Every node and leaf that a gradient reaches from `starts`, each after all that use it.

    Those with a number below `oldest` are left out.

    Raises:
        GraphError: if the graph has been freed, or a leaf that it needs was changed since.
    """
    reached: set[Target] = set(starts)
    waiting = list(reached)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Tensor):
            continue
        check_whole(node)
        for parent in node.parents():
            if parent not in reached and parent.number >= oldest:
                reached.add(parent)
                waiting.append(parent)
    return sorted(reached, key=operator.attrgetter("number"), reverse=True)


def walk(
    root: Tensor, gradient: Any, retain_graph: bool, create_graph: bool, keep: bool = False
) -> Iterator[tuple[Target, Any, Sequence[Passed]]]:
    """Make ready to do the work, and yield `(node, gradient, passed)` for each, latest first.

    A node still has what it kept for the backward pass when it is yielded, and is freed after. With
    `keep`, `passed` is filled, and no array in it is overwritten by a later step.
    """
    start = root._node or root
    sums = {start: first_gradient(root, gradient, create_graph)}
    return _run(sums, order(sums), retain_graph, create_graph, keep)


def _run(
    sums: dict[Target, Any],
    nodes: list[Target],
    retain_graph: bool,
    create_graph: bool,
    keep: bool = False,
    oldest: float = 0,
) -> Iterator[tuple[Target, Any, Sequence[Passed]]]:
    """The loop: take what has arrived at each node, and pass on what its rules make of it.

    `sums` has the gradients on their way. With `oldest`, nothing is passed on to anything older,
    and the leaves' `.grad` is left alone.
    """
    owned: set[Target] | None = None if create_graph else set()  # see _pass_on
    for node in nodes:
        g = sums.pop(node)
        passed: list[Passed] | None = None
        if isinstance(node, Tensor):
            if not oldest:
                before, after = node._grad, _deposit(node, g)
                passed = [Passed(0, node, g, g, before, after)] if keep else None
            yield node, g, passed or ()
            continue
        if keep:
            check_whole(node)  # between two steps, anything can have happened
        if keep or node.note is not None:
            passed = []
        if create_graph:
            with enable_grad():
                _pass_on(node, g, *_with_graph(node), sums, owned, oldest, passed, keep)
        else:
            _pass_on(node, g, node.args, node.y, sums, owned, oldest, passed, keep)
        if node.note is not None:
            node.note.grad = _total(node.note.grad, g)
            node.note.contributions = [(p.i, p.to, p.fitted) for p in passed or ()]
        yield node, g, passed or ()
        if not (retain_graph or create_graph):
            node.free()


def _pass_on(
    node: Node, g: Any, args: tuple, y: Any, sums: dict, owned: set | None, oldest: float,
    passed: list[Passed] | None, keep: bool,
) -> None:  # fmt: skip
    """Add what `node` passes on to the sums of its parents, and list it in `passed`.

    `owned` holds the parents whose sum is an array made here, which can be added to in place; with
    `keep` the sum is a new array, but one that lies in memory as it would then.
    """
    options = node.kwargs
    if node.kept and args is node.args:  # what is kept is outside the graph
        options = {**options, "kept": node.kept}
    together = None  # the gradients of all arguments, where one function gives them
    for i, parent in node.edges:
        rule = node.rules[i]
        whole = getattr(rule, "whole", None)
        if whole is None:
            given = rule(g, y, *args, **options)
        else:
            if together is None:
                together = whole(g, y, *args, **options)
            given = together[i]
        several = isinstance(parent, list)
        if several and not isinstance(given, (list, tuple)):
            raise errors.UnsupportedError(
                f"{table.name_of(node.function)} takes no list of tensors as argument {i}; make one "
                f"tensor of them with np.stack"
            )
        for to, share, argument in (
            zip(parent, given, args[i]) if several else ((parent, given, args[i]),)
        ):
            if to is None or to.number < oldest:
                continue
            if isinstance(g, Tensor) and not isinstance(share, Tensor):  # a rule may give zeros
                share = _wrap(np.asarray(share))
            fitted = share
            if share.shape != argument.shape or share.dtype != argument.dtype:
                fitted = _fitted(node, i, share, argument)
            if mode.anomaly:
                _check_finite(node, i, g, fitted)
            before = sums.get(to)
            if before is None:
                after = fitted
            elif owned is not None and to in owned:
                after = np.add(before, fitted, out=np.empty_like(before) if keep else before)
            else:
                after = before + fitted
                if owned is not None and type(after) is np.ndarray:
                    owned.add(to)
            sums[to] = after
            if passed is not None:
                passed.append(Passed(i, to, share, fitted, before, after))


def _fitted(node: Node, i: int, share: Any, argument: Any) -> Any:
    try:
        return undo_broadcast(share, argument.shape, argument.dtype)
    except errors.ShapeError as problem:
        rule = f"{table.name_of(node.function)}, argument {i}: {table.source_of(node.rules[i])}"
        raise errors.ShapeError(f"{problem}\n  in the rule of {rule}") from None


def undo_broadcast(g: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """The gradient of an array, given that of the copies that broadcasting made: their sum."""
    if g.shape != shape:
        g = np.reshape(np.sum(g, axis=copied_axes(g.shape, shape)), shape)
    return g if g.dtype == dtype else g.astype(dtype)


def copied_axes(wide: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of `wide` along which broadcasting copied an array of `shape`.

    Raises:
        ShapeError: if no broadcasting makes `wide` of `shape`.
    """
    extra = len(wide) - len(shape)
    if extra < 0 or any(n not in (1, wide[i]) for i, n in enumerate(shape, extra)):
        raise errors.ShapeError(
            f"a rule gave a gradient of shape {wide} for an argument of shape {shape}"
        )
    stretched = (i for i, n in enumerate(shape, extra) if n == 1 and wide[i] != 1)
    return (*range(extra), *stretched)


def first_gradient(root: Tensor, gradient: Any, create_graph: bool) -> Any:
    """Where the walk starts: 1 for a number, or what was given; a Tensor if it needs a graph."""
    if not root._requires_grad:
        raise errors.GraphError(
            f"backward() needs a tensor that was computed from one with requires_grad=True, and "
            f"no gradient reaches this one, {outline(root)}"
            + (": it is inside no_grad()" if not mode.grad else "")
        )
    if gradient is None:
        if root.size != 1:
            raise errors.ShapeError(
                f"backward() starts from one number, and the shape is {root.shape}: reduce it first, "
                f"for instance with .sum(), or pass the gradient of the loss with respect to it"
            )
        gradient = np.ones_like(root._array)
    elif np.shape(gradient) != root.shape:
        raise errors.ShapeError(
            f"the gradient has the shape {np.shape(gradient)}, and the tensor {root.shape}"
        )
    if not create_graph:
        return as_array(gradient, root.dtype, copy=True)
    g = gradient if isinstance(gradient, Tensor) else Tensor(gradient)
    return g if g.dtype == root.dtype else g.astype(root.dtype)


def check_whole(node: Node) -> None:
    if node.args is None:
        raise errors.GraphError(
            f"the graph was already walked and freed at {node!r}: compute the loss again, or call "
            f"the first backward() with retain_graph=True"
        )
    for leaf, version in node.versions:
        if leaf._version != version:
            raise errors.GraphError(
                f"{leaf.name or 'a leaf'} of shape {leaf.shape} was changed in place after "
                f"{table.name_of(node.function)} had used it; its gradient needs the old values. "
                f"Call backward() before changing it, or compute the loss again"
            )


def _check_finite(node: Node, i: int, g: Any, share: Any) -> None:
    found = values(share)
    if found is not None and not np.all(np.isfinite(found)):
        given = node.note.inputs if node.note is not None else ()
        ranges = [f"{outline(a)} {extent(a)}" for a in given if isinstance(a, Tensor)]
        raise errors.AnomalyError(
            f"the gradient of {table.name_of(node.function)} by its argument {i} is {extent(found)}, "
            f"from a gradient {extent(g)} and arguments {'; '.join(ranges)}\n"
            f"  by the rule {table.source_of(node.rules[i])}"
            + (f"\n  forward at {node.note.where}" if node.note is not None else "")
        )


def _with_graph(node: Node) -> tuple[tuple, Tensor]:
    """The arguments and the result of a node as the tensors they were, tied to the graph."""
    args = list(node.args)
    for i, parent in node.edges:
        if isinstance(parent, list):
            args[i] = [_retie(node, a, p) for a, p in zip(args[i], parent)]
        else:
            args[i] = _retie(node, args[i], parent)
    return tuple(args), _retie(node, node.y, node)


def _retie(node: Node, kept: Any, parent: Target | None) -> Any:
    if parent is None or isinstance(kept, table.Spec):
        return kept
    if isinstance(parent, Tensor):
        return parent
    tensor = _wrap(kept, parent)
    for leaf, _ in node.versions:
        if getattr(kept, "base", None) is leaf._array:
            tensor._owner = leaf  # still a view of it
    return tensor


def _deposit(leaf: Tensor, g: Any) -> Tensor:
    """Add a gradient that has arrived to those of earlier backward passes; return the sum."""
    leaf._grad = _total(leaf._grad, g)
    return leaf._grad


def _total(before: Tensor | None, g: Any) -> Tensor:
    """The sum of the gradients of earlier backward passes and this one."""
    if before is not None and isinstance(g, Tensor):
        with enable_grad():
            g = before + g
    elif before is not None:
        g = before._array + g
    return g if isinstance(g, Tensor) else _wrap(g)
