"""The walk back: from a result to its leaves, one node at a time.

An operation runs after the operations that made its arguments. So in the reversed order of creation,
every node comes after all nodes that use it. The walk is a loop in this order: nothing recurses, and a
node used twice is visited once, when both gradients have arrived.

Gradients are arrays, or Tensors. With Tensors, the saved arrays are made into Tensors again, the rules
build a graph, and a second derivative is a second walk. The first gradient decides which they are:
`create_graph` makes it a Tensor. The walk itself asks no more than that: is this gradient a Tensor?

`script/way_back.py` walks once more, on symbols: the order of visits and of sums, and `fit`, are equal
there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import errors
from .base import AnyArray, BaseTensor
from .failures import error_in_rule
from .modes import mode
from .node import Edge, Node, Outline, new


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


def walk(
    starts: Mapping[Node, AnyArray], goals: set[Node] | None = None, frees: bool = False
) -> Iterator[Visit]:
    """Go back from the nodes in `starts`, given their gradients: visit each node, newest first.

    Gradients that are arrays are passed on as arrays. If they are Tensors, the rules are called with
    Tensors, and so make a graph that can be walked again. With `goals`, only rules are called that lead
    to a gradient of these nodes. With `frees`, a node forgets its saved arrays when the next visit
    is asked for.

    Raises:
        GraphError: if a node on the way has been freed. It is raised before the first visit, or later if
            another thread frees the node meanwhile.
        ShapeError, DTypeError: if a rule gives a gradient that does not fit its argument, or no array.
    """
    arrived, watchers = dict(starts), mode.get().watchers
    try:
        for node, edges in order(starts, goals).items():
            yield pass_on(node, edges, arrived, watchers)
            if frees:
                node.saved = None
    except errors.MinigradError as error:
        if len(starts) == 1:
            (error.root,) = starts
        raise


def order(starts: Collection[Node], goals: set[Node] | None = None) -> dict[Node, list[Edge]]:
    """The nodes that a gradient reaches from `starts`, with their edges: each after all that use it.

    So when a node is visited, its gradient is complete: all nodes that contribute were visited before.
    With `goals`, nodes and edges that lead to none of these are left out.

    Raises:
        GraphError: if one of them has been freed.
    """
    oldest = min(node.number for node in goals) if goals else 0  # nothing older leads there
    nodes = list(starts)
    reached = set(nodes)
    for node in nodes:  # which grows
        for edge in node.edges:
            if edge.to not in reached and edge.to.number >= oldest:
                reached.add(edge.to)
                nodes.append(edge.to)
    newest_first = sorted(nodes, key=operator.attrgetter("number"), reverse=True)
    ways = {node: node.edges for node in newest_first}
    if goals is not None:
        for node in reversed(newest_first):  # its arguments before it
            ways[node] = [edge for edge in node.edges if edge.to in goals or ways.get(edge.to)]
        ways = {node: edges for node, edges in ways.items() if edges or node in goals}
    for node, edges in ways.items():
        if edges and node.saved is None:
            raise error_of_freed(node, is_kept=node not in starts)
    return ways


def pass_on(node: Node, edges: list[Edge], arrived: dict[Node, AnyArray], watchers: tuple) -> Visit:
    """Call the rules of a node, and add the gradients they give to those of its arguments.

    If its gradient is an array, the rules compute arrays. If it is a Tensor, the saved arrays become
    Tensors with the nodes that they had, and the operations of the rules become nodes of a graph.
    """
    g = arrived.pop(node)
    saved: Any = node.saved
    rules = node.operation.rules if node.operation is not None else ()
    if edges and saved is None:  # another thread was first
        raise error_of_freed(node)
    if edges and isinstance(g, BaseTensor):
        saved = _as_tensors(node, saved, g._wrap)
    contributions: list[Contribution] = []
    from_rule, last = None, None
    try:
        for position, item, to in edges:
            if position != last:  # one call for all elements of a list
                from_rule = rules[position](g, *saved, **node.kwargs)
                last = position
            given = from_rule if item is None else _element(from_rule, item, node)
            fitted = fit(given, to, g)
            before = arrived.get(to)
            after = arrived[to] = fitted if before is None else before + fitted
            contributions.append(new(Contribution, (position, to, given, fitted, before, after)))
    except (errors.MinigradError, *errors.PROBLEMS, StopIteration) as problem:
        raise error_in_rule(problem, node, position)  # noqa: B904 - it has its cause
    visit = new(Visit, (node, g, contributions))
    for watcher in watchers:
        watcher.on_visit(visit)
    return visit


def _element(from_rule: object, item: int, node: Node) -> AnyArray:
    if not isinstance(from_rule, (list, tuple)):
        raise errors.UnsupportedError(
            f"{node.operation.name} takes no list of tensors: join them with np.stack"  # type: ignore
        )
    return from_rule[item]


def fit(given: AnyArray, to: Node, g: AnyArray) -> AnyArray:
    """The gradient that a rule gave for the node `to`, in the shape and dtype of that node.

    Broadcasting is undone: the gradient of an array is the sum of the gradients of its copies. If `g`,
    the gradient that the rule was called with, is a Tensor, so is the result.

    Raises:
        ShapeError: if broadcasting cannot make one shape of the other.
        DTypeError: if the rule gave no array of real numbers.
    """
    if (shape := getattr(given, "shape", None)) != to.shape:
        if shape is None:
            raise errors.DTypeError(f"a rule gave {errors.described(given)}, which is no array")
        given = undo_broadcast(given, to.shape)
    if isinstance(g, BaseTensor) and not isinstance(given, BaseTensor):
        given = g._wrap(given)  # a rule may return a plain array, such as zeros_like
    if given.dtype == to.dtype:
        return given
    if given.dtype.kind not in "fiub":
        raise errors.DTypeError(
            f"a rule gave {errors.described(given)}: gradients are real numbers"
        )
    return given.astype(to.dtype)


def undo_broadcast(g: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    """The gradient of an array of `shape`, from the gradient of its copies: a sum over the copies.

    Raises:
        ShapeError: if broadcasting cannot make one shape of the other.
    """
    copied = copied_axes(g.shape, shape)
    several = any(g.shape[axis] != 1 for axis in copied)
    return np.reshape(np.sum(g, axis=copied) if several else g, shape)


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


def _as_tensors(node: Node, saved: tuple, wrap: Callable) -> tuple:
    """Make tensors of the arrays that a node saved: each with the node that made it, as before.

    The result y has the operation's own node: a gradient of `g * y`, the rule of np.exp, goes back to y,
    and so through this np.exp. An argument without an edge stays an array: no gradient goes to it.
    """

    def tensor(array: AnyArray, made_by: Node) -> BaseTensor | Outline:
        return array if isinstance(array, Outline) else wrap(array, made_by)

    tensors: list[Any] = [tensor(saved[0], node), *saved[1:]]
    for place in {1 + edge.position for edge in node.edges if edge.item is not None}:
        tensors[place] = list(saved[place])  # a copy, for its tensors
    for position, item, to in node.edges:
        home, place = (tensors, 1 + position) if item is None else (tensors[1 + position], item)
        home[place] = tensor(home[place], to)
    return tuple(tensors)


def error_of_freed(node: Node, is_kept: bool = False) -> errors.GraphError:
    """The error for a node that has forgotten what it saved; `is_kept`: more was computed from it."""
    of_state = (
        "; if it is a state that was kept from an earlier step, write state = state.detach() between "
        "the steps"
    )
    error = errors.GraphError(
        f"the graph was already walked and freed at {node!r}: compute the loss again, or call the "
        f"first backward() with retain_graph=True{of_state if is_kept else ''}"
    )
    error.culprit = node
    return error
