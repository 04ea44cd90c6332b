"""The walk back: from a result to its leaves, one node at a time.

An operation can only run after those that made its arguments. So the order of creation, reversed, is
an order in which every node comes after all that use it, and the walk is a loop over it: nothing
recurses, and a node used twice is visited once, when both gradients have arrived.

Gradients are arrays, or Tensors: then what was saved is made into Tensors again, so that the rules build
a graph, and a second derivative is a second walk. The first gradient decides which: `create_graph`
makes it a Tensor, and the walk knows nothing else of it.
"""

from __future__ import annotations

import contextlib
import operator
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import errors
from .modes import mode, setting
from .node import Edge, Node, Outline
from .table import AnyArray
from .tensor import PROBLEMS, Tensor, as_array, tensor_of


class Contribution(NamedTuple):
    """The part of a node's gradient that one of its arguments gets."""

    position: int  # of the argument
    to: Node  # what made the argument
    given: AnyArray  # what the rule gave
    fitted: AnyArray  # that with broadcasting undone: of the argument's shape and dtype
    before: AnyArray | None  # what had arrived there so far
    after: AnyArray  # the sum


class Visit(NamedTuple):
    """One stop of the walk: a node, its gradient, and what it passes on; a leaf passes on nothing."""

    node: Node
    gradient: AnyArray
    contributions: list[Contribution]


new = tuple.__new__  # a NamedTuple's own constructor takes twice as long


def walk(starts: Mapping[Node, AnyArray], wanted: set[Node] | None = None) -> Iterator[Visit]:
    """Go back from the nodes in `starts`, given their gradients: visit each node, newest first.

    Gradients that are arrays are passed on as arrays. Where they are Tensors, the rules are called
    with Tensors, and so make a graph that can be walked again. A node is visited while it still has
    what it saved. With `wanted`, only the rules are called that lead to a gradient of these nodes.

    Raises:
        GraphError: if a node on the way has been freed; before the first visit.
        ShapeError, DTypeError: if a rule gives a gradient that does not fit its argument, or no array.
    """
    arrived, watchers = dict(starts), mode.get().watchers
    for node, edges in order(starts, wanted).items():
        yield pass_on(node, edges, arrived, watchers)


def order(starts: Iterable[Node], wanted: set[Node] | None = None) -> dict[Node, list[Edge]]:
    """Every node that a gradient reaches from `starts`, each after all that use it, with its edges.

    So when a node is visited, all contributions to its gradient have arrived: those who make them were
    visited before. With `wanted`, nodes and edges that lead to none of these nodes are left out.

    Raises:
        GraphError: if one of them has been freed.
    """
    oldest = min(node.number for node in wanted) if wanted else 0  # nothing older leads there
    found = list(starts)
    reached = set(found)
    for node in found:  # which grows
        for _, _, to in node.edges:
            if to not in reached and to.number >= oldest:
                reached.add(to)
                found.append(to)
    newest_first = sorted(found, key=operator.attrgetter("number"), reverse=True)
    ways = {node: node.edges for node in newest_first}
    if wanted is not None:
        for node in reversed(newest_first):  # its arguments before it
            ways[node] = [edge for edge in node.edges if edge[2] in wanted or ways.get(edge[2])]
        ways = {node: edges for node, edges in ways.items() if edges or node in wanted}
    for node, edges in ways.items():
        if edges and node.saved is None:
            raise _freed(node)
    return ways


def pass_on(node: Node, edges: list[Edge], arrived: dict[Node, AnyArray], watchers: tuple) -> Visit:
    """Call the rules of a node, and add what they give to what has arrived at its arguments.

    If its gradient is an array, the rules compute arrays. If it is a Tensor, the saved arrays become
    Tensors with the nodes that they had, so that the operations of the rules are recorded as any others.
    """
    g = arrived.pop(node)
    saved: Any = node.saved
    rules = node.operation.rules if node.operation is not None else ()
    if edges and saved is None:  # another thread was first
        raise _freed(node)
    if edges and isinstance(g, Tensor):
        saved = _as_tensors(node, saved)
    contributions: list[Contribution] = []
    given, last = None, None
    try:
        for position, item, to in edges:
            if position != last:  # one call for all elements of a list
                given, last = rules[position](g, *saved, **node.kwargs), position
            one = given if item is None else _element(given, item, node)
            fitted, before = fit(one, to, g), arrived.get(to)
            after = arrived[to] = fitted if before is None else before + fitted
            contributions.append(new(Contribution, (position, to, one, fitted, before, after)))
    except (errors.MinigradError, *PROBLEMS) as problem:
        error = errors.converted(problem)
        error.culprit = error.culprit or node
        error.args = (f"{error}\n  in a rule of {node!r}, for its argument {position}",)
        raise error  # noqa: B904 - it has its cause
    visit = new(Visit, (node, g, contributions))
    for watcher in watchers:
        watcher.visit(visit)
    return visit


def _element(given: Any, item: int, node: Node) -> AnyArray:
    if not isinstance(given, (list, tuple)):
        raise errors.UnsupportedError(
            f"{node.operation.name} takes no list of tensors: join them with np.stack"  # type: ignore
        )
    return given[item]


def fit(given: AnyArray, to: Node, g: AnyArray) -> AnyArray:
    """Return what a rule gave, with the shape and dtype of `to`, whose gradient it is.

    Broadcasting is undone: the gradient of an array is the sum of those of its copies.

    Raises:
        ShapeError: if no broadcasting makes the one shape of the other.
        DTypeError: if the rule gave no array.
    """
    if (shape := getattr(given, "shape", None)) != to.shape:
        if shape is None:
            raise errors.DTypeError(f"a rule gave {errors.described(given)}, which is no array")
        given = undo_broadcast(given, to.shape)
    if isinstance(g, Tensor) and not isinstance(given, Tensor):
        given = tensor_of(given)  # a rule may return a plain array, such as zeros_like
    return given if given.dtype == to.dtype else given.astype(to.dtype)


def undo_broadcast(g: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    """The gradient of an array of `shape`, given that of its copies: a sum over the copies.

    Raises:
        ShapeError: if no broadcasting makes the one shape of the other.
    """
    return np.reshape(np.sum(g, axis=copied_axes(g.shape, shape)), shape)


def copied_axes(wide: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of `wide` along which broadcasting copied an array of `shape`.

    Raises:
        ShapeError: if no broadcasting makes `wide` of `shape`.
    """
    extra = len(wide) - len(shape)
    if extra < 0 or any(n not in (1, wide[i]) for i, n in enumerate(shape, extra)):
        raise errors.ShapeError(f"a rule gave shape {wide} for an argument of shape {shape}")
    stretched = (i for i, n in enumerate(shape, extra) if n == 1 and wide[i] != 1)
    return (*range(extra), *stretched)


def _as_tensors(node: Node, saved: tuple) -> tuple:
    """Make tensors of the arrays that a node saved: each with the node that made it, as before.

    The result y has the operation's own node: a gradient of `g * y`, the rule of np.exp, goes back to y,
    and so through this np.exp.
    """

    def tensor(array: AnyArray, made_by: Node) -> Tensor | Outline:
        return array if isinstance(array, Outline) else tensor_of(array, made_by)

    tensors: list[Any] = [tensor(saved[0], node), *saved[1:]]
    for place in {1 + position for position, item, _ in node.edges if item is not None}:
        tensors[place] = list(saved[place])  # a copy, for its tensors
    for position, item, parent in node.edges:
        home, place = (tensors, 1 + position) if item is None else (tensors[1 + position], item)
        home[place] = tensor(home[place], parent)
    return tuple(tensors)


def _freed(node: Node) -> errors.GraphError:
    error = errors.GraphError(
        f"the graph was already walked and freed at {node!r}: compute the loss again, or call the "
        f"first backward() with retain_graph=True"
    )
    error.culprit = node
    return error


# --- backward ---------------------------------------------------------------------------------------


def backward(root: Tensor, gradient: Any = None, *, retain_graph=False, create_graph=False) -> None:
    """Compute the gradient of this tensor with respect to every leaf that requires one.

    Gradients are added to the leaves' `.grad`. See `minigrad.steps` for the same walk step by step.

    Args:
        root: this tensor; as in `loss.backward()`.
        gradient: the gradient of the loss with respect to this tensor, of its shape. May be left
            out for a tensor with one element, whose gradient is then 1.
        retain_graph: keep what the graph holds, so that it can be walked again.
        create_graph: make the gradients tensors with their own graph, for higher derivatives.
            Implies `retain_graph`. A leaf then holds a gradient whose graph leads back to the leaf:
            a cycle, which only the garbage collector ends, or setting `.grad` to None.
            `minigrad.grad` returns gradients, and makes none.

    Raises:
        GraphError: if the tensor requires no gradient, or if the graph has been freed, or another
            thread is just walking and freeing it; no gradient is touched then.
        ShapeError: if `gradient` is left out and the tensor has more than one element, or does not
            have its shape.
    """
    start = first_gradient(root, gradient, create_graph)
    end: Any = root._node
    frees = not (retain_graph or create_graph)
    found, mine = [], object()
    if frees and _walked.setdefault(end, mine) is not mine:  # another thread is walking from here
        raise _freed(end)
    with setting(grad=True) if create_graph else contextlib.nullcontext():
        try:
            for visit in walk({end: start}):
                node = visit.node
                if node.keeps_grad:
                    found.append((node, visit.gradient))
                if node.note is not None:
                    node.note.visit(visit)
                if frees:
                    node.saved = None
                del visit  # the next rule can have its memory
        except errors.MinigradError as error:
            error.root = end
            raise
        finally:
            if frees:
                del _walked[end]
        with _adding:
            for node, g in found:
                if node.grad is not None:
                    g = node.grad + g if isinstance(g, Tensor) else node.grad._array + g
                node.grad = g if isinstance(g, Tensor) else tensor_of(g)


def first_gradient(root: Tensor, gradient: Any, create_graph: bool) -> AnyArray:
    """Return the gradient of `root`: 1 for a number, or what was given; a Tensor if it needs a graph."""
    array, node = root._array, root._node
    if node is None or not node.requires_grad:
        raise errors.GraphError(
            f"backward() needs a tensor that was computed from one with requires_grad=True, and "
            f"no gradient reaches this one, {array.shape} {array.dtype}"
            + ("" if mode.get().grad else ": it is inside no_grad()")
        )
    if gradient is None and array.size != 1:
        raise errors.ShapeError(
            f"backward() starts from one number, and the shape is {array.shape}: reduce it first, "
            f"for instance with .sum(), or pass the gradient of the loss with respect to it"
        )
    given = np.ones_like(array) if gradient is None else gradient
    if np.shape(given) != array.shape:
        raise errors.ShapeError(
            f"the gradient has the shape {np.shape(given)}, and the tensor {array.shape}"
        )
    if create_graph:
        g = given if isinstance(given, Tensor) else Tensor(given)
        return g if g.dtype == array.dtype else g.astype(array.dtype)
    return given if gradient is None else as_array(given, array.dtype, copy=True)


# --- several threads ----------------------------------------------------------------------------------

_adding = threading.Lock()  # their graphs may lead to the same leaf
_walked: dict[Node, object] = {}  # from which node each walk that frees its graph has started


Tensor.backward = backward  # type: ignore[method-assign]
