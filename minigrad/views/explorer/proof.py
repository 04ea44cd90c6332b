"""Which constants of a computation are made of its inputs: seen by running it with other numbers.

What Python or NumPy make of an array is not recorded: a mask of ids that are no padding is a constant of
the graph, like a table of positions. Run again with other ids, the function makes another mask, and the
same table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ... import errors
from ...engine.node import Node
from ...engine.tensor import Tensor
from ...random import generator
from ...ranges import numbers_in
from ...recording import record
from .. import capture
from ..data import GraphData, GraphNode, Ref


class Proof(NamedTuple):
    """What running a function again has shown.

    Attributes:
        loss: what it gave, recorded, for its own inputs.
        made_of: the numbers of the inputs that a constant is made of, by the number of its node.
        paths: the numbers of the inputs with which other operations may run.
    """

    loss: Tensor
    made_of: dict[int, tuple[int, ...]]
    paths: tuple[int, ...]


def prove(function: Callable[..., Tensor], inputs: Sequence[Any]) -> Proof:
    """Run `function` with its inputs, and with other numbers in one of them at a time.

    Random numbers of the common generator are the same in every run. What differs between two runs with
    the same inputs is made of none of them.

    Raises:
        DTypeError: if the function gives no Tensor.
    """
    rng = generator()
    state = rng.bit_generator.state
    loss = _run(function, inputs)
    after = rng.bit_generator.state
    graph, numbers = capture.numbered(GraphData, loss)
    drawn: set[int] | None = None
    made_of: dict[int, set[int]] = {}
    paths: set[int] = set()
    try:
        for i, value in enumerate(inputs):
            number = _number_of(value, numbers)
            if number is None:  # nothing in the graph is this input, so no page can change it
                continue
            for other in [*([value] if drawn is None else []), *_others(value)]:
                rng.bit_generator.state = state
                try:
                    then = _run(function, [*inputs[:i], other, *inputs[i + 1 :]])
                except Exception:  # numbers that the function refuses show nothing
                    continue
                found, same_path = _differing(graph, capture.of_tensors(GraphData, [then]))
                if other is value:
                    drawn = found
                    continue
                for n in found - (drawn or set()) - {number}:
                    made_of.setdefault(n, set()).add(number)
                if not same_path:
                    paths.add(number)
    finally:
        rng.bit_generator.state = after
    return Proof(loss, {n: tuple(sorted(of)) for n, of in made_of.items()}, tuple(sorted(paths)))


def _run(function: Callable[..., Tensor], inputs: Sequence[Any]) -> Tensor:
    with record(), np.errstate(all="ignore"):
        loss = function(*inputs)
    if not isinstance(loss, Tensor):
        raise errors.DTypeError(
            f"explore() takes a function that gives the Tensor to walk back from, and this one gives "
            f"a {type(loss).__name__}"
        )
    return loss


def _number_of(value: Any, numbers: dict[Node, int]) -> int | None:
    """The number of the leaf that an input is in the graph."""
    if isinstance(value, Tensor):
        return numbers.get(value.node)
    held = ((node.note.array, n) for node, n in numbers.items() if node.note is not None)
    return next((n for array, n in held if array is value), None)


def _others(value: Any) -> Iterator[Any]:
    """Other numbers for an input, of its shape and dtype: large, small, 0, and in other places."""
    array = numbers_in(value)
    if array is None or not array.size:
        return
    low, high = array.min(), array.max()
    one_there = lambda place, number: _with(array, place, number)
    if array.dtype.kind == "b":
        others = [~array, one_there(0, not array.flat[0])]
    elif array.dtype.kind == "f":
        others = [array * 1.5 + 0.25, -array]
    else:
        beyond = min(int(high) + 1, int(np.iinfo(array.dtype).max))
        others = [
            one_there(place, number) for place in (0, -1) for number in (0, low, high, beyond)
        ]
    for other in [*others, array.ravel()[::-1].reshape(array.shape)]:
        if not np.array_equal(other, array):
            other = np.array(other, array.dtype)
            yield _like(value, other) if isinstance(value, Tensor) else other


def _with(array: np.ndarray, place: int, number: Any) -> np.ndarray:
    other = array.copy()
    other.flat[place] = number
    return other


def _like(tensor: Tensor, array: np.ndarray) -> Tensor:
    return Tensor(array, requires_grad=tensor.requires_grad, name=tensor.name)


def _differing(a: GraphData, b: GraphData) -> tuple[set[int], bool]:
    """The nodes of `a` whose constants are others in `b`, and whether the same operations ran; where
    not, the first that is another, and the results."""
    found: set[int] = set()
    for one, other in zip(a.nodes, b.nodes):
        if _path(one) != _path(other):
            return {*found, one.number, *a.roots}, False
        if _constants(one) != _constants(other):
            found.add(one.number)
    same_path = len(a) == len(b)
    return (found if same_path else {*found, *a.roots}), same_path


def _path(node: GraphNode) -> tuple:
    refs = [a.number for a in node.arguments if isinstance(a, Ref)]
    return node.kind, node.operation, node.shape, refs


def _constants(node: GraphNode) -> Any:
    """Return what no operation made of a node: the numbers of a leaf, the settings of a call."""
    if node.kind != "operation":
        return _written(node.value)
    return [_written(a) for a in (*node.arguments, *node.options.values())]


def _written(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, (list, tuple)):
        return [_written(v) for v in value]
    return repr(value)
